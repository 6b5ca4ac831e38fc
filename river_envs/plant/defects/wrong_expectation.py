"""wrong-expectation: the verifier expects a value that is not the right one."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from river_envs.plant.alter import shift
from river_envs.plant.base import (
    PAYS,
    REFUSES,
    RESTORED,
    CannotCarry,
    Defect,
    Demonstration,
    Planted,
    still_refuses_untouched,
)
from river_envs.plant.programs import call_lines, trimmed
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import add_checks, tests_of, transform, with_files


class WrongExpectation(Defect):
    """One value that the tests demand is wrong: a constant of the tests is off, or a further assertion states a value
    next to the right one. Differs from a sound variant in that the right state is refused.
    """

    cause = "wrong-expectation"

    def form_constant(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A constant of the tests is changed where it also occurs in the right outputs."""
        if not subject.documents:
            return CannotCarry("the outputs are no text documents")
        text = "\n".join(output.text for output in subject.documents)
        said = subject.environment.instruction
        changed: list[str] = []

        def change(tree: ast.Module) -> bool:
            constants = [
                node
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant)
                and _is_value(node.value, text)
                and not (isinstance(node.value, str) and node.value in said)
            ]
            if not constants:
                return False
            chosen = rng.choice(constants)
            wrong = off(chosen.value, rng)
            changed.append(f"{chosen.value!r} became {wrong!r}")
            chosen.value = wrong
            return True

        made = transform(subject.environment, change)
        if isinstance(made, CannotCarry):
            return made
        return self._finish(made, f"a constant of the tests is wrong: {changed[0]}")

    def form_asserted_constant(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A constant inside an assertion is changed."""
        changed: list[str] = []

        def change(tree: ast.Module) -> bool:
            constants = [
                node
                for function in tests_of(tree)
                for statement in ast.walk(function)
                if isinstance(statement, ast.Assert)
                for comparison in ast.walk(statement.test)
                if isinstance(comparison, ast.Compare) and isinstance(comparison.ops[0], (ast.Eq, ast.In))
                for side in comparison.comparators
                for node in ast.walk(side)
                if isinstance(node, ast.Constant) and _is_telling(node.value)
            ]
            if not constants:
                return False
            chosen = rng.choice(constants)
            wrong = off(chosen.value, rng)
            changed.append(f"{chosen.value!r} became {wrong!r}")
            chosen.value = wrong
            return True

        made = transform(subject.environment, change)
        if isinstance(made, CannotCarry):
            return made
        return self._finish(made, f"a value in an assertion is wrong: {changed[0]}")

    def form_data_file(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A value in a JSON file of the tests is changed."""
        files = [file for file in subject.environment.verifier.files if file.path.endswith(".json")]
        text = "\n".join(output.text for output in subject.documents)
        if not files:
            return CannotCarry("the tests have no JSON file")
        file = rng.choice(files)
        try:
            value = json.loads(file.content)
        except ValueError:
            return CannotCarry("the JSON file of the tests does not parse")
        places = [place for place in scalars(value) if not text or str(place[0][place[1]]) in text]
        if not places:
            return CannotCarry("the JSON file of the tests holds no value of the outputs")
        container, key = rng.choice(places)
        right, container[key] = container[key], off(container[key], rng)
        made = with_files(subject.environment, replace(file, content=json.dumps(value, indent=1).encode()))
        return self._finish(made, f"{right!r} became {container[key]!r} in {file.path} of the tests")

    def form_asserted(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A further assertion about one value, which is off."""
        if not subject.exact:
            return CannotCarry("the outputs are not text documents with one right value")
        output = rng.choice(subject.documents)
        sheet = Sheet(rng)
        lines = sheet.load(output)
        place, value = _scalar("data", output.value, rng)
        if value is None:
            return CannotCarry("the outputs hold no values")
        wrong = off(value, rng)
        lines.append(f"assert {place} == {wrong!r}{sheet.say('wrong value')}")
        sheet.check(
            f"{output.stem}_{rng.choice(['value', 'details', 'content'])}",
            lines,
            f"{output.name} holds the right value.",
        )
        made = add_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        return self._finish(made, f"{place} of {output.path} is expected to be {wrong!r}; {value!r} is right")

    def form_program_result(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A further call of the program whose expected output is off."""
        calls = [call for call in subject.observed.calls if call.stdout.strip() and call.exit_code == 0]
        if not calls or subject.environment.metadata.verifier_kind == "metric_threshold":
            return CannotCarry("no program whose output was seen")
        short = [trimmed(call, 3) for call in calls]
        call = rng.choice(sorted(short, key=lambda c: len(c.stdin) + len(c.stdout))[:5])
        if not call.stdout.strip():
            return CannotCarry("the shortest calls print nothing")
        words = call.stdout.split()
        place = rng.randrange(len(words))
        wrong = off_text(words[place], rng)
        expected = [*words[:place], wrong, *words[place + 1 :]]
        sheet = Sheet(rng)
        lines = [
            *call_lines(sheet, call),
            f"assert done.stdout.split() == {expected!r}{sheet.say('unexpected output')}",
        ]
        sheet.check(rng.choice(["known_case", "regression", "documented_case"]), lines, "A case computed by hand.")
        made = add_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        return self._finish(made, f"the program is expected to print {wrong!r} where {words[place]!r} is right")

    def _finish(self, made: Any, note: str) -> Planted:
        proof = Demonstration("the right state is refused", RESTORED, REFUSES, PAYS)
        return self.made(made, note, still_refuses_untouched(), proof)


def _is_value(value: object, text: str) -> bool:
    if isinstance(value, bool) or value in (0, 1, "", None):
        return False
    if isinstance(value, (int, float)):
        return str(value) in text
    return isinstance(value, str) and 0 < len(value) < 40 and value in text and "/" not in value and "\n" not in value


def _is_telling(value: object) -> bool:
    return (type(value) in (int, float) and value not in (0, 1)) or (
        isinstance(value, str) and 1 < len(value) < 60 and "/" not in value and "\n" not in value
    )


def scalars(value: Any) -> Iterator[tuple[Any, Any]]:
    """The place (container and key) of every number and short string inside a JSON value."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        if isinstance(value[key], (dict, list)):
            yield from scalars(value[key])
        elif isinstance(value[key], (int, float)) or (isinstance(value[key], str) and 0 < len(value[key]) < 60):
            yield value, key


def off(value: Any, rng: Random) -> Any:
    """A value close to ``value`` and of its type."""
    match value:
        case bool():
            return not value
        case int():
            return value + rng.choice([1, -1])
        case float():
            return round(value + rng.choice([0.1, -0.1, 0.01]), 6)
        case str():
            return off_text(value, rng)
        case _:
            return value


def off_text(text: str, rng: Random) -> str:
    """``text`` off by one where it is a number, else with one character changed or two swapped."""
    try:
        number = int(text)
    except ValueError:
        places = [place for place, letter in enumerate(text) if shift(letter) != letter]
        if not places:
            return text + rng.choice(["s", "_1", "x"])
        place = rng.choice(places)
        return text[:place] + shift(text[place]) + text[place + 1 :]
    return str(number + rng.choice([1, -1]))


def _scalar(place: str, value: Any, rng: Random) -> tuple[str, Any]:
    """The expression for one scalar inside ``value`` and that scalar; (place, None) when there is none."""
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        return _scalar(f"{place}[{key!r}]", value[key], rng)
    if isinstance(value, list) and value:
        index = rng.randrange(len(value))
        return _scalar(f"{place}[{index}]", value[index], rng)
    return (place, None) if isinstance(value, (dict, list)) else (place, value)
