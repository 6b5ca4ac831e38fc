"""Mutants: rows missing, doubled, in another order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from river_envs.environment import Environment
from river_envs.probes import coverage, edits, stated
from river_envs.probes.base import Survey
from river_envs.probes.documents import like
from river_envs.probes.edits import Edit, Target, declared
from river_envs.probes.mutants import Mutant


class RowEdits(Mutant):
    """The right list with a row too few, a row twice, or backwards.

    What it does: edits the rows of a declared output (CSV below its header, JSON list, JSON object that maps entries of
    the data, lines): one dropped (one that the verifier does not name where it names others, else the last), all in
    reverse order, the last one doubled; grades each.

    What a hit proves: the instruction asks for all entries of a determined list and one is missing, states an order
    that the reference keeps and the reversed rows break, or forbids duplicates and a row stands twice; the state is
    rewarded twice, while the whole state is rewarded too (unchecked-requirement).

    What it cannot show: order and repetition where the instruction says nothing of them: those survivors are not even
    counted.

    Seen in the wild: tests that look for three known rows in a table of fifty; `sorted(rows) == sorted(EXPECTED)`
    where the order was asked for.
    """

    id = "row-edits"
    name = "Rows missing, doubled, reordered"
    version = 3
    order = 92
    most = 2
    without = "the reference leaves no list of several rows"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """For the first list: dropped, reversed where an order is stated, doubled where that is forbidden."""
        instruction = environment.instruction
        lists = [(target, rows) for target in declared(found) if (rows := rows_of(target)) is not None]
        for target, rows in lists[:2]:
            sure = bool(target.asked) and not edits.unsure(environment, survey, found, target.path)
            whole = stated.whole(instruction) or stated.each(instruction, target.path)
            hidden = coverage.unnamed(environment.verifier, range(len(rows.rows)), rows.names)
            at = hidden[-1] if hidden else len(rows.rows) - 1
            yield edits.edit(
                target,
                rows.write(rows.rows[:at] + rows.rows[at + 1 :]),
                f"without its row {rows.names[at][:40]!r}" if hidden else "without its last row",
                stated=whole if sure and rows.listed else "",
                lead=bool(hidden),
            )
            if rows.keyed:
                continue
            order = stated.ordered(instruction, target.path)
            if order and rows.keeps_order:
                wanted = order if sure else ""
                yield edits.edit(target, rows.write(rows.rows[::-1]), "rows in reverse order", stated=wanted)
            forbidden = stated.unique(instruction, target.path)
            if forbidden:
                yield edits.edit(
                    target,
                    rows.write([*rows.rows, rows.rows[-1]]),
                    "its last row twice",
                    stated=forbidden if sure else "",
                )


@dataclass(frozen=True)
class Rows:
    """The rows of a file as texts, and what stands around them. ``listed``: they are entries, not lines of prose."""

    target: Target
    head: str
    rows: list[str]
    listed: bool
    keyed: bool = False

    @property
    def names(self) -> list[str]:
        """What each row may be known by: its key, its first cell, itself."""
        return [_name(self.target.kind, row, self.keyed) for row in self.rows]

    def write(self, rows: Sequence[str]) -> str:
        """The file with other rows."""
        if self.keyed:
            return like(self.target.text, {key: item for row in rows for key, item in json.loads(row).items()})
        if self.target.kind == "json":
            return like(self.target.text, [json.loads(row) for row in rows])
        joined = "".join(row if row.endswith("\n") else row + "\n" for row in rows)
        return self.head + (joined if self.target.text.endswith("\n") else joined.rstrip("\n"))

    @property
    def keeps_order(self) -> bool:
        """Whether the rows, or one of their columns, stand in a strict order that reversing breaks."""
        cells = [re.findall(r"[^\s,;:|\t\"{}\[\]]+", row) for row in self.rows]
        columns = list(zip(*cells, strict=False)) if len({len(row) for row in cells}) == 1 else []
        return any(_ordered(column) for column in (tuple(self.rows), *columns))


def _ordered(values: Sequence[str]) -> bool:
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        return len(set(values)) > 1 and list(values) in (sorted(values), sorted(values, reverse=True))
    return len(set(numbers)) > 1 and numbers in (sorted(numbers), sorted(numbers, reverse=True))


def _uniform(value: dict[str, Any]) -> bool:
    """Whether all values are objects with the same keys: then the keys are entries of some data."""
    items = list(value.values())
    return all(isinstance(item, dict) and item and set(item) == set(items[0]) for item in items)


def _name(kind: str, row: str, keyed: bool) -> str:
    if kind in {"json", "jsonl"}:
        value = json.loads(row)
        if keyed:
            return str(next(iter(value)))
        first = next(iter(value.values()), "") if isinstance(value, dict) else value
        return str(first) if isinstance(first, str | int) else ""
    return re.split(r"[,\t]", row.strip())[0].strip('"') if kind in {"csv", "tsv"} else row.strip()


def rows_of(target: Target) -> Rows | None:
    """The rows of a target, or None where it is no list of at least three."""
    lines = target.text.splitlines(keepends=True)
    match target.kind:
        case "json":
            value = json.loads(target.text)
            if isinstance(value, dict) and _uniform(value):
                rows = Rows(target, "", [json.dumps({key: item}) for key, item in value.items()], True, True)
                return rows if len(rows.rows) >= 3 else None
            if not isinstance(value, list):
                return None
            rows = Rows(target, "", [json.dumps(item) for item in value], True)
        case "csv" | "tsv" if '"' not in target.text:
            rows = Rows(target, lines[0], [line for line in lines[1:] if line.strip()], True)
        case "jsonl":
            rows = Rows(target, "", [line for line in lines if line.strip()], True)
        case "text" if all(line.strip() and not line.startswith(("#", " ")) for line in lines):
            forms = {len(line.split()) for line in lines}
            rows = Rows(target, "", lines, len(forms) == 1)
        case _:
            return None
    return rows if len(rows.rows) >= 3 and len(set(rows.rows)) >= 3 else None
