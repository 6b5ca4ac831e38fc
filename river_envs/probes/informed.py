"""Values taken from the inputs: names, addresses and dates that do occur there, so that a check for known ones passes.

What is taken for two salts shares nothing, so that two fillings exclude each other even where they are compared as
sets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from river_envs.probes.base import Survey
from river_envs.probes.fields import Field
from river_envs.probes.filling import Values, plausible

WINDOW = 3
_KINDS = {
    "address": re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])"),
    "date": re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)"),
}


def informed(survey: Survey, inputs: Sequence[str], salt: int) -> Values:
    """Like ``plausible``, with texts, addresses and dates that stand in ``inputs`` where those were read."""
    usual = plausible(salt)
    texts = tuple(peek.text for path in inputs if (peek := survey.peek(path)) is not None)

    def value(field: Field, row: int) -> Any:
        known = _known(texts, field) if field.type in {"text", "address", "date"} else ()
        width = min(WINDOW, len(known) // 2)
        if not width:
            return usual(field, row)
        return known[width * (salt % 2) + row % width]

    return value


@lru_cache(maxsize=256)
def _known(texts: tuple[str, ...], field: Field) -> tuple[str, ...]:
    """Different values for ``field`` in ``texts``, in order of appearance: at most two windows of them."""
    found: dict[str, None] = {}
    for text in texts:
        if field.type in _KINDS:
            found.update(dict.fromkeys(_KINDS[field.type].findall(text)))
        else:
            found.update(dict.fromkeys(_column(text, field.name)))
            name = re.escape(field.name)
            found.update(dict.fromkeys(re.findall(rf"[\"']?\b{name}[\"']?\s*[:=]\s*[\"']?([\w.@/-]{{1,60}})", text)))
    return tuple(found)[: 2 * WINDOW]


def _column(text: str, name: str) -> list[str]:
    """The values of the column that is called like ``name``, where ``text`` is a table with a header."""
    head, _, rest = text.partition("\n")
    separator = next((mark for mark in ("\t", ";", ",") if mark in head), "")
    if not separator:
        return []
    titles = [title.strip().lower() for title in head.split(separator)]
    wanted = name.lower()
    at = next((i for i, title in enumerate(titles) if title == wanted), None)
    if at is None:
        alike = (i for i, title in enumerate(titles) if len(title) > 2 and (title in wanted or wanted in title))
        at = next(alike, None)
    if at is None:
        return []
    rows = (line.split(separator) for line in rest.splitlines()[:200])
    cells = (row[at].strip().strip('"') for row in rows if len(row) == len(titles))
    return [cell for cell in cells if 0 < len(cell) <= 60]
