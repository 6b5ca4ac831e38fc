"""What an expression of a test stands for while it is read: a plain Python value, a shape, or one of these."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

from river_envs.synthesis.shapes import Artefact, Pattern, Shape

Scope = dict[str, Any]
"""Names to what they stand for."""


@dataclass(frozen=True)
class Unknown:
    """Nobody can tell without running the test; ``about`` are the shapes that went in."""

    about: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class Facet:
    """One aspect of a shape: len, keys, values, header, sum, sorted, distinct (the set of it)."""

    kind: str
    of: Shape
    extra: Any = None


@dataclass(frozen=True)
class Mapped:
    """A list made from the elements of ``over``: ``value`` for each; ``tests`` are the conditions that filter it."""

    over: Shape
    value: Any
    tests: tuple[Deferred, ...] = ()


@dataclass(frozen=True)
class Deferred:
    """A condition whose truth depends on shapes: its expression and the names it sees."""

    node: ast.expr
    scope: Scope = field(hash=False, compare=False)


@dataclass(frozen=True)
class Matched:
    """The result of matching a text."""

    shape: Shape
    pattern: Pattern
    all: bool = False


@dataclass(frozen=True)
class FileFacet:
    """One aspect of a file: exists, size, mode, stat, handle, executable, directory."""

    kind: str
    artefact: Artefact | None
    extra: str = ""


@dataclass(frozen=True)
class Difference:
    """One value minus another."""

    left: Any
    right: Any


@dataclass(frozen=True)
class Ran:
    """A program that was run: of ours when ``artefact`` is one."""

    artefact: Artefact | None


@dataclass(frozen=True)
class Pairs:
    """A dictionary made from lines of a text: the part before ``separator`` is the key."""

    lines: Shape
    separator: str


@dataclass(frozen=True)
class Function:
    """A function of the tests. ``owner`` is bound to its first argument."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope = field(hash=False, compare=False)
    owner: Any = None


@dataclass(eq=False)
class Instance:
    """An object of a class of the tests: methods and constants of the class, attributes set on the object."""

    members: dict[str, Any]
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Name:
    """A name that is not defined in the tests: a module, a builtin, or a part of one, by its dotted name."""

    dotted: str


class Left(Exception):
    """The function being read returned."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Beyond(Exception):
    """Reading costs more than it may."""


PLAIN: Final = (str, bytes, int, float, bool, type(None), PurePosixPath)


def is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a value is an ordinary one, all the way down."""
    if isinstance(value, PLAIN):
        return True
    if depth > 6:
        return False
    if isinstance(value, list | tuple | set | frozenset):
        return all(is_plain(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return all(is_plain(item, depth + 1) for pair in value.items() for item in pair)
    return False


def shapes_in(value: Any, depth: int = 0) -> tuple[Shape, ...]:
    """The shapes that a value holds or depends on."""
    match value:
        case Shape():
            return (value,)
        case Unknown(about):
            return about
        case Facet(_, of):
            return (of,)
        case Mapped(over, inner):
            return (over, *shapes_in(inner, depth + 1))
        case Matched(shape):
            return (shape,)
        case Pairs(lines):
            return (lines,)
        case Difference(left, right):
            return (*shapes_in(left, depth + 1), *shapes_in(right, depth + 1))
        case Ran(artefact):
            return (artefact.printed,) if artefact is not None and artefact.printed is not None else ()
        case FileFacet(_, artefact):
            return (artefact.text,) if artefact is not None else ()
        case Deferred(node, scope):
            return tuple(s for name in ast.walk(node) if isinstance(name, ast.Name)
                         for s in shapes_in(scope.get(name.id), depth + 1)) if depth < 3 else ()
        case list() | tuple() | set() | frozenset() | dict():
            items = list(value.values() if isinstance(value, dict) else value)[:50]
            return tuple(s for item in items for s in shapes_in(item, depth + 1)) if depth < 4 else ()
        case _:
            return ()


def unknown(*values: Any) -> Unknown:
    """Something that depends on ``values`` in a way that cannot be told."""
    return Unknown(tuple(dict.fromkeys(s for value in values for s in shapes_in(value))))
