"""unchecked-requirement: one of the things that the instruction asks for is never looked at."""

from __future__ import annotations

import ast
import math
import re
from random import Random
from typing import Any

from river_envs.environment import Environment
from river_envs.plant.alter import emptied, wrong_everywhere
from river_envs.plant.base import (
    PAYS,
    REFUSES,
    Actions,
    CannotCarry,
    Defect,
    Demonstration,
    Planted,
    still_pays_reference,
    still_refuses_untouched,
)
from river_envs.plant.mutants import mutants
from river_envs.plant.outputs import Output, has_header
from river_envs.plant.programs import is_python, lookup_program, wrong_in_source, wrong_somewhere
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
        dropped: list[str] = []

        def change(tree: ast.Module) -> bool:
            tests = tests_of(tree)
            if len(tests) < 2:
                return False
            victim = rng.choice(tests)
            victim_name = victim.name
            dropped.append(ast.unparse(victim)[:600])
            for node in ast.walk(tree):
                if isinstance(node, (ast.Module, ast.ClassDef)) and victim in node.body:
                    node.body.remove(victim)
                if isinstance(node, (ast.Tuple, ast.List)):
                    node.elts = [e for e in node.elts if not (isinstance(e, ast.Name) and e.id == victim_name)]
            return True

        made = transform(subject.environment, change)
        return self._mutated(subject, rng, made, "one of the tests is missing", hints=" ".join(dropped))

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
        return self._mutated(subject, rng, made, f"the assertion {dropped[0]!r} is missing" if dropped else "")

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
        return self._mutated(subject, rng, made, f"{missing} of {output.path} is never looked at")

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
        return self._mutated(subject, rng, made, f"{ignored.path} is never looked at")

    def _mutated(
        self, subject: Subject, rng: Random, made: Environment | CannotCarry, note: str, hints: str = ""
    ) -> Planted | CannotCarry:
        if isinstance(made, CannotCarry):
            return made
        calls = subject.observed.calls
        programs = [program for program in subject.programs if is_python(program)]
        wrong = [actions for program in programs for actions in wrong_somewhere(program, calls)]
        if not wrong:
            wrong = [actions for program in programs for actions in wrong_in_source(program, hints or note, rng)]
        candidates = (*wrong[:6], *mutants(subject))
        if not candidates:
            return CannotCarry("the reference's state has no part that could be missing")
        everything = self._everything_wrong(subject, programs)
        controls = [
            Demonstration("empty files are refused", (emptied(everything),), REFUSES),
            Demonstration("files with other values alone are refused", (everything,), REFUSES),
        ]
        return self.made(
            made,
            note,
            still_refuses_untouched(),
            still_pays_reference(),
            Demonstration("the reference's state with one thing wrong is paid", candidates, PAYS, REFUSES),
            *(controls if everything else ()),
        )

    def _everything_wrong(self, subject: Subject, programs: list[Output]) -> Actions:
        """Other values in every document, other answers of every program, and nothing else done."""
        answers = [lookup_program(program, subject.observed.calls, alter=True) for program in programs]
        return (*wrong_everywhere(subject)[1:], *(action for actions in answers for action in actions))


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
    if isinstance(value, dict) and any(isinstance(item, float | dict) for item in value.values()):
        return [line for key, item in value.items() for line in _equal(f"{place}[{key!r}]", item, sheet)]
    return [f"assert {place} == {value!r}{sheet.say('wrong value')}"]


def _partial(sheet: Sheet, output: Output, rng: Random) -> str | None:
    """Add checks for all of ``output`` but one part; says which, or None when it has no parts."""
    compared = {"json": _part_of_json, "table": _part_of_table, "lines": _part_of_lines}[output.kind](
        sheet, output, rng
    )
    if compared is None:
        return None
    lines, missing = compared
    sheet.check(f"{output.stem}_content", [*sheet.load(output), *lines], f"{output.name} is right.")
    return missing


def _part_of_json(sheet: Sheet, output: Output, rng: Random) -> tuple[list[str], str] | None:
    place, value = "data", output.value
    while isinstance(value, dict) and len(value) == 1:
        ((key, value),) = value.items()
        place = f"{place}[{key!r}]"
    if isinstance(value, dict) and value:
        left = rng.choice(list(value))
        kept = {key: item for key, item in value.items() if key != left}
        return [
            line for key, item in kept.items() for line in _equal(f"{place}[{key!r}]", item, sheet)
        ], f"the key {left!r}"
    if not isinstance(value, list) or len(value) < 2:
        return None
    if not all(isinstance(entry, dict) and len(entry) > 1 for entry in value):
        count = rng.choice([1, len(value) - 1])
        return [f"assert {place}[:{count}] == {value[:count]!r}"], f"everything after entry {count}"
    left = rng.choice(list(value[0]))
    name = sheet.constant("EXPECTED", [{key: item for key, item in entry.items() if key != left} for entry in value])
    lines = [
        f"assert len({place}) == len({name})",
        f"for entry, wanted in zip({place}, {name}):",
        "    for key, value in wanted.items():",
        "        assert entry[key] == value",
    ]
    return lines, f"the key {left!r} of every entry"


def _part_of_table(sheet: Sheet, output: Output, rng: Random) -> tuple[list[str], str] | None:
    rows = output.value
    if any(re.fullmatch(r"-?\d+\.\d+", cell.strip()) for row in rows for cell in row):
        return None  # as texts, fractions would be compared by their form too
    left = rng.randrange(len(rows[0]))
    name = sheet.constant("EXPECTED", [[cell.strip() for k, cell in enumerate(row) if k != left] for row in rows])
    line = f"assert [[cell for k, cell in enumerate(row) if k != {left}] for row in data] == {name}"
    return [line], f"the column {rows[0][left]!r}" if has_header(output) else f"column {left}"


def _part_of_lines(sheet: Sheet, output: Output, rng: Random) -> tuple[list[str], str] | None:
    if len(output.value) < 3 or any(line.lstrip().startswith("{") for line in output.value):
        return None  # objects would be compared by their form too
    count = rng.choice([len(output.value) - 1, 1, 2])
    wanted = [line.strip() for line in output.value[:count]]
    return [f"assert data[:{count}] == {wanted!r}", f"assert len(data) >= {count}"], f"everything after line {count}"
