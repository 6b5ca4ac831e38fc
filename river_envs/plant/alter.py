"""Wrong states made of right ones: every value changed, its form kept; or one thing changed at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from river_envs.environment import File
from river_envs.plant.outputs import Output, write_table
from river_envs.plant.subject import Subject
from river_envs.probes.base import Action, Put, Restore, Run

_LOWER, _UPPER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
_SHIFTED = str.maketrans(
    _LOWER + _UPPER + _DIGITS[1:], _LOWER[5:] + _LOWER[:5] + _UPPER[5:] + _UPPER[:5] + _DIGITS[2:] + "1"
)


def shift(text: str) -> str:
    """``text`` with every letter and every digit but 0 replaced by another one of its class."""
    return text.translate(_SHIFTED)


def altered(value: Any) -> Any:
    """A JSON value of the same shape, keys kept, in which every scalar is another one of its type."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1009
        case float():
            return value * 3 + 1009.5
        case str():
            return shift(value) if shift(value) != value else value + "x"
        case list():
            return [altered(item) for item in value]
        case dict():
            return {key: altered(item) for key, item in value.items()}
        case _:
            return value


def wrong_content(output: Output, *, header: bool) -> bytes:
    """The content of ``output`` in its form with other values; ``header`` keeps a table's first row."""
    match output.kind:
        case "json":
            return json.dumps(altered(output.value), indent=2).encode() + b"\n"
        case "table":
            rows = [[shift(cell) for cell in row] for row in output.value]
            return write_table([output.value[0] if header else rows[0], *rows[1:]], output.delimiter)
        case _:
            return shift(output.text).encode()


def put(path: str, content: bytes, mode: int = 0o644) -> Put:
    """Write one file at an absolute path."""
    return Put((File(path.lstrip("/"), content, mode),))


def quoted(path: str) -> str:
    """``path`` for a shell."""
    import shlex

    return shlex.quote(path)


def wrong_everywhere(subject: Subject, *, header: bool = True) -> tuple[Action, ...]:
    """The reference's state with other values in every document."""
    written = tuple(put(o.path, wrong_content(o, header=header), o.mode) for o in subject.documents)
    return (Restore(), *written)


def emptied(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """The files that ``actions`` write, each holding nothing but a newline."""
    puts = [action for action in actions if isinstance(action, Put)]
    return tuple(Put(tuple(File(file.path, b"\n", file.mode) for file in action.files)) for action in puts)


def mutants(subject: Subject) -> Iterator[tuple[Action, ...]]:
    """The reference's state with one thing wrong, the coarse before the fine."""
    for output in subject.outputs:
        yield (Restore(), Run(f"rm -f {quoted(output.path)}"))
        for content in _single_changes(output):
            yield (Restore(), put(output.path, content, output.mode))
    for change in subject.state.changes:
        if change.kind in ("file", "directory"):
            yield (Restore(), Run(f"chmod 777 {quoted('/' + change.path)}"))


def _single_changes(output: Output) -> Iterator[bytes]:
    if output.kind == "json":
        for key in dict.fromkeys(_keys(output.value)):
            yield json.dumps(_altered_at(output.value, key)).encode()
        if isinstance(output.value, list):
            yield json.dumps(output.value[:-1]).encode()
            yield json.dumps(output.value[::-1]).encode()
            yield json.dumps([*output.value[:-1], altered(output.value[-1])] if output.value else [0]).encode()
    elif output.kind == "table":
        rows = output.value
        yield write_table([rows[0], *_rotated(rows[1:])], output.delimiter)
        for column in range(len(rows[0])):
            body = [[shift(c) if k == column else c for k, c in enumerate(row)] for row in rows[1:]]
            yield write_table([rows[0], *body], output.delimiter)
        yield write_table(rows[:-1], output.delimiter)
        yield write_table([rows[0], *rows[:0:-1]], output.delimiter)
    elif output.kind == "lines":
        lines = output.text.splitlines(keepends=True)
        yield from _records(lines)
        yield "".join(lines[:-1]).encode()
        yield "".join(reversed(lines)).encode()
        yield shift(output.text).encode()


def _keys(value: Any) -> Iterator[str]:
    """Every key of every object inside ``value``, the outer ones first."""
    if isinstance(value, dict):
        yield from value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(item)


def _altered_at(value: Any, key: str) -> Any:
    """``value`` with what stands under ``key``, wherever that is, altered."""
    if isinstance(value, dict):
        return {name: altered(item) if name == key else _altered_at(item, key) for name, item in value.items()}
    return [_altered_at(item, key) for item in value] if isinstance(value, list) else value


def _rotated(rows: list[list[str]]) -> list[list[str]]:
    """Rows in which every last cell belongs to the row before."""
    return [[*row[:-1], before[-1]] for row, before in zip(rows, [*rows[-1:], *rows[:-1]], strict=True)]


def _records(lines: list[str]) -> Iterator[bytes]:
    """Lines of JSON objects in which the values under one key have moved on by a line, for each key."""
    try:
        records = [json.loads(line) for line in lines if line.strip()]
    except ValueError:
        return
    if len(records) > 1 and all(isinstance(record, dict) and record.keys() == records[0].keys() for record in records):
        for key in records[0]:
            moved = zip(records, [*records[-1:], *records[:-1]], strict=True)
            yield "".join(json.dumps({**one, key: other[key]}) + "\n" for one, other in moved).encode()
