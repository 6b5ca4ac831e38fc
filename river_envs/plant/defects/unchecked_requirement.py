"""unchecked-requirement: one of the things that the instruction asks for is never looked at."""

from __future__ import annotations

import ast
import math
from random import Random
from typing import Any

from river_envs.environment import Environment
from river_envs.plant.alter import mutants
from river_envs.plant.base import (
    PAYS,
    REFUSES,
    CannotCarry,
    Defect,
    Demonstration,
    Planted,
    still_pays_reference,
    still_refuses_untouched,
)
from river_envs.plant.outputs import Output, has_header
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import replace_checks, tests_of, transform


class UncheckedRequirement(Defect):
    """A test, an assertion, or the comparison of one file, key, column or row is missing; everything else is
    compared as before. Differs from a sound variant in that the reference's state with that one thing wrong is paid.
    """

    cause = "unchecked-requirement"

    def form_test_dropped(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """One of several tests is missing."""

        def change(tree: ast.Module) -> bool:
            tests = tests_of(tree)
            if len(tests) < 2:
                return False
            victim = rng.choice(tests)
            victim_name = victim.name
            for node in ast.walk(tree):
                if isinstance(node, (ast.Module, ast.ClassDef)) and victim in node.body:
                    node.body.remove(victim)
                if isinstance(node, (ast.Tuple, ast.List)):
                    node.elts = [e for e in node.elts if not (isinstance(e, ast.Name) and e.id == victim_name)]
            return True

        return self._mutated(subject, transform(subject.environment, change), "one of the tests is missing")

    def form_assertion_dropped(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """One of several assertions is missing."""
        dropped: list[str] = []

        def change(tree: ast.Module) -> bool:
            places = [
                (body, statement)
                for function in tests_of(tree)
                for node in ast.walk(function)
                for body in [getattr(node, "body", None)]
                if isinstance(body, list)
                for statement in body
                if isinstance(statement, ast.Assert)
            ]
            if len(places) < 2:
                return False
            body, statement = rng.choice(places[len(places) // 2 :])
            dropped.append(ast.unparse(statement.test)[:80])
            body.remove(statement)
            if not body:
                body.append(ast.Pass())
            return True

        made = transform(subject.environment, change)
        return self._mutated(subject, made, f"the assertion {dropped[0]!r} is missing" if dropped else "")

    def form_part_compared(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The tests compare all but one key, column, or row."""
        if not subject.exact or len(subject.documents) != 1:
            return CannotCarry("the output is not one text document with one right value")
        output = subject.documents[0]
        sheet = Sheet(rng)
        missing = _partial(sheet, output, rng)
        if missing is None:
            return CannotCarry("the output has no parts")
        made = replace_checks(subject.environment, sheet)
        return self._mutated(subject, made, f"{missing} of {output.path} is never looked at")

    def form_file_ignored(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """One of several output files is never looked at."""
        if not subject.exact or not 2 <= len(subject.documents) <= 5:
            return CannotCarry("the outputs are not a few text documents with one right value")
        ignored = rng.choice(subject.documents)
        sheet = Sheet(rng)
        for output in subject.documents:
            if output is not ignored:
                lines = [*sheet.load(output), *same_value("data", output, sheet)]
                sheet.check(f"{output.stem}_content", lines, f"{output.name} is right.")
        made = replace_checks(subject.environment, sheet)
        return self._mutated(subject, made, f"{ignored.path} is never looked at")

    def _mutated(self, subject: Subject, made: Environment | CannotCarry, note: str) -> Planted | CannotCarry:
        if isinstance(made, CannotCarry):
            return made
        candidates = tuple(mutants(subject))
        if not candidates:
            return CannotCarry("the reference's state has no part that could be missing")
        proof = Demonstration("the reference's state with one thing wrong is paid", candidates, PAYS, REFUSES)
        return self.made(made, note, still_refuses_untouched(), still_pays_reference(), proof)


def same_value(place: str, output: Output, sheet: Sheet) -> list[str]:
    """Assertions that the loaded value of ``output`` is the right one."""
    if output.kind == "json":
        return [line for part, value in _parts(place, output.value) for line in _equal(part, value, sheet)]
    value = output.value if output.kind != "lines" else [line.strip() for line in output.value]
    if len(repr(value)) > 400:
        return [f"assert {place} == {sheet.constant(f'EXPECTED_{output.stem.upper()}', value)}"]
    return [f"assert {place} == {value!r}"]


def _parts(place: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        return [(f"{place}[{key!r}]", item) for key, item in value.items()]
    return [(place, value)]


def _equal(place: str, value: Any, sheet: Sheet) -> list[str]:
    if isinstance(value, float) and math.isfinite(value):
        return [f"assert abs({place} - {value!r}) < 1e-6{sheet.say('wrong value')}"]
    return [f"assert {place} == {value!r}{sheet.say('wrong value')}"]


def _partial(sheet: Sheet, output: Output, rng: Random) -> str | None:
    """Add checks for all of ``output`` but one part; says which, or None when it has no parts."""
    lines = sheet.load(output)
    value = output.value
    if output.kind == "json" and isinstance(value, dict) and len(value) > 1:
        left = rng.choice(list(value))
        lines += [line for key, item in value.items() if key != left for line in _equal(f"data[{key!r}]", item, sheet)]
        missing = f"the key {left!r}"
    elif (
        output.kind == "json" and isinstance(value, list) and value and isinstance(value[0], dict) and len(value[0]) > 1
    ):
        left = rng.choice(list(value[0]))
        kept = [{key: item for key, item in entry.items() if key != left} for entry in value if isinstance(entry, dict)]
        name = sheet.constant("EXPECTED", kept)
        lines += [
            f"assert len(data) == len({name})",
            f"for entry, wanted in zip(data, {name}):",
            "    for key, value in wanted.items():",
            "        assert entry[key] == value",
        ]
        missing = f"the key {left!r} of every entry"
    elif output.kind == "table" and len(value[0]) > 1:
        left = rng.randrange(len(value[0]))
        columns = [[cell.strip() for k, cell in enumerate(row) if k != left] for row in value]
        name = sheet.constant("EXPECTED", columns)
        lines.append(f"assert [[cell for k, cell in enumerate(row) if k != {left}] for row in data] == {name}")
        missing = f"the column {value[0][left]!r}" if has_header(output) else f"column {left}"
    elif output.kind == "lines" and len(value) > 2:
        count = rng.choice([len(value) - 1, 1, 2])
        wanted = [line.strip() for line in value[:count]]
        lines += [f"assert data[:{count}] == {wanted!r}", f"assert len(data) >= {count}"]
        missing = f"everything after line {count}"
    else:
        return None
    sheet.check(f"{output.stem}_content", lines, f"{output.name} is right.")
    return missing
