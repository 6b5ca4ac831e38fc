"""Mutant: a key or a column is missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from river_envs.environment import Environment
from river_envs.probes import coverage, edits, stated
from river_envs.probes.base import Survey
from river_envs.probes.documents import like, table
from river_envs.probes.edits import Edit, Target, declared
from river_envs.probes.mutants import Mutant


class KeyDropped(Mutant):
    """The right output without one of its keys, settings or columns.

    What it does: takes one key out of a JSON output (out of every object of a list), one setting out of a
    `key = value` file, or one column out of a CSV of the reference's state; keys that the verifier does not name first.

    What a hit proves: a key or column that the instruction states in quotes is missing and the state is rewarded,
    twice, while the whole state is rewarded too (unchecked-requirement).

    What it cannot show: keys that are only shown in prose without quotes; keys whose absence a program of the work
    hides.

    Seen in the wild: of a report with six keys the tests read the three that were easy to compute.
    """

    id = "key-dropped"
    name = "A key or column is missing"
    version = 3
    order = 92
    most = 2
    without = "the reference leaves no output with several keys or columns"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """One edit for each key; what the verifier does not name comes first, then what the instruction states."""
        made: list[tuple[bool, bool, int, Edit | None]] = []
        for target in declared(found):
            unsure = not target.asked or edits.unsure(environment, survey, found, target.path)
            for key, content in _without_each(target):
                wanted = stated.key(environment.instruction, key, target.path)
                checked = coverage.names(environment.verifier, key)
                change = edits.edit(
                    target, content, f"without {key!r}", stated="" if unsure else wanted, key=key, lead=not checked
                )
                made.append((checked, not wanted, len(made), change))
        yield from (change for *_, change in sorted(made, key=lambda entry: entry[:3]))


def _without_each(target: Target) -> Iterator[tuple[str, str]]:
    """Every key with the content that lacks it."""
    match target.kind:
        case "json":
            value = json.loads(target.text)
            for key in _keys(value):
                yield key, like(target.text, _without(value, key))
        case "csv" | "tsv":
            header = table(target.text, target.kind)[0]
            separator = "," if target.kind == "csv" else "\t"
            lines = target.text.splitlines(keepends=True)
            if len(header) > 1 and '"' not in target.text:
                for index, column in enumerate(header):
                    yield column.strip(), "".join(_cut(line, separator, index) for line in lines)
        case "pairs":
            lines = target.text.splitlines(keepends=True)
            for line in lines if len(lines) > 1 else []:
                key = line.replace(":", "=").partition("=")[0].strip(" \t\"'")
                if key and not line.lstrip().startswith(("#", ";", "[")):
                    yield key, "".join(other for other in lines if other is not line)


def _keys(value: Any) -> list[str]:
    """The keys of an object, of the objects of a list, and of the objects one level below; each once."""
    objects = [value] if isinstance(value, dict) else [item for item in value if isinstance(item, dict)]
    below = [item for one in objects for item in one.values()]
    nested = [item for child in below if isinstance(child, list) for item in child if isinstance(item, dict)]
    nested += [child for child in below if isinstance(child, dict)]
    return list(dict.fromkeys(key for one in (*objects, *nested) for key in one if isinstance(key, str)))[:40]


def _without(value: Any, key: str) -> Any:
    match value:
        case dict():
            return {name: _without(item, key) for name, item in value.items() if name != key}
        case list():
            return [_without(item, key) for item in value]
        case _:
            return value


def _cut(line: str, separator: str, index: int) -> str:
    bare = line.rstrip("\r\n")
    cells = bare.split(separator)
    return separator.join(cells[:index] + cells[index + 1 :]) + line[len(bare) :] if bare else line
