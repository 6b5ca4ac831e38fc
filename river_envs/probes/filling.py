"""Filled-in answers: a stated form with values that nobody computed.

``impossible`` values are such that no right answer can have them: a name that stands nowhere, counts beyond any input,
the checksum of nothing, a year outside the data. ``plausible`` values pass checks of range and kind; two salts give
fillings that differ in every place, so that both cannot be right where one value is asked for.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Callable
from typing import Any, Final

from river_envs.environment import sha256
from river_envs.probes.fields import Field
from river_envs.probes.output_format import Format

Values = Callable[[Field, int], Any]
"""From a field and the number of the row (0 first) to a value."""

NOWHERE: Final = "zqvjxkwob"
"""A word that no text holds."""
BEYOND: Final = 987_654_321
"""A count beyond the size of any input that fits into an image."""
_NOTHING: Final = sha256(b"")
_ROWS: Final = 3
_SHARE = re.compile(r"\b(ratio|rate|fraction|share|probability|accuracy|score|precision|recall)\b")
_LENGTHS: Final = {"md5": 32, "sha1": 40, "sha-1": 40, "commit": 40}
_CHOICE = re.compile(r"[`\"']([A-Za-z][\w-]{0,24})[`\"']")


def impossible(field: Field, row: int) -> Any:
    """A value that no right answer can have in this place."""
    match field.type:
        case "integer":
            return BEYOND + row
        case "number":
            return BEYOND + row + 0.25
        case "boolean":
            return row % 2 == 0
        case "date":
            return f"1583-02-{row % 27 + 1:02d}"
        case "time":
            return f"{row % 24:02d}:59:59"
        case "hash":
            return _NOTHING[: _length(field)]
        case "address":
            return f"255.255.255.{250 - row % 200}"
        case "list":
            return [f"{NOWHERE}{row}"]
        case "object":
            return {f"{NOWHERE}{row}": BEYOND}
        case _:
            return f"{NOWHERE}{row or ''}"


def plausible(salt: int) -> Values:
    """Ordinary-looking values; another ``salt`` differs in every place."""

    def value(field: Field, row: int) -> Any:
        step = 2 * row + salt
        match field.type:
            case "integer":
                return 3 + 14 * salt + 2 * row
            case "number":
                share = bool(_SHARE.search(re.sub(r"[_\W]+", " ", f"{field.name} {field.about}").lower()))
                return round((0.11 + 0.4 * salt + 0.03 * row) % 1 if share else 2.25 + 31.5 * salt + row, 2)
            case "boolean":
                return bool(salt % 2)
            case "date":
                return f"202{3 + salt % 2}-0{step % 9 + 1}-1{step % 8 + 1}"
            case "time":
                return f"{(5 * step) % 24:02d}:{(7 * step) % 60:02d}:00"
            case "hash":
                return sha256(f"{salt} {row}".encode())[: _length(field)]
            case "address":
                return f"10.{salt}.7.{row + 11}"
            case "list":
                return [f"{_word(field, salt, row)}"]
            case "object":
                return {_word(field, salt, row): 3 + 14 * salt}
            case _:
                return _word(field, salt, row)

    return value


def _word(field: Field, salt: int, row: int) -> str:
    choices: list[str] = list(dict.fromkeys(_CHOICE.findall(field.about))) or re.findall(
        r"\w[\w-]*(?=[|/])|(?<=[|/])\w[\w-]*", field.about
    )
    if len(choices) > 1:
        return choices[(salt + row) % len(choices)]
    return ("alpha", "bravo", "carol", "delta", "erin", "frank", "golf", "hotel")[(3 * salt + row) % 8]


def _length(field: Field) -> int:
    text = f"{field.name} {field.about}".lower()
    stated = re.search(r"\b(\d{1,3})[- ](?:hex|digit|character)", text)
    if stated:
        return int(stated.group(1))
    return next((length for word, length in _LENGTHS.items() if word in text), 64)


def fill(form: Format, values: Values) -> str:
    """The form with ``values`` in its places."""
    rows = form.count or _ROWS
    match form.kind:
        case "json":
            return json.dumps(_json(form, values, rows), indent=2) + "\n"
        case "csv":
            return _csv(form, values, rows)
        case "lines":
            if form.count and form.count == len(form.fields):
                return _line(form, values, 0) + "\n"
            return "".join(_line(form, values, row) + "\n" for row in range(rows))
        case _:
            return _line(form, values, 0) + "\n"


def _json(form: Format, values: Values, rows: int) -> Any:
    if not form.listed:
        return {field.name: values(field, 0) for field in form.fields}
    items = [{field.name: values(field, row) for field in form.fields} for row in range(rows)]
    return {form.below: items} if form.below else items


def _csv(form: Format, values: Values, rows: int) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=form.separator, lineterminator="\n")
    if form.header:
        writer.writerow([field.name for field in form.fields])
    for row in range(rows):
        writer.writerow([_text(values(field, row), field) for field in form.fields])
    return buffer.getvalue()


def _line(form: Format, values: Values, row: int) -> str:
    jsonl = form.template.startswith('{"')
    line = form.template
    for field in form.fields:
        value = values(field, row)
        line = line.replace("{" + field.name + "}", json.dumps(value) if jsonl else _text(value, field))
    return line


def _text(value: Any, field: Field) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        digits = re.search(r"(\w+) decimals?", field.about)
        return f"{value:.{int(digits.group(1))}f}" if digits and digits.group(1).isdigit() else f"{value:.2f}"
    if isinstance(value, list | dict):
        return ";".join(str(item) for item in value)
    return str(value)


def rows_script(form: Format, source: str, target: str, values: Values) -> str:
    """A shell script that writes one row for each row of ``source``: its first column, then constant ``values``.

    A form with one field gets the constant alone. The header of ``source`` is skipped: where the output has one, and
    in every CSV file.
    """
    separator = "\t" if source.endswith(".tsv") else ","
    cells = [_text(values(field, 0), field) for field in form.fields]
    first = "$1" if len(cells) > 1 else _awk(cells[0])
    body = f" {_awk(form.separator)} ".join([first, *(_awk(cell) for cell in cells[1:])])
    headed = form.header and form.kind == "csv"
    skip = "NR > 1 " if headed or source.endswith(".csv") else ""
    begin = f"BEGIN {{ print {_awk(form.separator.join(field.name for field in form.fields))} }} " if headed else ""
    program = f"{begin}{skip}{{ print {body} }}"
    return f"awk -F {shlex.quote(separator)} {shlex.quote(program)} {shlex.quote(source)} > {shlex.quote(target)}"


def _awk(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'
