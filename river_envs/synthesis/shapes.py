"""What tests demand of a file, as a shape: kinds, keys, elements, ranges, patterns, and what pins it to one value.

A shape grows while the tests are read. A text can be read in several ways (as JSON, as lines, as a table, split at a
separator); each way has a shape of its own. ``pinned`` and ``unknown`` mark places where the tests know the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

KINDS: Final = frozenset(("text", "integer", "number", "boolean", "null", "object", "list"))


@dataclass(frozen=True)
class Pattern:
    """A regular expression that a text must match: ``how`` is match, fullmatch, search or line (search in some
    line). ``group`` and ``inner`` describe a group that is read on.
    """

    text: str
    how: str
    flags: int = 0


@dataclass(eq=False)
class Shape:
    """One place. ``name`` is the key, column or file name that it is known by; ``born`` tells a text that was read from
    a file, a value in JSON, or a cell of a table.
    """

    name: str = ""
    born: str = "text"
    kinds: set[str] = field(default_factory=set)
    keys: dict[str, Shape] = field(default_factory=dict)
    each: Shape | None = None
    items: dict[int, Shape] = field(default_factory=dict)
    some: list[Shape] = field(default_factory=list)
    pairs: dict[tuple[str, str], Shape] = field(default_factory=dict)
    readings: dict[tuple[str, str], Shape] = field(default_factory=dict)
    groups: dict[tuple[Pattern, int | str], Shape] = field(default_factory=dict)
    exact: bool = False
    header: tuple[str, ...] = ()
    ahead: int = 0
    least: int | None = None
    most: int | None = None
    low: float | None = None
    high: float | None = None
    numeric: str = ""
    dates: list[str] = field(default_factory=list)
    choices: list[tuple[Any, ...]] = field(default_factory=list)
    patterns: list[Pattern] = field(default_factory=list)
    contains: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    prefix: str = ""
    suffix: str = ""
    pinned: list[Any] = field(default_factory=list)
    unknown: int = 0
    order: str = ""
    distinct: bool = False
    like: tuple[str, Shape] | None = None

    def narrow(self, *kinds: str) -> None:
        """Allow only ``kinds``; a contradiction keeps what was there."""
        allowed = set(kinds)
        if "number" in allowed:
            allowed.add("integer")
        self.kinds = (self.kinds & allowed or self.kinds) if self.kinds else allowed

    def key(self, name: str) -> Shape:
        """The value below a key."""
        if not self.kinds or "object" in self.kinds:
            self.narrow("object")
        if name not in self.keys:
            self.keys[name] = Shape(name, "cell" if self.born == "row" else "json")
        return self.keys[name]

    def element(self) -> Shape:
        """What every element is."""
        if self.born == "json" and not self.kinds:
            self.narrow("list")
        if self.each is None:
            self.each = Shape(self.name, {"table": "row", "rows": "cells"}.get(self.born, self.born))
            if self.born == "lines" or self.born == "cells" or self.born == "parts":
                self.each.born = "text" if self.born != "cells" else "cell"
        return self.each

    def item(self, index: int) -> Shape:
        """The element at a position."""
        if self.born == "json" and not self.kinds:
            self.narrow("list")
        if index not in self.items:
            kind = {"table": "row", "rows": "cells", "cells": "cell", "lines": "text", "parts": "text"}
            self.items[index] = Shape(self.name, kind.get(self.born, self.born))
        return self.items[index]

    def read(self, how: str, detail: str = "") -> Shape:
        """The shape of this text read as ``how``: json, lines, table, rows, parts."""
        if (how, detail) not in self.readings:
            self.readings[(how, detail)] = Shape(self.name, how)
        return self.readings[(how, detail)]

    def bound(self, *, low: float | None = None, high: float | None = None) -> None:
        """Keep a number within bounds."""
        if low is not None:
            self.low = low if self.low is None else max(self.low, low)
        if high is not None:
            self.high = high if self.high is None else min(self.high, high)

    def sized(self, *, least: int | None = None, most: int | None = None) -> None:
        """Keep a length within bounds."""
        if least is not None:
            self.least = least if self.least is None else max(self.least, least)
        if most is not None:
            self.most = most if self.most is None else min(self.most, most)

    def below(self) -> Iterator[Shape]:
        """The shapes directly below this one."""
        yield from self.keys.values()
        yield from self.items.values()
        yield from self.some
        yield from self.pairs.values()
        yield from self.readings.values()
        yield from self.groups.values()
        if self.each is not None:
            yield self.each

    def walk(self) -> Iterator[Shape]:
        """This shape and all below it."""
        stack: list[Shape] = [self]
        while stack:
            shape = stack.pop()
            yield shape
            stack.extend(reversed(list(shape.below())))

    @property
    def asks(self) -> bool:
        """Whether anything beyond being there is demanded here or below."""
        return any(
            shape.kinds or shape.keys or shape.readings or shape.patterns or shape.contains or shape.pinned
            or shape.prefix or shape.suffix or shape.choices or shape.numeric or shape.dates or shape.unknown
            or shape.items or shape.some or shape.pairs or shape.low is not None or shape.high is not None
            for shape in self.walk()
        )


@dataclass(eq=False)
class Artefact:
    """A file that the tests look at: its text, what it must be, and, when they run it, what it prints."""

    path: str
    text: Shape
    kind: str = "file"
    mode: int | None = None
    executable: bool = False
    printed: Shape | None = None
    exits: set[str] = field(default_factory=set)
    size: int = 0


@dataclass(eq=False)
class Demands:
    """All artefacts by path, in the order in which the tests name them; ``beyond`` tells what could not be read."""

    artefacts: dict[str, Artefact] = field(default_factory=dict)
    beyond: list[str] = field(default_factory=list)
    asserts: int = 0
