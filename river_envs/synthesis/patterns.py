"""Strings that match a regular expression, the same on every machine.

Own code, because the libraries that do this (rstr, exrex, hypothesis) draw from sets in hash order, use every printable
character, or give other strings after an update: an attempt's identity must not depend on any of that. Patterns come
from tests and are hostile: what could take long to match is refused.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

LONGEST: Final = 400
"""Characters of the longest pattern that is read."""
_ANY: Final = string.ascii_lowercase
_CATEGORIES: Final = {
    op.CATEGORY_DIGIT: "23456789",
    op.CATEGORY_NOT_DIGIT: _ANY,
    op.CATEGORY_SPACE: " ",
    op.CATEGORY_NOT_SPACE: _ANY,
    op.CATEGORY_WORD: _ANY,
    op.CATEGORY_NOT_WORD: "-",
}
_MANY: Final = 9
_WIDE: Final = (op.CATEGORY_WORD, op.CATEGORY_NOT_SPACE, op.CATEGORY_NOT_DIGIT)
_LONGEST_TEXT: Final = 400
_MOST_STEPS: Final = 30_000_000


class Unreadable(Exception):
    """A pattern that is no regular expression, too long, or dangerous to match."""


def parsed(pattern: str) -> Any:
    """The syntax tree of ``pattern``. Raises Unreadable."""
    if len(pattern) > LONGEST:
        raise Unreadable("too long")
    try:
        re.compile(pattern)
        tree = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError, ValueError) as error:
        raise Unreadable(str(error)) from error
    if _nested(tree):
        raise Unreadable("repeats within repeats")
    return tree


def _nested(tree: Any, inside: bool = False) -> bool:
    """Whether an open-ended repeat stands inside another one: matching could take for ever."""
    for code, value in tree:
        repeats = code in {op.MAX_REPEAT, op.MIN_REPEAT} and value[1] > _MANY
        if (repeats and inside) or any(_nested(part, inside or repeats) for part in _parts(code, value)):
            return True
    return False


def _parts(code: Any, value: Any) -> list[Any]:
    if code is op.BRANCH:
        return list(value[1])
    if code is op.SUBPATTERN:
        return [value[3]]
    if code in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
        return [value[2]]
    if code in {op.ASSERT, op.ASSERT_NOT}:
        return [value[1]]
    return [value] if code is op.ATOMIC_GROUP else []


def matching(pattern: str, seed: str) -> str:
    """A short string that ``pattern`` describes; another ``seed`` gives another where there is room. Look-arounds are
    left out, so that a caller must check. Raises Unreadable.
    """
    return _Writer(random.Random(seed)).sequence(parsed(pattern))


class _Writer:
    """Walks a pattern's tree and writes one string."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.groups: dict[int, str] = {}

    def sequence(self, tree: Any) -> str:
        return "".join(self.part(code, value) for code, value in tree)

    def part(self, code: Any, value: Any) -> str:
        if code is op.LITERAL:
            return chr(value)
        if code is op.NOT_LITERAL:
            return self.choice([c for c in _ANY if ord(c) != value])
        if code is op.ANY:
            return self.choice(list(_ANY))
        if code is op.IN:
            return self.choice(_members(value))
        if code is op.BRANCH:
            return self.sequence(self.source.choice(value[1]))
        if code is op.SUBPATTERN:
            text = self.sequence(value[3])
            if value[0] is not None:
                self.groups[value[0]] = text
            return text
        if code in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
            low, high, tree = value
            top = min(int(high), low + (5 if low else 2))
            low = max(low, min(3, top)) if high > _MANY and low else low
            return "".join(self.sequence(tree) for _ in range(self.source.randint(low, max(low, top))))
        if code is op.ATOMIC_GROUP:
            return self.sequence(value)
        if code is op.GROUPREF:
            return self.groups.get(value, "")
        return ""

    def choice(self, characters: list[str]) -> str:
        return self.source.choice(characters) if characters else ""


def _members(items: Any) -> list[str]:
    """The characters of a class, ordinary ones first; at most a few hundred."""
    found: dict[str, None] = {}
    for code, value in items:
        if code is op.LITERAL:
            found.setdefault(chr(value))
        elif code is op.RANGE:
            found.update(dict.fromkeys(chr(number) for number in range(value[0], min(value[1], value[0] + 200) + 1)))
        elif code is op.CATEGORY:
            found.update(dict.fromkeys(_CATEGORIES.get(value, _ANY)))
    if items and items[0][0] is op.NEGATE:
        return [character for character in _ANY + string.digits if character not in found]
    plain = [character for character in found if character.isalnum()]
    return plain or list(found)


def fixed(pattern: str) -> tuple[str, ...]:
    """The literal text in ``pattern``, piece by piece, wherever it is not one of several alternatives. Raises
    Unreadable.
    """
    pieces: list[str] = []
    _collect(parsed(pattern), pieces)
    return tuple(piece for piece in ("".join(run) for run in _runs(pieces)) if piece.strip())


def _collect(tree: Any, pieces: list[str]) -> None:
    for code, value in tree:
        if code is op.LITERAL:
            pieces.append(chr(value))
            continue
        if code is op.AT:
            continue
        pieces.append("")
        for part in () if code is op.BRANCH and len(value[1]) > 1 else _parts(code, value):
            _collect(part, pieces)
        pieces.append("")


def _runs(pieces: list[str]) -> Iterator[list[str]]:
    run: list[str] = []
    for piece in [*pieces, ""]:
        if piece:
            run.append(piece)
        elif run:
            yield run
            run = []


def matches(pattern: str, how: str, text: str, flags: int = 0) -> bool:
    """Whether ``text`` (short, our own) is matched; False for what is not read."""
    try:
        wide = _wide(parsed(pattern))
    except Unreadable:
        return False
    if len(text) > _LONGEST_TEXT or len(text) ** wide > _MOST_STEPS:
        return False
    ways: dict[str, Callable[..., Any]] = {"match": re.match, "fullmatch": re.fullmatch}
    return ways.get(how, re.search)(pattern, text, flags) is not None


def _wide(tree: Any) -> int:
    """How many open-ended repeats of almost any character a pattern holds: each multiplies the ways to match."""
    count = 0
    for code, value in tree:
        if code in {op.MAX_REPEAT, op.MIN_REPEAT} and value[1] > _MANY:
            first, inside = value[2][0] if len(value[2]) else (None, ())
            members = inside if first is op.IN else ()
            count += first is op.ANY or any(c is op.NEGATE or v in _WIDE for c, v in members)
        count += sum(_wide(part) for part in _parts(code, value))
    return count
