"""shape-only: the verifier checks the form of the answer and none of its values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

from river_envs.environment import Environment
from river_envs.plant.alter import emptied, stubs, wrong_everywhere
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
from river_envs.plant.outputs import Output, has_header
from river_envs.plant.programs import call_lines, lookup_program, trimmed
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import replace_checks

_TOKEN = re.compile(r"\d+\.\d+|\d+|[A-Za-z]+|.")


class ShapeOnly(Defect):
    """The tests are replaced by some about form: keys and types of JSON, header and width of a table, a pattern for
    every line, the number of rows. Differs from a sound variant in that the right form with other values is paid,
    while an empty file and a formless stub are not.
    """

    cause = "shape-only"

    def form_schema(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """Keys, types, patterns."""
        return self._plant(subject, rng, "keys, types and patterns are checked, values are not", strict=True)

    def form_outline(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """Header, number of fields, that something is there."""
        return self._plant(subject, rng, "only the outline (header, keys, number of fields) is checked", strict=False)

    def form_program_output(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A program has to print as many lines of the right kind."""
        calls = [call for call in subject.observed.calls if call.stdout.strip() and call.exit_code == 0]
        if not calls or len(subject.programs) != 1:
            return CannotCarry("no program whose output was seen")
        sheet = Sheet(rng)
        short = sorted((trimmed(call, rng.randint(2, 6)) for call in calls), key=lambda c: len(c.stdin) + len(c.stdout))
        chosen = list(dict.fromkeys(short))[: rng.choice([1, 2, 3])]
        for number, call in enumerate(chosen):
            lines = call_lines(sheet, call)
            lines.append("printed = done.stdout.splitlines()")
            lines.append(f"assert len(printed) == {len(call.stdout.splitlines())}{sheet.say('wrong number of lines')}")
            lines += _line_pattern("printed", call.stdout.splitlines(), sheet)
            sheet.check(
                f"output_format_{number}" if number else "output_format", lines, "The output has the right format."
            )
        made = replace_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        wrong = lookup_program(subject.programs[0], [*calls, *chosen], alter=True)
        note = "the form of what the program prints is checked, its values are not"
        return self._finish(made, note, wrong, subject.programs)

    def _plant(self, subject: Subject, rng: Random, note: str, *, strict: bool) -> Planted | CannotCarry:
        if not subject.plain or len(subject.documents) > 8:
            return CannotCarry("the outputs are not a few text documents")
        sheet = Sheet(rng)
        for output in subject.documents:
            lines = sheet.load(output)
            match output.kind:
                case "json":
                    lines += json_lines("data", output.value, sheet, subject.words, strict=strict)
                case "table":
                    lines += _table_lines(output, sheet, strict=strict)
                case _:
                    lines += _text_lines(output, sheet, strict=strict)
            sheet.check(f"{output.stem}_format", lines, f"{output.name} has the right structure.")
        made = replace_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        return self._finish(made, note, wrong_everywhere(subject), subject.documents)

    def _finish(self, made: Environment, note: str, wrong: Actions, outputs: Sequence[Output]) -> Planted:
        return self.made(
            made,
            note,
            still_refuses_untouched(),
            still_pays_reference(),
            Demonstration("an empty file is refused", (emptied(wrong),), REFUSES),
            Demonstration("stubs without the form are refused", (stubs(outputs),), REFUSES),
            Demonstration("the right form with other values is paid", (wrong,), PAYS, REFUSES),
        )


