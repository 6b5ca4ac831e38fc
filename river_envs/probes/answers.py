"""Altered answers: the same form, other values.

``alter`` changes the values of an example and keeps its form: keys, headers, separators, number of lines, types, and
the validity of dates, times and addresses. Values that the instruction states elsewhere are kept: they are dictated,
not asked for. Altering is deterministic; two salts give two answers that exclude each other wherever one value is
asked for.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

Scope = Literal["all", "numbers", "near"]

_DATE = r"\d{4}-\d{2}-\d{2}"
_TIME = r"\d{2}:\d{2}(?::\d{2})?"
_ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"
_HEX = r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b"
_NUMBER = r"(?<![A-Za-z0-9_.])-?\d+(?:\.\d+)?(?![A-Za-z0-9_])"
_VALUE = re.compile(
    "|".join(
        f"(?P<{name}>{pattern})"
        for name, pattern in (
            ("date", _DATE),
            ("time", _TIME),
            ("address", _ADDRESS),
            ("hex", _HEX),
            ("number", _NUMBER),
        )
    )
)
_WORD = re.compile(r"[A-Za-z]{2,}")
_PAIR = re.compile(r"^(\s*[\w .\"'-]+?\s*[:=]\s*)(.+)$")


def alter(text: str, *, stated: str = "", scope: Scope = "all", salt: int = 1, table: bool = False) -> str:
    """``text`` with its values altered.

    ``stated`` is the prose around the example: numbers and words in it are kept. ``scope`` "numbers" leaves words
    alone; "near" does too, and keeps each number in its range (a percentage stays one), at least a fifth away.
    ``table`` keeps the first line (a header). The result may equal ``text`` when it holds no value.
    """
    try:
        value = json.loads(text)
    except ValueError:
        lines = text.split("\n")
        start = 1 if table and len(lines) > 2 else 0
        return "\n".join(lines[:start] + [_line(line, stated, scope, salt) for line in lines[start:]])
    if not isinstance(value, dict | list):
        return _line(text, stated, scope, salt)
    indent = 2 if "\n" in text.strip() else None
    return json.dumps(_tree(value, stated, scope, salt), indent=indent) + "\n"


def _tree(value: Any, stated: str, scope: Scope, salt: int) -> Any:
    match value:
        case dict():
            return {key: _tree(item, stated, scope, salt) for key, item in value.items()}
        case list():
            return [_tree(item, stated, scope, salt) for item in value]
        case bool():
            return (not value) if scope == "all" else value
        case int() | float():
            text = repr(value)
            return value if _is_stated(text, stated) else json.loads(_number(text, salt, scope))
        case str():
            return _text(value, stated, scope, salt)
        case _:
            return value


def _line(line: str, stated: str, scope: Scope, salt: int) -> str:
    pair = _PAIR.match(line)
    if pair:
        return pair.group(1) + _text(pair.group(2), stated, scope, salt)
    return _text(line, stated, scope, salt)


def _text(text: str, stated: str, scope: Scope, salt: int) -> str:
    pieces, position = [], 0
    for match in _VALUE.finditer(text):
        pieces.append(_words(text[position : match.start()], stated, scope, salt))
        value = match.group()
        pieces.append(value if _is_stated(value, stated) else _altered(match, salt, scope))
        position = match.end()
    pieces.append(_words(text[position:], stated, scope, salt))
    return "".join(pieces)


def _words(text: str, stated: str, scope: Scope, salt: int) -> str:
    if scope != "all":
        return text
    return _WORD.sub(
        lambda match: match.group() if _is_stated(match.group(), stated) else _word(match.group(), salt), text
    )


def _is_stated(value: str, stated: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w]|\.\d)", stated) is not None


def _altered(match: re.Match[str], salt: int, scope: Scope) -> str:
    value = match.group()
    match match.lastgroup:
        case "date":
            return f"{int(value[:4]) + 3 * salt:04d}-{int(value[5:7]) % 12 + 1:02d}-{int(value[8:]) % 28 + 1:02d}"
        case "time":
            parts = [(int(part) + 7 * salt) % (24 if index == 0 else 60) for index, part in enumerate(value.split(":"))]
            return ":".join(f"{part:02d}" for part in parts)
        case "address":
            return ".".join(str((int(part) + 17 * salt) % 251 + 1) for part in value.split("."))
        case "hex":
            return "".join(f"{(int(digit, 16) + 5 * salt) % 16:x}" for digit in value)
        case _:
            return _number(value, salt, scope)


def _number(value: str, salt: int, scope: Scope) -> str:
    """Another number of the same kind; a fraction between 0 and 1 stays one."""
    if scope == "near" and re.fullmatch(r"-?\d+(\.\d+)?", value):
        return _near(value)
    if re.fullmatch(r"-?\d+", value):
        return str(int(value) * 3 + 11 * salt + 2 if not value.startswith("-") else int(value) * 3 - 11 * salt)
    if not re.fullmatch(r"-?\d+\.\d+", value):
        return str(float(value) * 3 + salt)
    digits = len(value.split(".")[1])
    number = float(value)
    moved = (number + 0.381 * salt) % 1 if 0 <= number < 1 else number * 3 + 1.7 * salt
    return f"{moved:.{digits}f}"


def _near(value: str) -> str:
    """A number of the same length, sign and, up to 100, range."""
    digits = len(value.partition(".")[2])
    number = abs(float(value))
    whole = digits == 0
    middle = 50 if number > 1 or whole else 0.5
    step = (1 + number // 4) if whole else number * 0.25 + 10.0**-digits
    moved = number + step if number <= middle else number - step
    return f"{'-' if value.startswith('-') else ''}{moved:.{digits}f}"


def _word(word: str, salt: int) -> str:
    """A word of the same length and case that means nothing."""
    moved = "".join(
        chr((ord(letter.lower()) - 97 + 3 + salt * (index + 2)) % 26 + 97) for index, letter in enumerate(word)
    )
    if word.isupper():
        return moved.upper()
    return moved.capitalize() if word[0].isupper() else moved
