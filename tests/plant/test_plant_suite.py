"""Verifiers of several styles are read, extended and rewritten in their own manner."""

from __future__ import annotations

import ast
from dataclasses import replace
from random import Random

import pytest

from river_envs.environment import File
from river_envs.plant import CannotCarry
from river_envs.plant.sheet import Sheet
from river_envs.plant.suite import add_checks, read_suite, replace_checks
from river_envs.plant.suite import tests_of as judging_functions

UNITTEST = "import unittest\n\n\nclass Final(unittest.TestCase):\n    def test_a(self):\n        assert 1 == 1\n\n\n"
UNITTEST += "if __name__ == '__main__':\n    unittest.main()\n"
CHECKS = "import sys\n\n\ndef check_a():\n    assert 1 == 1\n\n\nfor check in (check_a,):\n    check()\nsys.exit(0)\n"
ISOLATED = "python3 -I -m pytest -c /dev/null --noconftest -rA /tests/test_x.py"
STYLES = {
    "pytest": (ISOLATED, "test_x.py", "def test_a():\n    assert 1 == 1\n"),
    "unittest": ("python3 -m unittest -v test_x", "test_x.py", UNITTEST),
    "script": ("python3 /tests/verify.py", "verify.py", CHECKS),
    "shell": ("", "", ""),
}
PAID = "then\n  echo 1 > /logs/verifier/reward.txt\nfi\n"


def with_style(environment, style):
    command, name, text = STYLES[style]
    script = f"#!/bin/bash\ncheck() {{\n  test -f /app/x\n}}\n\nif check; {PAID}"
    if command:
        script = f"#!/bin/bash\ncd /tests\n{command}\nif [ $? -eq 0 ]; {PAID}"
    files = [File("test.sh", script.encode(), 0o755), *([File(name, text.encode())] if name else [])]
    return replace(environment, verifier=replace(environment.verifier, files=tuple(files)))


def sheet():
    made = Sheet(Random(1))
    made.need("os")
    made.check("more", ["assert os.path.exists('/app/more')"], "There is more.")
    return made


def python_of(environment):
    return "\n".join(file.content.decode() for file in environment.verifier.files if file.path.endswith(".py"))


@pytest.mark.parametrize("style", STYLES)
def test_styles_are_recognised(report, style):
    assert read_suite(with_style(report, style).verifier).kind == style


@pytest.mark.parametrize("style", STYLES)
def test_checks_are_added_where_they_run(report, style):
    made = add_checks(with_style(report, style), sheet())
    tree = ast.parse(python_of(made))
    assert "/app/more" in python_of(made)
    if style == "shell":
        script = next(file for file in made.verifier.files if file.path == "test.sh")
        assert b"if check && python3 /tests/" in script.content
        return
    assert read_suite(made.verifier).kind == style
    if style == "script":
        runs = [node.lineno for node in tree.body if isinstance(node, ast.Expr) and "more" in ast.unparse(node)]
        assert runs[0] < next(node.lineno for node in tree.body if isinstance(node, ast.For))
    else:
        assert {"test_a", "test_more"} <= {function.name for function in judging_functions(tree)}


@pytest.mark.parametrize("style", STYLES)
def test_checks_replace_the_old_ones(report, style):
    source = python_of(replace_checks(with_style(report, style), sheet()))
    assert "1 == 1" not in source
    assert "/app/more" in source


def test_tests_in_several_modules_are_left_alone(report):
    script = File("test.sh", b"#!/bin/bash\npython3 -m pytest /tests\n", 0o755)
    modules = [File(f"test_{name}.py", b"def test_a():\n    assert True\n") for name in ("one", "two")]
    verifier = replace(report.verifier, files=(script, *modules))
    assert isinstance(read_suite(verifier), CannotCarry)
