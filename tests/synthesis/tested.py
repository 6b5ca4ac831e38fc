"""A verifier made of a Python test file, run on the files of an attempt below a folder, without a sandbox."""

from __future__ import annotations

import inspect
import json
import shutil
import unittest
from pathlib import Path

import pytest

from river_envs.probes.base import Attempt, Put


def _fixtures(scope: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in scope.items() if type(value).__name__ == "FixtureFunctionDefinition"}


def _call(function: object, scope: dict[str, object], given: dict[str, object]) -> object:
    """Call a test or a fixture with its fixtures."""
    arguments = dict(given)
    for name in inspect.signature(function).parameters:  # type: ignore[arg-type]
        if name not in arguments:
            arguments[name] = _call(_fixtures(scope)[name]._get_wrapped_function(), scope, {})  # type: ignore[attr-defined]
    return function(**arguments)  # type: ignore[operator]


def _parameters(function: object) -> list[dict[str, object]]:
    sets: list[dict[str, object]] = [{}]
    for mark in getattr(function, "pytestmark", []):
        names = [name.strip() for name in mark.args[0].split(",")]
        rows = [row if len(names) > 1 else (row,) for row in mark.args[1]]
        sets = [{**old, **dict(zip(names, row, strict=True))} for old in sets for row in rows]
    return sets


def passes(tests: str, attempt: Attempt, folder: Path, data: dict[str, str]) -> bool:
    """Whether ``tests`` accept what ``attempt`` writes; ``/app`` is ``folder``."""
    root = folder / "app"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    for name, text in data.items():
        (root / name).write_text(text)
    for action in attempt.actions:
        assert isinstance(action, Put)
        for file in action.files:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.content)
            target.chmod(file.mode)
    truth = folder / "tests" / "truth.json"
    truth.parent.mkdir(exist_ok=True)
    truth.write_text(json.dumps({str(number): 1000.5 + number for number in range(100)}))
    scope: dict[str, object] = {"__name__": "sample", "__file__": str(truth.with_name("test_x.py"))}
    try:
        exec(compile(tests.replace('"/app', f'"{root}'), "test_x.py", "exec"), scope)
        for name, value in list(scope.items()):
            if name.startswith("test") and callable(value):
                for given in _parameters(value):
                    _call(value, scope, given)
            elif inspect.isclass(value) and issubclass(value, unittest.TestCase):
                outcome = unittest.TestResult()
                unittest.defaultTestLoader.loadTestsFromTestCase(value).run(outcome)
                if not outcome.wasSuccessful():
                    return False
    except (Exception, pytest.fail.Exception):  # noqa: BLE001 - whatever a test raises is its failure
        return False
    return True
