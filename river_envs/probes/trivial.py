"""The trivial answer in an asked form: what would be right if there were nothing, or one of each, in the inputs."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from river_envs.probes import instruction as text
from river_envs.probes import leaks
from river_envs.probes.artefacts import stub
from river_envs.probes.fields import Field
from river_envs.probes.filling import fill
from river_envs.probes.output_format import Format


def shown(instruction: str, path: str, named: tuple[str, ...]) -> str | None:
    """The text that the instruction shows for an output, or None."""
    for block in text.blocks(instruction, named):
        if block.path == path and block.role in {"example", "unclear"}:
            return block.text
    name = path.rsplit("/", 1)[-1]
    for sentence in leaks.naming(instruction, name):
        for code in re.findall(r"`([^`\n]{2,300})`", sentence):
            header = path.endswith((".csv", ".tsv")) and re.fullmatch(r"[\w .]+(,[\w .]+)+", code)
            if code.startswith(("{", "[")) or header:
                return str(code) + "\n"
    return None


def reduced(example: str | None, path: str, number: int, word: str, *, rows: int) -> bytes:
    """An answer in the form of ``example``: every number ``number``, every word ``word``, lists and tables with
    ``rows`` entries. Without an example the least file of that name.
    """
    if example is None:
        if path.endswith((".csv", ".tsv", ".json")) or rows:
            return stub(path).content if path.endswith(".json") or rows else b""
        return f"{number}\n".encode() if path.endswith((".txt", ".out", ".dat")) else b""
    try:
        value = json.loads(example)
    except ValueError:
        return _text(example, path, number, word, rows).encode()
    return (json.dumps(_tree(value, number, word, rows), indent=2) + "\n").encode()


def nothing(form: Format) -> bytes:
    """The answer for no input at all in a form that the prose states: zeros, or no rows."""
    if form.kind == "json" and form.listed:
        return (json.dumps({form.below: []} if form.below else []) + "\n").encode()
    if form.kind == "csv":
        header = form.separator.join(field.name for field in form.fields)
        return f"{header}\n".encode() if form.header else b""
    if form.kind == "lines" and form.count != len(form.fields):
        return b""
    return fill(form, _nothing).encode()


def _nothing(field: Field, row: int) -> Any:
    return {"integer": 0, "number": 0.0, "boolean": False, "list": [], "object": {}}.get(field.type, "")


def _tree(value: Any, number: int, word: str, rows: int) -> Any:
    match value:
        case bool():
            return False
        case int():
            return number
        case float():
            return float(number)
        case str():
            return word
        case list():
            return [_tree(item, number, word, rows) for item in value[:rows]]
        case dict():
            return {key: _tree(item, number, word, rows) for key, item in value.items()}
        case _:
            return None


def _text(example: str, path: str, number: int, word: str, rows: int) -> str:
    lines = example.rstrip("\n").split("\n")
    if path.endswith((".csv", ".tsv")):
        separator = "\t" if path.endswith(".tsv") else ","
        cells = next(csv.reader(lines[1:2], delimiter=separator), [])
        row = separator.join(_cell(cell, number, word) for cell in cells)
        return "\n".join([lines[0], *([row] * rows if cells else [])]) + "\n"
    if all(re.match(r"^\s*[\w .-]+\s*[:=]", line) for line in lines if line.strip()):
        return "\n".join(_pair(line, number, word) for line in lines) + "\n"
    if len(lines) == 1:
        return _cell(lines[0], number, word) + "\n" if rows or re.fullmatch(r"-?[\d.]+", lines[0].strip()) else ""
    return "\n".join(_cell(line, number, word) for line in lines[:rows]) + ("\n" if rows else "")


def _cell(cell: str, number: int, word: str) -> str:
    stripped = cell.strip()
    if re.fullmatch(r"-?\d+", stripped):
        return str(number)
    decimals = re.fullmatch(r"-?\d+\.(\d+)", stripped)
    if decimals:
        return f"{number:.{len(decimals.group(1))}f}"
    return re.sub(r"\d+", str(number), stripped) if re.search(r"\d", stripped) else word


def _pair(line: str, number: int, word: str) -> str:
    match = re.match(r"^(\s*[\w .-]+\s*[:=]\s*)(.*)$", line)
    return match.group(1) + _cell(match.group(2), number, word) if match else line


def one_row(table: str, separator: str) -> str | None:
    """A table with its header and one row: 1 in every column of numbers, ``a`` in every other. None: no table."""
    rows = [row for row in csv.reader(table.splitlines()[:50], delimiter=separator) if row]
    if len(rows) < 2 or len(rows[0]) < 2:
        return None
    body = [row for row in rows[1:] if len(row) == len(rows[0])]
    if not body:
        return None
    columns = list(zip(*body, strict=True))
    row = [
        "1"
        if all(re.fullmatch(r"\s*-?\d+\s*", cell) for cell in column)
        else "1.0"
        if all(re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", cell) for cell in column)
        else column[0]
        if all(re.search(r"\d", cell) for cell in column)
        else "a"
        for column in columns
    ]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator, lineterminator="\n").writerows([rows[0], row])
    return buffer.getvalue()
