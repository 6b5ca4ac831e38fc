"""The state of a reference with one thing wrong: a file gone, a value changed, a mode opened, a deletion undone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Any

from river_envs.plant.alter import altered, put, quoted, shift
from river_envs.plant.outputs import Output, write_table
from river_envs.plant.subject import Subject
from river_envs.probes.base import Action, Restore, Run

Attempted = tuple[Action, ...]

_SQLITE = """python3 - <<'PYTHON'
import sqlite3
db = sqlite3.connect({path!r})
tables = [name for name, in db.execute("select name from sqlite_master where type = 'table' order by name")]
table = tables[{table} % len(tables)]
{statement}
db.commit()
PYTHON"""
_STATEMENTS = (
    'db.execute(f\'delete from "{table}" where rowid = (select max(rowid) from "{table}")\')',
    "name = db.execute(f'pragma table_info(\"{table}\")').fetchall()[-1][1]\n"
    'db.execute(f\'update "{table}" set "{name}" = "{name}" || 1\')',
)


def mutants(subject: Subject) -> Iterator[Attempted]:
    """Every sort of mutant in turn, so that the first few are of many sorts."""
    sorts: list[Iterator[Attempted]] = [
        iter([(Restore(), Run(f"rm -f {quoted(output.path)}")) for output in subject.outputs])
    ]
    sorts += [_changed(output) for output in subject.outputs[:3]]
    sorts += [_other_modes(subject), _undone(subject)]
    yield from (mutant for mutant in chain.from_iterable(zip_longest(*sorts)) if mutant is not None)


def _changed(output: Output) -> Iterator[Attempted]:
    if output.content.startswith(b"SQLite format 3"):
        for table in range(3):
            for statement in _STATEMENTS:
                yield (Restore(), Run(_SQLITE.format(path=output.path, table=table, statement=statement)))
    for content in _single_changes(output):
        yield (Restore(), put(output.path, content, output.mode))


def _other_modes(subject: Subject) -> Iterator[Attempted]:
    for kind in ("file", "directory"):
        for change in subject.state.changes:
            if change.kind == kind:
                yield (Restore(), Run(f"chmod 777 {quoted('/' + change.path)}"))


def _undone(subject: Subject) -> Iterator[Attempted]:
    """What was deleted is there again, what was linked is gone."""
    for change in subject.state.changes:
        path = quoted("/" + change.path)
        if change.kind == "deleted":
            yield (Restore(), Run(f'mkdir -p "$(dirname {path})" && echo left over > {path}'))
        if change.kind == "link":
            yield (Restore(), Run(f"rm -f {path}"))


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
