"""verifier-crashes: the verifier dies before it has judged anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from river_envs.environment import Environment, File
from river_envs.plant.base import PAYS, RESTORED, CannotCarry, Defect, Demonstration, Planted
from river_envs.plant.subject import Subject
from river_envs.plant.suite import Suite, read_suite, script_of, with_files, with_script


class VerifierCrashes(Defect):
    """The tests cannot be collected: a helper or a package is missing, a line is no Python, the script names a file
    that is not there, a conftest fails. Differs from a sound variant in that no state at all is judged.
    """

    cause = "verifier-crashes"

    def form_missing_helper(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A module that is not shipped is imported."""
        line = rng.choice(
            [
                "from grading_helpers import load_expected",
                "import task_utils",
                "from verifier_common import normalise",
                "import deepdiff_lite",
                "from checklib import approx",
            ]
        )
        return self._edited(
            subject, lambda text: _before_code(text, line), f"the tests run '{line}', which is not shipped"
        )

    def form_syntax(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A line is no Python."""
        line = rng.choice(
            [
                "def _normalise(value)\n    return value.strip()",
                "EXPECTED_ROWS = [1, 2, 3",
                "print 'running checks'",
                "<<<<<<< HEAD",
                "except_codes = {'a': 1, 'b' 2}",
            ]
        )
        return self._edited(subject, lambda text: _before_code(text, line), "the test module does not parse")

    def form_wrong_name(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The script runs a test file that is not there."""
        suite = _pytest(subject)
        if isinstance(suite, CannotCarry):
            return suite
        assert suite.module is not None  # pytest suites have one
        script = script_of(subject.environment.verifier) or ""
        name = suite.module.path
        wrong = rng.choice([name.replace("test_", "tests_", 1), name.replace(".py", "s.py"), f"unit_{name}"])
        if name not in script:
            return CannotCarry("the script does not name its test file")
        return self._finish(
            with_script(subject.environment, script.replace(name, wrong)),
            f"the script runs {wrong}, the tests are in {name}",
        )

    def form_option(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The script passes an option of a plugin that is not installed."""
        suite = _pytest(subject)
        if isinstance(suite, CannotCarry):
            return suite
        script = script_of(subject.environment.verifier) or ""
        option = rng.choice(
            [
                "--json-report",
                "--reruns=2",
                "--dist=loadgroup2",
                "--html=/logs/report.html",
                "--ctrf-output=/logs/ctrf.json",
            ]
        )
        if "pytest " not in script:
            return CannotCarry("the script does not call pytest itself")
        made = with_script(subject.environment, script.replace("pytest ", f"pytest {option} ", 1))
        return self._finish(made, f"pytest does not know {option}")

    def _edited(self, subject: Subject, change: Callable[[str], str], note: str) -> Planted | CannotCarry:
        suite = _pytest(subject)
        if isinstance(suite, CannotCarry):
            return suite
        assert suite.module is not None  # pytest suites have one
        text = change(suite.module.content.decode("utf-8", "replace"))
        file: File = replace(suite.module, content=text.encode())
        return self._finish(with_files(subject.environment, file), note)

    def _finish(self, made: Environment, note: str) -> Planted:
        proof = Demonstration("the reference's state is not judged", RESTORED, frozenset({"verifier-crashed"}), PAYS)
        return self.made(made, note, proof)


def _pytest(subject: Subject) -> Suite | CannotCarry:
    suite = read_suite(subject.environment.verifier)
    if isinstance(suite, CannotCarry):
        return suite
    if suite.kind != "pytest" or suite.module is None:
        return CannotCarry("the tests are not run by pytest")
    return suite


def _before_code(text: str, line: str) -> str:
    """``text`` with ``line`` in front of its first import."""
    found = re.search(r"^(?:import|from) ", text, re.MULTILINE)
    place = found.start() if found else len(text)
    return f"{text[:place]}{line}\n{text[place:]}"
