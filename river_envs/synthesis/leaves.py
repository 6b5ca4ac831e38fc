"""Single values that meet a shape: numbers, dates, words, text of a pattern. Two salts give different ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from river_envs.environment import digest
from river_envs.synthesis.patterns import Unreadable, matches, matching
from river_envs.synthesis.shapes import Shape

_COUNT: Final = re.compile(
    r"count|total|number|^n_|^num|size|lines|rows|bytes|sum$|hits|^id$|seconds|minutes|amount|port|year|rank|index",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(
    r"rate|ratio|fraction|share|prob|score|accuracy|percent|mean|average|avg|median", re.IGNORECASE
)
_TRIES: Final = 40
_CONSONANTS: Final = "bdfgklmnprstvz"
_VOWELS: Final = "aeiou"


def word(*seed: object) -> str:
    """A word that means nothing, eight letters long."""
    number = int(digest(*[str(part) for part in seed])[:12], 16)
    letters = []
    for position in range(8):
        source = _VOWELS if position % 2 else _CONSONANTS
        letters.append(source[number % len(source)])
        number //= len(source)
    return "".join(letters)


def share(salt: int, *seed: object) -> float:
    """A number between 0.1 and 0.9: below one half for odd salts, above for even ones."""
    number = int(digest(salt, *[str(part) for part in seed])[:6], 16) / float(1 << 24)
    return (0.1 if salt % 2 else 0.55) + 0.35 * number


def kind_of(shape: Shape) -> str:
    """The kind that a value gets: what is demanded, else what the name suggests."""
    if shape.keys or (shape.each and "object" in shape.kinds):
        return "object"
    if shape.each or shape.items or shape.some:
        return "list"
    for kind in ("object", "list"):
        if shape.kinds == {kind}:
            return kind
    wordy = bool(
        shape.patterns or shape.contains or shape.prefix or shape.suffix or shape.dates or shape.numeric
        or shape.readings or any(isinstance(option, str) for row in shape.choices for option in row)
    )
    allowed = shape.kinds or ({"text"} if wordy else set())
    if not allowed and (shape.low is not None or shape.high is not None):
        allowed = {"integer", "number"}
    if not allowed:
        guess = "number" if _SHARE.search(shape.name) else "integer" if _COUNT.search(shape.name) else "text"
        return guess
    if {"integer", "number"} <= allowed:
        return "number" if _SHARE.search(shape.name) and not wordy else "integer"
    return next(kind for kind in ("text", "integer", "number", "boolean", "object", "list", "null") if kind in allowed)


def number(shape: Shape, salt: int, row: int, *, whole: bool) -> int | float:
    """A number within the bounds; rows differ, salts differ."""
    low, high = shape.low, shape.high
    if high is None and low is None and not whole and _SHARE.search(shape.name):
        low, high = 0.0, 1.0
    if high is None:
        start = (low or 0) + 3
        found: float = start + 14 * salt + 2 * row + 7 * share(salt, shape.name, row)
    elif low is None and (high > 3 or high <= 0):
        found = high - abs(high) * share(salt, shape.name, row) - (0 if high > 0 else 3 * salt + row)
    else:
        floor = low if low is not None else min(0, high - 1)
        found = floor + (high - floor) * share(salt, shape.name, row)
    if not whole:
        return round(found, 2) if abs(found) > 0.05 else found
    near = round(found)
    if low is not None and near < low:
        near += 1
    if high is not None and near > high:
        near -= 1
    return near


def text(shape: Shape, salt: int, row: int, options: Sequence[Any] = ()) -> tuple[str, bool]:
    """A text that meets the shape, and whether it does. ``options`` are the values that may be chosen from."""
    if options:
        return str(options[(salt + row) % len(options)]), True
    for attempt in range(_TRIES):
        found = _candidate(shape, salt, row, attempt)
        if fits(shape, found):
            return found, True
    return _candidate(shape, salt, row, 0), False


def _candidate(shape: Shape, salt: int, row: int, attempt: int) -> str:
    seed = f"{salt}/{shape.name}/{row}/{attempt}"
    if shape.patterns:
        wanted = shape.patterns[0]
        try:
            found = matching(wanted.text, seed)
        except Unreadable:
            found = word(seed)
    elif shape.dates:
        found = _date(shape.dates[0], salt, row)
    elif shape.numeric:
        found = str(number(shape, salt, row, whole=shape.numeric == "integer"))
    else:
        found = word(seed)
    missing = [piece for piece in shape.contains if piece.lower() not in found.lower()]
    found = " ".join([*missing, found])
    if shape.prefix and not found.startswith(shape.prefix):
        found = shape.prefix + found
    if shape.suffix and not found.endswith(shape.suffix):
        found += shape.suffix
    while shape.least is not None and len(found) < min(shape.least, 5000):
        found += " " + word(seed, len(found))
    return found[: max(shape.most, 0)] if shape.most is not None and not shape.patterns else found


def _date(form: str, salt: int, row: int) -> str:
    moment = datetime(2021 + salt % 2, 3, 4, 5, 6, 7, tzinfo=UTC) + timedelta(days=37 * salt + row, minutes=row)
    return moment.replace(tzinfo=None).isoformat() if form == "iso" else moment.strftime(form[:60])


def fits(shape: Shape, found: str) -> bool:
    """Whether a text meets the patterns (and what is asked of their groups) and holds nothing that it must not."""
    for pattern in shape.patterns:
        if not matches(pattern.text, pattern.how, found, pattern.flags):
            return False
    for (pattern, group), inner in shape.groups.items():
        if not _group_fits(pattern.text, pattern.how, pattern.flags, group, inner, found):
            return False
    return not any(piece and piece in found for piece in shape.lacks)


def _group_fits(pattern: str, how: str, flags: int, group: int | str, inner: Shape, found: str) -> bool:
    matched = (re.match if how == "match" else re.fullmatch if how == "fullmatch" else re.search)(pattern, found, flags)
    try:
        captured = matched.group(group) if matched else None
    except (IndexError, re.error):
        return False
    if captured is None:
        return False
    if inner.numeric:
        try:
            value = float(captured)
        except ValueError:
            return False
        return (inner.low is None or value >= inner.low) and (inner.high is None or value <= inner.high)
    return fits(inner, captured)
