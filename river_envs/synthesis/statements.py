"""Statements of a test, read in order; a branch that only fails is taken as a demand that it is not entered."""

from __future__ import annotations

import ast
import re
from typing import Any, Final

from river_envs.synthesis.comparisons import unknown_about
from river_envs.synthesis.conditions import Conditions
from river_envs.synthesis.shapes import Shape
from river_envs.synthesis.terms import (
    FileFacet,
    Function,
    Left,
    Mapped,
    Name,
    Scope,
    Unknown,
    is_plain,
    unknown,
)

_BAD: Final = re.compile(r"miss|bad|err|fail|invalid|problem|wrong|mismatch|violat|unexpected|extra|dup", re.IGNORECASE)
_FAILS: Final = ("pytest.fail", "self.fail", "sys.exit", "exit", "fail")
_UNITTEST: Final[dict[str, str]] = {
    "assertEqual": "==", "assertEquals": "==", "assertNotEqual": "!=", "assertIn": "in", "assertNotIn": "not in",
    "assertGreater": ">", "assertGreaterEqual": ">=", "assertLess": "<", "assertLessEqual": "<=", "assertIs": "is",
    "assertAlmostEqual": "==", "assertListEqual": "==", "assertDictEqual": "==", "assertCountEqual": "==",
    "assertSetEqual": "==",
}
_KINDS: Final[dict[str, ast.cmpop]] = {
    "==": ast.Eq(), "!=": ast.NotEq(), "in": ast.In(), "not in": ast.NotIn(), ">": ast.Gt(), ">=": ast.GtE(),
    "<": ast.Lt(), "<=": ast.LtE(), "is": ast.Is(),
}


