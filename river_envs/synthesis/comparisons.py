"""Comparisons of a test, taken to hold: bounds, lengths, keys, members, and what pins a place to one value."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import Any, Final

from river_envs.synthesis.calls import Calls
from river_envs.synthesis.shapes import Shape
from river_envs.synthesis.terms import (
    Difference,
    Facet,
    FileFacet,
    Mapped,
    Name,
    Pairs,
    is_plain,
    shapes_in,
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


class Comparisons(Calls):
    """Takes comparisons to hold."""

    @abstractmethod
    def hold(self, value: Any, wanted: bool) -> None:
        """Demand that a value is true (or false)."""

    def compare(self, kind: ast.cmpop, left: Any, right: Any) -> None:
        """Demand a comparison."""
        if is_plain(left) and is_plain(right):
            return
        if is_plain(left) and type(kind) in _FLIPPED:
            kind, left, right = _FLIPPED[type(kind)](), right, left
        if isinstance(kind, ast.In | ast.NotIn):
            self._contained(left, right, isinstance(kind, ast.In))
        elif isinstance(kind, ast.Is | ast.IsNot) or right is None or isinstance(right, bool):
            self._identical(left, right, isinstance(kind, ast.Is | ast.Eq))
        elif isinstance(kind, ast.NotEq):
            self._different(left, right)
        elif isinstance(kind, ast.Eq):
            self._equal(left, right)
        else:
            self._ordered(kind, left, right)

    def _identical(self, left: Any, right: Any, same: bool) -> None:
        if right is None:
            if isinstance(left, Shape):
                if same:
                    left.pinned.append(None)
            else:
                self.hold(left, not same)
        elif isinstance(right, bool):
            if isinstance(left, Shape):
                left.narrow("boolean")
                left.pinned.append(right == same)
            else:
                self.hold(left, right == same)

    def _different(self, left: Any, right: Any) -> None:
        match left, right:
            case FileFacet("exit", artefact), 0 if artefact is not None:
                artefact.exits.add("other")
            case (Facet("len", of), 0) | (Shape() as of, ("" | [] | ())):
                of.sized(least=1)
            case Shape(), str():
                left.lacks.append(right)
            case _:
                return

    def _equal(self, left: Any, right: Any) -> None:
        match left, right:
            case Facet("len", of), int():
                of.sized(least=right, most=right)
            case Facet("len", of), Facet("len", other) if of is other:
                of.distinct = True
            case Shape(), Facet("keys", of) if of is left:
                of.narrow("list")
                of.element()
                of.order = "rising"
            case Facet("len", of), Facet("len", other):
                of.like = of.like or ("length", other)
            case Facet("len", of), Facet("len-distinct", other, _):
                of.distinct = other.distinct = True
            case Facet("len-distinct", of, _), Facet("len", _):
                of.distinct = True
            case Facet("count", _, Mapped() as filtered), 0:
                self.hold(filtered, False)
            case (Mapped() as filtered), [] if filtered.tests:
                self.hold(filtered, False)
            case Facet("keys", of), (set() | list() | tuple() | frozenset()) if is_plain(right):
                for name in sorted(right, key=str) if isinstance(right, set | frozenset) else right:
                    of.key(str(name))
                of.exact = True
            case Facet("header", of), (set() | frozenset()) if is_plain(right):
                for name in sorted(right, key=str):
                    of.element().key(str(name))
            case Facet("header", of), (list() | tuple()) if is_plain(right):
                of.header = tuple(str(name) for name in right)
            case FileFacet("exit", artefact), int() if artefact is not None:
                artefact.exits.add("zero" if right == 0 else "other")
            case FileFacet("mode", artefact), (int() | str()) if artefact is not None:
                artefact.mode = mode(right)
            case FileFacet("size", artefact), int() if artefact is not None:
                artefact.text.unknown += 1
            case (Shape() | Mapped()), Facet("sorted", of, (value, direction)):
                (value if isinstance(value, Shape) else of).order = direction
            case Facet("sorted"), (Shape() | Mapped()):
                self._equal(right, left)
            case Shape(), Shape():
                left.like = left.like or ("same", right)
            case Shape(), Facet("len" | "sum" as how, of, extra):
                left.like = left.like or (how, of if how == "len" else extra)
            case Facet("len" | "sum"), Shape():
                self._equal(right, left)
            case Facet("type", of), Name(dotted) if dotted in _TYPES:
                of.narrow(_TYPES[dotted])
            case Shape(), _ if is_plain(right):
                left.pinned.append(right)
            case Mapped(over, Shape() as value, _), _:
                value.unknown += 1
                over.unknown += 1
            case _:
                unknown_about(left, right)

    def _ordered(self, kind: ast.cmpop, left: Any, right: Any) -> None:
        number = right if isinstance(right, int | float) and not isinstance(right, bool) else None
        lower = isinstance(kind, ast.Gt | ast.GtE)
        strict = isinstance(kind, ast.Gt | ast.Lt)
        match left:
            case Facet("keys" | "distinct" | "header" as which, of, extra):
                self._subset(which, of, extra, right, lower)
            case set() | frozenset() if isinstance(right, Facet):
                self._subset(right.kind, right.of, right.extra, left, not lower)
            case Facet("len", of) if number is not None:
                edge = int(number)
                of.sized(least=edge + strict) if lower else of.sized(most=edge - strict)
            case Facet("count", over, Mapped() as filtered) if number is not None and lower:
                over.sized(least=int(number) + strict)
                self.hold(filtered, True)
            case Facet("count", _, Mapped() as filtered) if number is not None and number <= 1:
                self.hold(filtered, False)
            case Facet("occurrences", of, str() as word) if lower:
                of.contains.append(word)
            case FileFacet("size", artefact) if artefact is not None and number is not None:
                if lower:
                    artefact.size = max(artefact.size, int(number) + strict)
            case FileFacet():
                return
            case Difference(first, second) if number is not None and not lower:
                self.compare(ast.Eq(), first, second)
            case Shape() if number is not None:
                step = (1 if "integer" in left.kinds or left.numeric == "integer" else 1e-6) if strict else 0
                left.bound(low=number + step) if lower else left.bound(high=number - step)
                if left.born == "json" and not left.kinds:
                    left.narrow("number")
            case Shape() if isinstance(right, Shape):
                left.like = left.like or ("above" if lower else "below", right)
            case _:
                unknown_about(left, right)

    def _subset(self, which: str, of: Shape, extra: Any, right: Any, above: bool) -> None:
        """Keys, or distinct values, that hold all of ``right`` (above) or lie within it."""
        if not is_plain(right) or not isinstance(right, set | frozenset | list | tuple | dict):
            unknown_about(of, right)
            return
        names = sorted(right, key=str)
        if which in {"keys", "header"}:
            holder = of.element() if which == "header" else of
            for name in names if above else ():
                holder.key(str(name))
        elif isinstance(extra, tuple) and isinstance(extra[0], Shape):
            if above:
                of.unknown += 1
            else:
                extra[0].choices.append(tuple(names))

    def _contained(self, left: Any, right: Any, inside: bool) -> None:
        match left, right:
            case str(), (Shape(born="text") | Shape(born="cell")):
                (right.contains if inside else right.lacks).append(left)
            case str(), Shape(born="lines") if inside:
                extra = Shape(right.name)
                extra.pinned.append(left)
                right.some.append(extra)
            case str(), Shape() if inside:
                if "text" in right.kinds:
                    right.contains.append(left)
                elif "list" in right.kinds or right.each is not None:
                    extra = Shape(right.name, "json")
                    extra.pinned.append(left)
                    right.some.append(extra)
                else:
                    right.key(left)
            case str(), Facet("keys", of) if inside:
                of.key(left)
            case str(), Facet("header", of) if inside:
                of.key(left)
                if left not in of.element().keys:
                    of.element().key(left)
            case str(), Pairs() if inside:
                self.picked(right, left)
            case Shape(), (list() | tuple() | set() | frozenset() | dict() | str()) if is_plain(right):
                if inside and not isinstance(right, str):
                    left.choices.append(tuple(sorted(right, key=repr) if isinstance(right, set | frozenset) else right))
            case _, Mapped(over, value, _) if inside and is_plain(left) and isinstance(value, Shape):
                extra = Shape(over.name, value.born)
                extra.pinned.append(left)
                over.some.append(extra)
            case _ if inside:
                unknown_about(left, right)


def unknown_about(*values: Any) -> None:
    """Mark the shapes in ``values``: they are compared with what nobody can tell."""
    for value in values:
        for shape in shapes_in(value):
            shape.unknown += 1


def mode(value: int | str) -> int | None:
    """Permission bits given as a number or as octal digits."""
    if isinstance(value, int):
        return value & 0o777
    digits = value.removeprefix("0o")
    return int(digits, 8) & 0o777 if digits and all(digit in "01234567" for digit in digits) else None
