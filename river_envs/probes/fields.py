"""The places of an output: keys and columns that the prose names, with the likely type of each value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Type = Literal["integer", "number", "text", "boolean", "date", "time", "list", "object", "hash", "address"]


@dataclass(frozen=True)
class Field:
    """One place in an output: a key or column, the type of its value, the words that describe it, and the placeholder
    that the instruction prints there.
    """

    name: str
    type: Type
    about: str = ""
    shown: str = ""


_BULLET = re.compile(
    r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?:\*\*)?[`\"']([A-Za-z_][\w.-]*)[`\"'](?:\*\*)?[ \t]*"
    r"(?:\(([^)]*)\))?[ \t]*(?:[:,–—-]|is\b|=)?[ \t]*(.*)$",
    re.MULTILINE,
)
_CELLS = re.compile(r"^[ \t]*\|[ \t]*[`\"']([A-Za-z_][\w.-]*)[`\"'][ \t]*\|(.*)$", re.MULTILINE)
_NAMED = re.compile(
    r"\b(?:keys?|fields?|columns?|numbers|attributes|properties|header(?: line| row)?|entries)\b(?: (?:are|is|of|named"
    r"|called|line|row|must be|should be))*[:\s(]*((?:(?:[`\"'][^`\"'\n]{1,120}[`\"']|[a-z]\w*_\w+)(?:\s*\([^)]*\))?"
    r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*/\s*)?)+)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\b(?:keys|fields|columns|header(?: line| row)?)\b(?: (?:are|is))?\s*:?\s*((?:[A-Za-z_]\w*\s*,\s*)+(?:and\s+)?\w+)"
)
_TYPED = re.compile(r"[`\"']([A-Za-z_]\w*)[`\"']\s*\(([^)]*)\)")
_HOLDS = re.compile(
    r"\b(?:with|containing|contains|including|holding|holds|has|have)\b[^`\n.]{0,30}"
    r"((?:`[A-Za-z_][\w.-]*`(?:\s*\([^)]*\))?(?:\s*,\s*(?:and\s+)?|\s+and\s+)?){2,})"
)


def fields_of(about: str) -> tuple[Field, ...]:
    """The fields that lists, tables or sentences of ``about`` name, in order of appearance."""
    bullets = [(m.group(1), f"{m.group(2) or ''} {m.group(3)}") for m in _BULLET.finditer(about)]
    bullets = bullets or [(m.group(1), m.group(2)) for m in _CELLS.finditer(about)]
    found: dict[str, str] = {}
    spoken = ""
    for match in _NAMED.finditer(about):
        for code in re.findall(r"[`\"']([^`\"'\n]+)[`\"']|([a-z]\w*_\w+)", match.group(1)):
            found.update(dict.fromkeys(_names(code[0] or code[1]), ""))
        if match.group().lower().startswith("numbers"):
            spoken = "decimals"
        if len(found) > 1:
            break
    if not found and not bullets:
        bare = _BARE.search(about)
        found.update(dict.fromkeys(_names(bare.group(1)) if bare else (), ""))
    if not found and not bullets:
        typed, holds = _TYPED.findall(about), _HOLDS.search(about)
        if len(typed) > 1:
            found.update(typed)
        elif holds:
            found.update(dict.fromkeys(re.findall(r"`([^`]+)`", holds.group(1)), ""))
    found.update(bullets)
    return tuple(
        Field(name, kind_of(name, words or _said(about, name) or spoken), words) for name, words in found.items()
    )


def columns(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Columns of which nothing is known hold digits, behind the first: digits can be read as text, too."""
    return tuple(
        Field(field.name, "integer", field.about) if index and field.type == "text" and not field.about else field
        for index, field in enumerate(fields)
    )


def _names(code: str) -> list[str]:
    pieces = re.split(r"\s*(?:,|;|\t|\\t|\band\b)\s*", code.strip())
    return [piece for piece in pieces if re.fullmatch(r"[A-Za-z_][\w -]{0,40}", piece)]


def _said(about: str, name: str) -> str:
    """The words behind a later mention of a key ("`orders` is the number of ...")."""
    said = rf"[`\"']{re.escape(name)}[`\"'](?:\s*\(([^)]*)\)|(?:\s*:| is| are| holds)\s+([^.;,\n]*)|, (an? [^.;,\n]*))"
    match = re.search(said, about)
    return next((group for group in match.groups() if group), "") if match else ""


_TYPES: tuple[tuple[Type, str], ...] = (
    ("boolean", r"\b(true|false|boolean|bool|whether)\b"),
    ("hash", r"\b(sha-?\d*|md5|checksum|digest|hash|hex\w*)\b"),
    ("list", r"\b(list|array)\b"),
    ("object", r"\b(object|mapping|dict\w*|map)\b"),
    ("date", r"\b(date|day of|yyyy-mm-dd)\b"),
    ("time", r"\b(hh:mm|time of day)\b"),
    (
        "number",
        r"\b(mean|average|avg|median|ratio|rate|percent\w*|pct|fraction|decimals?|float|amount|revenue|price|score|std"
        r"|deviation|amplitude|number from|probability|accuracy|real)\b(?! of)",
    ),
    (
        "integer",
        r"\b(number|count\w*|how (?:many|much|long)|total\w*|sum|integer|int|minutes?|seconds?|days?|bytes?|size"
        r"|highest|largest|maximum|max|min|lowest|num|id|port|line|cents|ms|year|failures|errors|requests|orders)\b",
    ),
    ("address", r"\b(ip|address)\b"),
)


def kind_of(name: str, about: str = "") -> Type:
    """The likely type of the value called ``name`` and described by ``about``."""
    for text in (about.lower(), re.sub(r"[_\W]+", " ", name).lower()):
        for kind, pattern in _TYPES:
            if text.strip() and re.search(pattern, text):
                return kind
    return "text"
