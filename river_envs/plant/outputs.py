"""The files that a reference left, read as what they are: JSON, a table, lines of text, a program, or bytes."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["json", "table", "lines", "program", "binary"]
_PROGRAMS = (".py", ".sh", ".bash", ".pl", ".rb", ".js", ".awk", ".c", ".go", ".rs")


@dataclass(frozen=True, eq=False)
class Output:
    """One file. ``value`` is the parsed value: any for JSON, a list of rows for a table, a list of lines for text."""

    path: str
    content: bytes
    mode: int
    kind: Kind
    value: Any = None
    delimiter: str = ","

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode("utf-8", "replace")

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def stem(self) -> str:
        """A Python identifier made of the name."""
        word = "".join(letter if letter.isalnum() else "_" for letter in self.name.rsplit(".", 1)[0]).strip("_").lower()
        return word if word and not word[0].isdigit() else f"output_{word}".rstrip("_")


def read_output(path: str, content: bytes, mode: int) -> Output:
    """What the file at ``path`` is."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return Output(path, content, mode, "binary")
    if "\0" in text:
        return Output(path, content, mode, "binary")
    if path.endswith(_PROGRAMS) or text.startswith("#!") or (mode & 0o100 and "." not in path.rsplit("/", 1)[-1]):
        return Output(path, content, mode, "program", text.splitlines())
    value = _json(text)
    if isinstance(value, (dict, list)):
        return Output(path, content, mode, "json", value)
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t")):
        if path.endswith(suffix):
            rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
            if len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
                return Output(path, content, mode, "table", rows, delimiter)
    return Output(path, content, mode, "lines", [line.rstrip() for line in text.splitlines() if line.strip()])


def has_header(output: Output) -> bool:
    """Whether the first row of a table names its columns: no cell of it is a number, some cell below is."""
    rows = output.value
    numeric = [_is_number(cell) for row in rows[1:] for cell in row]
    return not any(map(_is_number, rows[0])) and any(numeric)


def write_table(rows: list[list[str]], delimiter: str) -> bytes:
    """A table as text, as its delimiter says."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return buffer.getvalue().encode()


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
