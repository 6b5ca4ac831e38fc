"""Files by type: what a file is, what it means when it is read, and where its single values stand.

Mutants change one value and nothing else, equivalents change everything but the values: both need to know which bytes
carry meaning. A type is only claimed when the whole content parses as that type.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["json", "jsonl", "csv", "tsv", "pairs", "code", "text", "binary"]

ROWS: frozenset[Kind] = frozenset({"csv", "tsv", "jsonl"})
TABLES: frozenset[Kind] = frozenset({"csv", "tsv"})
_CODE = frozenset(
    (  # noqa: SIM905 - one line is easier to read than thirty
        ".py .sh .bash .js .ts .rb .pl .c .h .cc .cpp .hpp .rs .go .java .lua .php .r .sql .awk .sed .mk .css .html"
    ).split()
)
_NAMES = frozenset({"makefile", "dockerfile", "rakefile", "gemfile", "cmakelists.txt", "justfile"})
_PAIR = re.compile(r"^(\s*[\w .\"'-]+?\s*(?:=|:(?!//))\s*)(\S.*?)?(\s*)$")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_JSON = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}\[\],:]|true|false|null')


@dataclass(frozen=True)
class Spot:
    """One value of a file: its text between ``start`` and ``end``, and the key or column that it belongs to.

    ``entry`` names the row or element that holds it: its own key, its first cell, its first value; "" where there is
    none.
    """

    key: str
    start: int
    end: int
    text: str
    entry: str = ""

    @property
    def number(self) -> bool:
        """Whether the value is a plain number."""
        return NUMBER.fullmatch(self.text) is not None


def kind_of(path: str, content: bytes) -> Kind:
    """The type of a file by its name and by what parses."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return "binary"
    if "\0" in text:
        return "binary"
    name = posixpath.basename(path).lower()
    suffix = posixpath.splitext(name)[1]
    if text.startswith("#!") or suffix in _CODE or name in _NAMES:
        return "code"
    if suffix in {".jsonl", ".ndjson"} and text.strip() and all(_parses(line) for line in text.splitlines() if line):
        return "jsonl"
    if text.lstrip()[:1] in {"{", "["} and _parses(text):
        return "json"
    if suffix in {".csv", ".tsv"} and _is_table(text, suffix):
        return "csv" if suffix == ".csv" else "tsv"
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", ";", "["))]
    return "pairs" if lines and all(_PAIR.match(line) for line in lines) else "text"


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_table(text: str, suffix: str) -> bool:
    try:
        rows = table(text, "csv" if suffix == ".csv" else "tsv")
    except csv.Error:
        return False
    return len(rows) > 1 and len(rows[0]) > 0 and len({len(row) for row in rows}) == 1


def table(text: str, kind: Kind) -> list[list[str]]:
    """The rows of a CSV or TSV, blank lines left out."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="," if kind == "csv" else "\t")
    return [row for row in reader if row]


def meaning(kind: Kind, path: str, content: bytes) -> Any:
    """What the file says, free of form: the parsed value, the rows, the syntax tree; the bytes where there is no
    better.
    """
    try:
        text = content.decode()
        match kind:
            case "json":
                return _typed(json.loads(text))
            case "jsonl":
                return [_typed(json.loads(line)) for line in text.splitlines() if line.strip()]
            case "csv" | "tsv":
                return table(text, kind)
            case "pairs":
                return [line.split() for line in text.splitlines() if line.strip()]
            case "code" if path.endswith(".py"):
                return ast.dump(ast.parse(text))
    except (ValueError, SyntaxError, RecursionError, csv.Error):
        pass  # what does not parse means its bytes
    return content


def _typed(value: Any) -> Any:
    """The value with types beside numbers and truth values, which Python takes for equal."""
    match value:
        case dict():
            return {key: _typed(item) for key, item in value.items()}
        case list():
            return [_typed(item) for item in value]
        case bool() | int() | float():
            return (type(value).__name__, value)
        case _:
            return value


def like(text: str, value: Any) -> str:
    """``value`` as JSON in the style in which ``text`` was written (indentation, separators, escapes, last line)."""
    old, end = json.loads(text), "\n" if text.endswith("\n") else ""
    styles: list[dict[str, Any]] = [
        {"indent": indent, "ensure_ascii": escaped, "separators": separators}
        for indent in (None, 2, 4, 1, "\t")
        for escaped in (True, False)
        for separators in (None, (",", ":"))
    ]
    style = next((style for style in styles if json.dumps(old, **style) == text.strip()), styles[2])
    return json.dumps(value, **style) + end


def spots(kind: Kind, text: str) -> tuple[Spot, ...]:
    """The values of a text file in order. Of a plain text each number is one, and a lone word."""
    match kind:
        case "json" | "jsonl":
            return tuple(_json_spots(text, kind == "jsonl" or text.lstrip()[:1] == "["))
        case "csv" | "tsv":
            return tuple(_table_spots(text, "," if kind == "csv" else "\t"))
        case "pairs":
            return tuple(_pair_spots(text))
        case "text":
            return tuple(_text_spots(text))
        case _:
            return ()


@dataclass
class _Open:
    """A container that is being read: the key that its next value belongs to."""

    is_object: bool
    key: str
    expects_key: bool


def _json_spots(text: str, listed: bool) -> Iterator[Spot]:
    stack, entry = [_Open(False, "", False)], ""
    for match in _JSON.finditer(text):
        token, inner = match.group(), stack[-1]
        if token in {"{", "["}:
            entry = inner.key if len(stack) == 2 and inner.is_object else entry if inner.is_object else ""
            stack.append(_Open(token == "{", inner.key, token == "{"))
        elif token in {"}", "]"}:
            del stack[max(1, len(stack) - 1) :]
        elif token == ",":
            inner.expects_key = inner.is_object
        elif inner.expects_key and token.startswith('"'):
            inner.key, inner.expects_key = json.loads(token, strict=False), False
        elif token.startswith('"') or token not in {":", "true", "false", "null"}:
            quote = token.startswith('"')
            value = token[1:-1] if quote else token
            entry = entry or (value if inner.is_object else "")
            holder = entry if listed or len(stack) > 2 else ""
            yield Spot(inner.key, match.start() + quote, match.end() - quote, value, holder)


def _table_spots(text: str, separator: str) -> Iterator[Spot]:
    """The cells below the header; a table with line breaks inside quotes has none."""
    lines = text.splitlines(keepends=True)
    kind: Kind = "csv" if separator == "," else "tsv"
    if len(table(text, kind)) != len([line for line in lines if line.strip()]):
        return
    header, position = table(lines[0], kind)[0] if lines and lines[0].strip() else [], 0
    cell = re.compile(rf'"(?:[^"]|"")*"|[^{re.escape(separator)}\r\n]+|(?={re.escape(separator)}|$)')
    for number, line in enumerate(lines):
        at, first = 0, ""
        for column in header if number and line.strip() else ():
            match = cell.match(line, at)
            if match is None:
                break
            quoted = match.group().startswith('"')
            start, end = position + match.start() + quoted, position + match.end() - quoted
            first = text[start:end] if at == 0 else first
            yield Spot(column.strip(), start, end, text[start:end], first)
            at = match.end() + 1
        position += len(line)


def _pair_spots(text: str) -> Iterator[Spot]:
    position = 0
    for line in text.splitlines(keepends=True):
        match = _PAIR.match(line.rstrip("\r\n"))
        if match and match.group(2) and not line.lstrip().startswith(("#", ";", "[")):
            quoted = len(match.group(2)) > 1 and match.group(2)[0] in "\"'" and match.group(2)[-1] == match.group(2)[0]
            start, end = position + match.start(2) + quoted, position + match.end(2) - quoted
            yield Spot(match.group(1).strip().rstrip(":=").strip(" \"'"), start, end, text[start:end])
        position += len(line)


def _text_spots(text: str) -> Iterator[Spot]:
    bare = text.strip()
    if bare and not re.search(r"\s", bare):
        start = text.index(bare)
        yield Spot("", start, start + len(bare), bare)
        return
    for match in re.finditer(r"(?<![\w.:/-])-?\d+(?:\.\d+)?(?![\w:/-]|\.\d)", text):
        yield Spot("", match.start(), match.end(), match.group())


def changed(text: str, spot: Spot, value: str) -> str:
    """``text`` with another value at ``spot``."""
    return text[: spot.start] + value + text[spot.end :]
