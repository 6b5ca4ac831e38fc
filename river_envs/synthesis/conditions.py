"""Conditions of a test, taken to hold: each becomes a demand on the shapes that it speaks of."""

from __future__ import annotations

import ast
from typing import Any, Final

from river_envs.synthesis.comparisons import Comparisons, unknown_about
from river_envs.synthesis.expressions import compared
from river_envs.synthesis.shapes import Pattern, Shape
from river_envs.synthesis.terms import (
    Deferred,
    Facet,
    FileFacet,
    Mapped,
    Matched,
    Name,
    Scope,
    Unknown,
    is_plain,
)

_TYPES: Final = {
    "str": "text", "int": "integer", "float": "number", "bool": "boolean", "list": "list", "dict": "object",
    "numbers.Number": "number", "Number": "number", "numbers.Real": "number", "Mapping": "object", "tuple": "list",
}
_FLIPPED: Final[dict[type, type]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE,
                                     ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}
_NEGATED: Final[dict[type, type]] = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt,
                                     ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
                                     ast.Is: ast.IsNot, ast.IsNot: ast.Is}


class Conditions(Comparisons):
    """Takes conditions to hold."""

    def truth(self, node: ast.expr, scope: Scope) -> bool | None:
        """Whether a condition holds; None where that depends on shapes or cannot be told."""
        match node:
            case ast.BoolOp(op=kind, values=parts):
                verdicts = [self.truth(part, scope) for part in parts]
                decisive = isinstance(kind, ast.Or)
                if decisive in verdicts:
                    return decisive
                return None if None in verdicts else not decisive
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                verdict = self.truth(inner, scope)
                return None if verdict is None else not verdict
            case ast.Compare(left=left, ops=[kind], comparators=[right]):
                pair = self.value(left, scope), self.value(right, scope)
                if not all(is_plain(side) for side in pair):
                    return None
                found = compared(kind, *pair)
                return found if isinstance(found, bool) else None
            case ast.Compare():
                return None
        found = self.value(node, scope)
        if is_plain(found):
            return bool(found)
        return bool(found) if isinstance(found, list | tuple | dict) else None

    def assume(self, node: ast.expr, scope: Scope, wanted: bool = True) -> None:
        """Demand that a condition is (or is not) true."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                self.assume(inner, scope, not wanted)
            case ast.BoolOp(op=kind, values=parts) if isinstance(kind, ast.And) == wanted:
                for part in parts:
                    self.assume(part, scope, wanted)
            case ast.BoolOp(values=parts):
                self._one_of(parts, scope, wanted)
            case ast.Compare(left=left, ops=kinds, comparators=others):
                sides = [self.value(side, scope) for side in (left, *others)]
                for comparison, first, second in zip(kinds, sides, sides[1:], strict=False):
                    self.compare(comparison if wanted else _NEGATED[type(comparison)](), first, second)
                    if not wanted:
                        break
            case ast.Call():
                self._called(node, scope, wanted)
            case _:
                self.hold(self.value(node, scope), wanted)

    def _one_of(self, parts: list[ast.expr], scope: Scope, wanted: bool) -> None:
        """One alternative suffices: the first that compares nothing for equality."""
        if any(self.truth(part, scope) is wanted for part in parts):
            return
        open_ = [part for part in parts if self.truth(part, scope) is None]
        plain = [part for part in open_ if not any(
            isinstance(kind, ast.Eq) for compare in ast.walk(part) if isinstance(compare, ast.Compare)
            for kind in compare.ops)]
        if open_:
            self.assume((plain or open_)[0], scope, wanted)

    def _called(self, node: ast.Call, scope: Scope, wanted: bool) -> None:
        name = ast.unparse(node.func)
        if name in {"all", "any"} and len(node.args) == 1:
            self._over(node.args[0], scope, wanted, every=(name == "all") == wanted)
        elif name in {"isinstance"} and len(node.args) == 2:
            self._typed(self.value(node.args[0], scope), node.args[1], scope, wanted)
        elif name == "bool" and node.args:
            self.assume(node.args[0], scope, wanted)
        elif name.endswith("isclose") and len(node.args) >= 2:
            self.compare(ast.Eq(), self.value(node.args[0], scope), self.value(node.args[1], scope))
        elif isinstance(node.func, ast.Attribute) and not isinstance(
            owner := self.value(node.func.value, scope), Name
        ) and self._asked(owner, node.func.attr, [self.value(argument, scope) for argument in node.args], wanted):
            return
        else:
            self.hold(self.value(node, scope), wanted)

    def _asked(self, owner: Any, name: str, arguments: list[Any], wanted: bool) -> bool:
        """Methods that answer yes or no about a shape; whether it was one."""
        first = arguments[0] if arguments else None
        if isinstance(owner, Facet) and name in {"issubset", "issuperset", "__contains__"}:
            kinds: dict[str, ast.cmpop] = {"issubset": ast.LtE(), "issuperset": ast.GtE()}
            self.compare(kinds.get(name, ast.LtE()), owner, first)
            return True
        if isinstance(owner, set | frozenset) and name in {"issubset", "issuperset"} and not is_plain(first):
            self.compare(ast.GtE() if name == "issubset" else ast.LtE(), first, owner)
            return True
        if not isinstance(owner, Shape) or not wanted:
            return isinstance(owner, Shape) and name in {"startswith", "endswith", "isspace"}
        options = first if isinstance(first, tuple) else (first,)
        if name in {"startswith", "endswith"} and options and isinstance(options[0], str):
            if name == "startswith":
                owner.prefix = max(owner.prefix, options[0], key=len)
            else:
                owner.suffix = max(owner.suffix, options[0], key=len)
        elif name in {"isdigit", "isnumeric", "isdecimal"}:
            owner.numeric = "integer"
            owner.bound(low=0)
        elif name in {"isalpha", "isalnum", "islower", "isidentifier"}:
            owner.patterns.append(Pattern(r"[a-z]{5,9}", "fullmatch"))
        elif name == "isupper":
            owner.patterns.append(Pattern(r"[A-Z]{5,9}", "fullmatch"))
        else:
            return False
        return True

    def _over(self, inner: ast.expr, scope: Scope, wanted: bool, *, every: bool) -> None:
        """A condition on all or on some element."""
        if not isinstance(inner, ast.GeneratorExp | ast.ListComp) or len(inner.generators) != 1:
            found = self.value(inner, scope)
            held = found if isinstance(found, list | tuple) else [found]
            for item in held if every else held[:1]:
                self.hold(item, wanted)
            return
        generator = inner.generators[0]
        over = self.value(generator.iter, scope)
        if isinstance(over, list | tuple | dict | set | frozenset):
            options = self.elements(over) or []
            for item in options if every else options[:1]:
                inside = dict(scope)
                self.bind(generator.target, item, inside)
                self.assume(inner.elt, inside, wanted)
            return
        items = self.elements(over)
        inside = dict(scope)
        if items is None:
            unknown_about(over)
        elif every:
            self.bind(generator.target, items[0], inside)
            self.assume(inner.elt, inside, wanted)
        else:
            lists = over if isinstance(over, Shape) else over.over if isinstance(over, Mapped) else None
            if lists is None:
                return
            extra = Shape(lists.name, (lists.each or lists.element()).born)
            lists.some.append(extra)
            self.bind(generator.target, extra, inside)
            for test in generator.ifs:
                self.assume(test, inside)
            self.assume(inner.elt, inside, wanted)

    def _typed(self, value: Any, types: ast.expr, scope: Scope, wanted: bool) -> None:
        names = [ast.unparse(item) for item in (types.elts if isinstance(types, ast.Tuple) else [types])]
        if isinstance(types, ast.BinOp):
            names = [part.strip() for part in ast.unparse(types).split("|")]
        kinds = [_TYPES[name] for name in names if name in _TYPES]
        if isinstance(value, Shape) and kinds and wanted:
            value.narrow(*kinds)
            if "integer" not in kinds and value.kinds > {"integer"}:
                value.kinds.discard("integer")

    def hold(self, value: Any, wanted: bool) -> None:
        """Demand that a value is true (or false, which means empty or absent)."""
        match value:
            case Deferred(node, scope):
                self.assume(node, scope, wanted)
            case Matched(shape, pattern):
                if wanted and pattern not in shape.patterns:
                    shape.patterns.append(pattern)
            case FileFacet() as facet:
                self._file_holds(facet, wanted)
            case Mapped(_, _, tests) if tests and not wanted:
                for test in tests:
                    self.assume(test.node, test.scope, False)
            case Mapped(over, _, tests):
                if wanted:
                    over.sized(least=1)
                    for test in tests:
                        self.assume(test.node, test.scope)
            case Facet("count", _, Mapped() as filtered):
                self.hold(filtered, wanted)
            case Shape(born="text") if wanted:
                value.sized(least=1)
            case Shape() if wanted:
                if "boolean" in value.kinds or (value.born == "json" and not value.kinds):
                    return
                value.sized(least=1)
            case Shape(kinds=kinds) if "boolean" in kinds:
                value.pinned.append(False)
            case Facet(_, of) if wanted:
                of.sized(least=1)
            case Unknown(about):
                for shape in about:
                    shape.unknown += 1

    def _file_holds(self, facet: FileFacet, wanted: bool) -> None:
        artefact = facet.artefact
        if artefact is None:
            return
        if not wanted:
            if facet.kind in {"exists", "directory"}:
                self.demands.artefacts.pop(artefact.path, None)
            return
        if facet.kind == "directory":
            artefact.kind = "directory"
        elif facet.kind == "executable":
            artefact.executable = True
        elif facet.kind == "link":
            artefact.text.unknown += 1