class Statements(Conditions):
    """Reads statements."""

    def block(self, body: list[ast.stmt], scope: Scope) -> None:
        """Read statements in order. Raises Left at a return."""
        for statement in body:
            self.statement(statement, scope)

    def statement(self, node: ast.stmt, scope: Scope) -> None:
        """Read one statement."""
        match node:
            case ast.Assert(test=test):
                self.demands.asserts += 1
                if self.truth(test, scope) is None:
                    self.assume(test, scope)
            case ast.Assign(targets=targets, value=value):
                found = self.value(value, scope)
                for target in targets:
                    self.bind(target, found, scope)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self.bind(target, self.value(value, scope), scope)
            case ast.AugAssign(target=target, op=kind, value=value):
                if isinstance(target, ast.Name):
                    joined = ast.BinOp(ast.Name(target.id, ast.Load()), kind, value)
                    scope[target.id] = self.value(joined, scope)
            case ast.Expr(value=value):
                self._expression_statement(value, scope)
            case ast.Return(value=value):
                raise Left(self.value(value, scope))
            case ast.If():
                self._if(node, scope)
            case ast.For():
                self._for(node, scope)
            case ast.While(body=body):
                self.block(body, scope)
            case ast.With(items=items, body=body):
                for item in items:
                    entered = self.value(item.context_expr, scope)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, entered, scope)
                if not any("raises" in ast.unparse(item.context_expr) for item in items):
                    self.block(body, scope)
            case ast.Try(body=body, orelse=after, finalbody=last):
                self.block([*body, *after, *last], scope)
            case ast.Import(names=names):
                for name in names:
                    top = name.name.split(".")[0]
                    scope[name.asname or top] = Name(name.name if name.asname else top)
            case ast.ImportFrom(module=module, names=names):
                self._imported(module or "", names, scope)
            case ast.FunctionDef():
                scope[node.name] = Function(node, scope)

    def _imported(self, module: str, names: list[ast.alias], scope: Scope) -> None:
        for name in names:
            if (name.asname or name.name) in scope and not module.startswith(("os", "json", "re", "csv", "pathlib")):
                continue  # a helper of the tests that was read before
            dotted = {"pathlib.Path": "Path", "csv.reader": "csv.reader", "csv.DictReader": "csv.DictReader",
                      "datetime.datetime": "datetime"}.get(f"{module}.{name.name}", f"{module}.{name.name}")
            scope[name.asname or name.name] = Name(dotted)

    def _expression_statement(self, node: ast.expr, scope: Scope) -> None:
        if isinstance(node, ast.Yield):
            raise Left(self.value(node.value, scope))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert"):
            self.demands.asserts += 1
            if self._unittest(node, node.func.attr, scope):
                return
        self.value(node, scope)

    def _unittest(self, node: ast.Call, name: str, scope: Scope) -> bool:
        """The assertions of unittest."""
        arguments = node.args
        if name in _UNITTEST and len(arguments) >= 2:
            left, right = (self.value(argument, scope) for argument in arguments[:2])
            self.compare(_KINDS[_UNITTEST[name]], left, right)
        elif name in {"assertTrue", "assertFalse", "assertIsNotNone", "assertIsNone"} and arguments:
            wanted = name in {"assertTrue", "assertIsNotNone"}
            if self.truth(arguments[0], scope) is None:
                self.assume(arguments[0], scope, wanted)
        elif name == "assertIsInstance" and len(arguments) >= 2:
            self._typed(self.value(arguments[0], scope), arguments[1], scope, True)
        elif name == "assertRegex" and len(arguments) >= 2:
            text, pattern = (self.value(argument, scope) for argument in arguments[:2])
            self.hold(self._expression("search", [pattern, text], {}), True)
        else:
            return False
        return True

    def _if(self, node: ast.If, scope: Scope) -> None:
        known = self.truth(node.test, scope)
        if known is not None:
            self.block(node.body if known else node.orelse, scope)
            return
        fails, leaves = self._fails(node.body, scope), _leaves(node.body)
        gathers = _gathers(node.body)
        if fails:
            self.assume(node.test, scope, False)
            self.block(node.orelse, scope)
        elif gathers and not node.orelse:
            bad = bool(_BAD.search(gathers))
            self.assume(node.test, scope, not bad)
            if not bad:
                self.block(node.body, scope)
        elif leaves and not self._about_files(node.test, scope):
            self.block(node.orelse, scope)
        elif leaves and not node.orelse and _negative(node.test):
            return
        else:
            if not node.orelse or self._about_files(node.test, scope):
                self.assume_softly(node.test, scope)
            self.block(node.body, scope)

    def assume_softly(self, test: ast.expr, scope: Scope) -> None:
        """Enter a branch: files that it asks for are to be there; other conditions are left open."""
        if self._about_files(test, scope):
            self.assume(test, scope)

    def _about_files(self, test: ast.expr, scope: Scope) -> bool:
        inner = test.operand if isinstance(test, ast.UnaryOp) else test
        return isinstance(inner, ast.Call) and isinstance(self.value(inner, scope), FileFacet)

    def _fails(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Whether a branch ends in a failure: raise, pytest.fail, assert False, or return False in a helper."""
        last = body[-1]
        match last:
            case ast.Raise():
                return True
            case ast.Assert(test=ast.Constant(value=value)):
                return not value
            case ast.Return(value=ast.Constant(value=False)):
                return True
            case ast.Expr(value=ast.Call(func=called)):
                return ast.unparse(called) in _FAILS
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=False)):
                return name in scope
        return False

    def _for(self, node: ast.For, scope: Scope) -> None:
        over = self.value(node.iter, scope)
        items = self.elements(over)
        if items is None:
            unknown_inside(self, node, over, scope)
            return
        outer = scope.get("*loop*")
        scope["*loop*"] = over.over if isinstance(over, Mapped) else over
        if isinstance(over, FileFacet) and over.artefact is not None:
            scope["*loop*"] = over.artefact.text.read("lines")
        for item in items:
            self.bind(node.target, item, scope)
            for statement in node.body:
                if isinstance(statement, ast.Break | ast.Continue):
                    break
                self.statement(statement, scope)
        scope["*loop*"] = outer
        self.block(node.orelse if not any(isinstance(n, ast.Break) for n in ast.walk(node)) else [], scope)


def unknown_inside(reader: Statements, node: ast.For, over: Any, scope: Scope) -> None:
    """A loop over what nobody can tell: its body is read once, with unknown items."""
    reader.bind(node.target, unknown(over) if not is_plain(over) else Unknown(), scope)
    for statement in node.body:
        if isinstance(statement, ast.Assert):
            names = [scope.get(n.id) for n in ast.walk(statement.test) if isinstance(n, ast.Name)]
            unknown_about(*(value for value in names if isinstance(value, Shape)))
        elif isinstance(statement, ast.Assign | ast.AugAssign):
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                if isinstance(target, ast.Name):
                    scope[target.id] = Unknown()
                elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                    scope[target.value.id] = Unknown()
        else:
            for inner in ast.walk(statement):
                if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and isinstance(
                    inner.func.value, ast.Name
                ) and inner.func.attr in {"append", "add", "update", "extend"}:
                    scope[inner.func.value.id] = Unknown()
                elif isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
                    scope[inner.target.id] = Unknown()


def _leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Return | ast.Continue | ast.Break) or (
        isinstance(body[-1], ast.Expr) and "pytest.skip" in ast.unparse(body[-1])
    )


def _gathers(body: list[ast.stmt]) -> str:
    """The name that a branch only counts or collects into, or sets to True; "" for other branches."""
    kept = [statement for statement in body if not isinstance(statement, ast.Break | ast.Continue | ast.Pass)]
    if len(kept) != 1:
        return ""
    match kept[0]:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add"))):
            return name
        case ast.AugAssign(target=ast.Name(id=name)):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=True)):
            return name
    return ""


def _negative(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


