"""Expressions of a test, read: plain values are computed, what comes from a file becomes a shape."""

from __future__ import annotations

import ast
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any, Final

from river_envs.synthesis.shapes import Artefact, Demands, Shape
from river_envs.synthesis.terms import (
    Beyond,
    Deferred,
    Difference,
    Facet,
    FileFacet,
    Function,
    Instance,
    Mapped,
    Name,
    Pairs,
    Scope,
    Unknown,
    is_plain,
    unknown,
)

STEPS: Final = 40_000
"""Nodes read of one environment's tests."""
_LONGEST: Final = 20_000
_ITEMS: Final = 60
_ARITHMETIC: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_COMPARED: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_WRONG: Final = (TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError, OverflowError)
"""What computing a plain value may raise: the test's own mistake, or one of ours; the value is then unknown."""


def compared(kind: ast.cmpop, left: Any, right: Any) -> Any:
    """A comparison of plain values; Unknown where Python refuses it."""
    try:
        return _COMPARED[type(kind)](left, right)
    except _WRONG:
        return Unknown()


class Expressions(ABC):
    """Reads expressions. ``ours`` decides which files are artefacts."""

    def __init__(self, demands: Demands) -> None:
        self.demands = demands
        self.steps = 0
        self.depth = 0

    @abstractmethod
    def call(self, node: ast.Call, scope: Scope) -> Any:
        """What a call stands for."""

    @abstractmethod
    def artefact(self, path: Any) -> Artefact | None:
        """The artefact at a path, or None where the path is none of ours."""

    @abstractmethod
    def truth(self, node: ast.expr, scope: Scope) -> bool | None:
        """Whether a condition holds; None where that depends on shapes."""

    def value(self, node: ast.expr | None, scope: Scope) -> Any:
        """What ``node`` stands for. Raises Beyond when too much was read."""
        self.steps += 1
        if self.steps > STEPS:
            raise Beyond
        if node is None:
            return None
        reader = getattr(self, f"_{type(node).__name__.lower()}", None)
        return reader(node, scope) if reader else Unknown()

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        return node.value

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        return scope[node.id] if node.id in scope else Name(node.id)

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        return self.call(node, scope)

    def _list(self, node: ast.List, scope: Scope) -> Any:
        return list(self._elements(node.elts, scope))

    def _tuple(self, node: ast.Tuple, scope: Scope) -> Any:
        return tuple(self._elements(node.elts, scope))

    def _set(self, node: ast.Set, scope: Scope) -> Any:
        items = list(self._elements(node.elts, scope))
        return self._computed(set, items) if is_plain(items) else unknown(items)

    def _elements(self, nodes: list[ast.expr], scope: Scope) -> Iterator[Any]:
        for node in nodes:
            if isinstance(node, ast.Starred):
                inner = self.value(node.value, scope)
                yield from inner if isinstance(inner, list | tuple) else ()
            else:
                yield self.value(node, scope)

    def _dict(self, node: ast.Dict, scope: Scope) -> Any:
        found = {}
        for key, item in zip(node.keys, node.values, strict=True):
            name = self.value(key, scope) if key is not None else None
            if isinstance(name, str | int | float | bool | tuple) and is_plain(name):
                found[name] = self.value(item, scope)
        return found

    def _joinedstr(self, node: ast.JoinedStr, scope: Scope) -> Any:
        parts = [self.value(part, scope) for part in node.values]
        return "".join(parts) if all(isinstance(part, str) for part in parts) else unknown(parts)

    def _formattedvalue(self, node: ast.FormattedValue, scope: Scope) -> Any:
        inner = self.value(node.value, scope)
        if not is_plain(inner) or isinstance(inner, bytes):
            return unknown(inner)
        spec = self.value(node.format_spec, scope) if node.format_spec else ""
        if not isinstance(spec, str) or len(spec) > 12 or any(len(run) > 3 for run in spec.split(".")):
            return unknown(inner)
        return self._computed(lambda: format(repr(inner) if node.conversion == 114 else inner, spec))

    def _binop(self, node: ast.BinOp, scope: Scope) -> Any:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if isinstance(left, FileFacet) and left.kind == "mode" and isinstance(node.op, ast.BitAnd):
            full = right in (0o777, 0o7777) or not isinstance(right, int)
            return left if full else FileFacet("executable", left.artefact, left.extra)
        if isinstance(left, Name) and left.dotted.startswith("re.") and isinstance(right, Name | int):
            return Name(left.dotted) if isinstance(right, Name) and "I" in left.dotted.rsplit(".")[-1][:1] else right
        act = _ARITHMETIC.get(type(node.op))
        if isinstance(left, PurePosixPath) and isinstance(node.op, ast.Div) and isinstance(right, str | PurePosixPath):
            return left / right
        if isinstance(node.op, ast.Sub) and (isinstance(left, Shape) or isinstance(right, Shape)):
            return Difference(left, right)
        if act is None or not (is_plain(left) and is_plain(right)) or _huge(node.op, left, right):
            if isinstance(left, list) and isinstance(right, list) and isinstance(node.op, ast.Add):
                return left + right
            return unknown(left, right)
        return self._computed(act, left, right)

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> Any:
        if isinstance(node.op, ast.Not):
            return self._condition(node, scope)
        inner = self.value(node.operand, scope)
        if isinstance(node.op, ast.USub) and isinstance(inner, int | float):
            return -inner
        return unknown(inner)

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:
        return self._condition(node, scope)

    def _boolop(self, node: ast.BoolOp, scope: Scope) -> Any:
        if isinstance(node.op, ast.Or):
            for part in node.values:
                found = self.value(part, scope)
                if isinstance(found, Shape | Facet | Mapped | FileFacet):
                    return found if not isinstance(part, ast.Compare) else self._condition(node, scope)
        return self._condition(node, scope)

    def _condition(self, node: ast.expr, scope: Scope) -> Any:
        known = self.truth(node, scope)
        return Deferred(node, dict(scope)) if known is None else known

    def _ifexp(self, node: ast.IfExp, scope: Scope) -> Any:
        return self.value(node.body if self.truth(node.test, scope) is not False else node.orelse, scope)

    def _namedexpr(self, node: ast.NamedExpr, scope: Scope) -> Any:
        scope[node.target.id] = found = self.value(node.value, scope)
        return found

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Any:
        return Function(node, scope)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        owner = self.value(node.value, scope)
        match owner:
            case Name(dotted):
                return Name(f"{dotted}.{node.attr}")
            case Instance(members, attributes):
                found = attributes.get(node.attr, members.get(node.attr, Unknown()))
                return Function(found.node, found.scope, owner) if isinstance(found, Function) else found
            case PurePosixPath():
                return self._computed(getattr, owner, node.attr) if node.attr in {
                    "name", "parent", "suffix", "stem", "parts"} else Unknown()
            case _:
                return self.attribute(owner, node.attr)

    @abstractmethod
    def attribute(self, owner: Any, name: str) -> Any:
        """An attribute of what is no plain object."""

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        owner = self.value(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            return self._sliced(owner, node.slice, scope)
        index = self.value(node.slice, scope)
        if isinstance(owner, Name):
            return Unknown()
        return self.picked(owner, index)

    def picked(self, owner: Any, index: Any) -> Any:
        """``owner[index]``."""
        match owner, index:
            case Shape(born="text"), int():
                return unknown(owner)
            case Shape(born="table"), str():
                return Mapped(owner, owner.element().key(index))
            case Shape(), str():
                return owner.key(index)
            case Shape(), int() if not isinstance(index, bool):
                return owner.item(index)
            case Shape(), _:
                return owner.element() if not isinstance(index, Shape) else unknown(owner, index)
            case Mapped(over, value, ()), int() if value is over.each:
                return over.item(index)
            case Mapped(over, value, _), _:
                return value
            case Pairs(lines, separator), str():
                return lines.pairs.setdefault((separator, index), Shape(index))
            case (dict() | list() | tuple() | str()), _ if isinstance(index, str | int | float | bool | tuple):
                found = self._computed(operator.getitem, owner, index)
                return found
            case _:
                return unknown(owner, index)

    def _sliced(self, owner: Any, node: ast.Slice, scope: Scope) -> Any:
        low, high = self.value(node.lower, scope), self.value(node.upper, scope)
        if is_plain(owner) and is_plain(low) and is_plain(high) and isinstance(owner, str | list | tuple | bytes):
            return self._computed(operator.getitem, owner, slice(low, high))
        if isinstance(owner, FileFacet) and owner.kind == "mode":
            return owner
        if isinstance(owner, Mapped) and owner.value is owner.over.each and not owner.tests:
            owner = owner.over
        if isinstance(owner, Shape) and owner.born != "text" and isinstance(low, int) and low > 0 and high is None:
            for index in range(min(low, 3)):
                owner.item(index)
            owner.element()
            return owner
        if isinstance(owner, Shape) and owner.born != "text" and isinstance(high, int) and 0 < high <= 20 and not low:
            return [owner.item(index) for index in range(high)]
        return unknown(owner, low, high)

    def elements(self, value: Any) -> list[Any] | None:
        """What a loop over ``value`` visits, an element of a shape standing for all; None where that is not known."""
        match value:
            case list() | tuple() | set() | frozenset():
                return list(value if not isinstance(value, set | frozenset) else sorted(value, key=repr))[:_ITEMS]
            case dict():
                return list(value)[:_ITEMS]
            case str():
                return list(value)[:_ITEMS]
            case Shape() if value.born == "text" or value.kinds == {"text"}:
                return None
            case Shape():
                return [value.element()]
            case Mapped(_, inner):
                return [inner]
            case Facet("items", of):
                return [(unknown(of), of.element())]
            case Facet("values" | "sorted" | "distinct", of):
                return [of.element()]
            case FileFacet("handle", artefact) if artefact is not None:
                return [artefact.text.read("lines").element()]
            case _:
                return None

    @abstractmethod
    def keyed(self, over: Any, key: Any, value: Any) -> Any:
        """A dictionary with a key from every element."""

    def bind(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Assign to a name, a tuple of names, or an attribute."""
        match target:
            case ast.Name(id=name):
                scope[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for index, part in enumerate(parts):
                    inner = part.value if isinstance(part, ast.Starred) else part
                    if isinstance(value, list | tuple) and index < len(value):
                        self.bind(inner, value[index], scope)
                    elif isinstance(value, Shape) and value.born != "text" and not isinstance(part, ast.Starred):
                        if value.born in {"parts", "cells"} and not any(isinstance(p, ast.Starred) for p in parts):
                            value.sized(least=len(parts))
                        self.bind(inner, value.item(index), scope)
                    else:
                        self.bind(inner, unknown(value), scope)
            case ast.Attribute(value=owner, attr=name):
                holder = self.value(owner, scope)
                if isinstance(holder, Instance):
                    holder.attributes[name] = value
            case ast.Subscript(value=owner, slice=index):
                self._stored(owner, self.value(index, scope), value, scope)

    def _stored(self, owner: ast.expr, key: Any, value: Any, scope: Scope) -> None:
        holder = self.value(owner, scope)
        if not isinstance(holder, dict):
            return
        if isinstance(key, str | int | tuple) and is_plain(key):
            holder[key] = value
        elif isinstance(owner, ast.Name) and isinstance(key, Shape) and isinstance(scope.get("*loop*"), Shape):
            scope[owner.id] = self.keyed(scope["*loop*"], key, value)
        elif isinstance(owner, ast.Name):
            scope[owner.id] = unknown(key, value)

    def _computed(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """A plain computation; unknown where it fails or grows too large."""
        try:
            found = act(*arguments)
        except _WRONG:
            return unknown(*arguments)
        if isinstance(found, str | bytes | list | tuple) and len(found) > _LONGEST:
            return Unknown()
        return found


def _huge(kind: ast.operator, left: Any, right: Any) -> bool:
    """Whether a computation would make something large out of little."""
    if isinstance(left, int) and isinstance(right, int):
        return left.bit_length() + right.bit_length() > 512
    if isinstance(kind, ast.Mult):
        sizes = [len(v) if isinstance(v, str | bytes | list | tuple) else abs(v) if isinstance(v, int) else 1
                 for v in (left, right)]
        return any(isinstance(v, str | bytes | list | tuple) for v in (left, right)) and sizes[0] * sizes[1] > _LONGEST
    if isinstance(kind, ast.Mod) and isinstance(left, str | bytes):
        return any(len(run) > 3 for run in "".join(c if c.isdigit() else " " for c in str(left)).split())
    return False