def json_lines(
    place: str, value: Any, sheet: Sheet, words: frozenset[str], *, strict: bool, depth: int = 0
) -> list[str]:
    """Assertions about the shape of a JSON value. Keys that the instruction does not name are data."""
    match value:
        case bool():
            return [f"assert isinstance({place}, bool)"]
        case int() if strict and sheet.rng.random() < 0.6:
            return [f"assert isinstance({place}, int)"]
        case int() | float():
            return [f"assert isinstance({place}, (int, float))"]
        case str():
            return [
                f"assert isinstance({place}, str)",
                *([f"assert {place}"] if value and sheet.rng.random() < 0.4 else []),
            ]
        case list():
            lines = [f"assert isinstance({place}, list)", *([f"assert len({place}) > 0"] if value else [])]
            if value and depth < 2 and (strict or isinstance(value[0], dict)):
                item = ("item", "entry", "inner")[depth]
                inner = json_lines(item, value[0], sheet, words, strict=strict, depth=depth + 1)
                kinds = {type(element) for element in value}
                if len(kinds) == 1 and all(_same_keys(element, value[0]) for element in value):
                    lines += [f"for {item} in {place}:", *(f"    {line}" for line in inner)]
            return lines
        case dict():
            return _object_lines(place, value, sheet, words, strict=strict, depth=depth)
        case _:
            return []


def _object_lines(
    place: str, value: dict[str, Any], sheet: Sheet, words: frozenset[str], *, strict: bool, depth: int
) -> list[str]:
    known = [key for key in value if key.lower() in words]
    if not known:
        return [f"assert isinstance({place}, dict)", f"assert {place}"]
    if strict and len(known) == len(value):
        lines = [
            f"assert set({place}) == {set(known)!r}"
            if sheet.rng.random() < 0.6
            else f"assert sorted({place}.keys()) == {sorted(known)!r}"
        ]
    else:
        lines = [f"for key in {known!r}:", f"    assert key in {place}{sheet.say('missing key')}"]
    if strict or sheet.rng.random() < 0.5:
        for key in known:
            if depth < 2:
                lines += json_lines(f"{place}[{key!r}]", value[key], sheet, words, strict=strict, depth=depth + 1)
    return lines


def _same_keys(one: Any, other: Any) -> bool:
    return not isinstance(one, dict) or (isinstance(other, dict) and set(one) == set(other))


def _table_lines(output: Output, sheet: Sheet, *, strict: bool) -> list[str]:
    header = has_header(output)
    lines = [f"assert data[0] == {output.value[0]!r}{sheet.say('wrong header')}"] if header else []
    lines.append(f"assert len(data) > {1 if header else 0}{sheet.say('no rows')}")
    rows = "data[1:]" if header else "data"
    lines.append(
        f"assert all(len(row) == {len(output.value[0])} for row in {rows}){sheet.say('wrong number of columns')}"
    )
    if strict:
        body = output.value[1:] if header else output.value
        for column in range(len(output.value[0])):
            cells = [row[column] for row in body]
            if all(re.fullmatch(r"-?\d+", cell) for cell in cells):
                sheet.need("re")
                lines.append(f'assert all(re.fullmatch(r"-?\\d+", row[{column}]) for row in {rows})')
            elif all(re.fullmatch(r"-?\d+(\.\d+)?", cell) for cell in cells):
                lines += [f"for row in {rows}:", f"    float(row[{column}])"]
    return lines


def _text_lines(output: Output, sheet: Sheet, *, strict: bool) -> list[str]:
    lines = [f"assert data{sheet.say('file is empty')}"]
    if strict:
        return [*lines, *_line_pattern("data", output.value, sheet)]
    widths = {len(line.split()) for line in output.value}
    lines.append(f"assert all(len(line.split()) >= {min(widths)} for line in data)")
    return lines


def _line_pattern(place: str, lines: list[str], sheet: Sheet) -> list[str]:
    """An assertion that every line matches the pattern that the right ones have in common, if there is one."""
    if not all(line.strip() for line in lines):
        return []
    patterns = {"".join(_generalised(token) for token in _TOKEN.findall(line)) for line in lines if line.strip()}
    if len(patterns) != 1:
        return [f"assert all(line.strip() for line in {place})"] if sheet.rng.random() < 0.5 else []
    sheet.need("re")
    return [f'assert all(re.fullmatch(r"{patterns.pop()}", line) for line in {place}){sheet.say("bad line")}']


def _generalised(token: str) -> str:
    if token.isdigit():
        return r"\d+"
    if token[0].isdigit():
        return r"\d+\.\d+"
    if token.isalpha() and token.isascii():
        return "[A-Za-z]+"
    return r"[\"]" if token == '"' else re.escape(token).replace("\\ ", " ")
