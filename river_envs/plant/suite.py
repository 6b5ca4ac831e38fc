"""Rewriting a verifier while keeping its manner: which module holds its tests, how they are run, how to change them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from river_envs.environment import Environment, File, Verifier
from river_envs.plant.base import CannotCarry
from river_envs.plant.sheet import Sheet

_COMMAND = re.compile(r"(?:python3?\S*(?: +-\S+)* +-m +(?:pytest|unittest)|pytest|python3? +/tests/\S+\.py)[^\n;|&()]*")

REWARD = "if [ $? -eq 0 ]; then\n  echo 1 > /logs/verifier/reward.txt\nelse\n  echo 0 > /logs/verifier/reward.txt\nfi"
"""Shell code that turns the status of the last command into a reward."""


@dataclass(frozen=True)
class Suite:
    """The module of a verifier that holds its tests (None: they are shell code), and what runs it."""

    kind: Literal["pytest", "unittest", "script", "shell"]
    module: File | None
    command: str


def read_suite(verifier: Verifier) -> Suite | CannotCarry:
    """How ``verifier`` is made; CannotCarry when its tests are spread over several modules or not understood."""
    script = script_of(verifier)
    if verifier.protocol != "harbor" or script is None:
        return CannotCarry("the verifier is no Harbor verifier")
    called = [file for file in verifier.files if file.path != verifier.entry and f"/tests/{file.path}" in script]
    shell = [file.content.decode("utf-8", "replace") for file in called if file.path.endswith(".sh")]
    found = next(filter(None, (_COMMAND.search(_without_comments(text)) for text in (script, *shell))), None)
    modules = [file for file in verifier.files if file.path.endswith(".py") and "/" not in file.path]
    named = (
        [file for file in modules if re.search(rf"\b{re.escape(file.path[:-3])}\b", found.group(0))] if found else []
    )
    if found and not named:
        named = [file for file in modules if re.match(r"test_|.*_test\.py$", file.path)]
    if found and len(named) != 1:
        return CannotCarry(f"the tests are spread over {len(named)} modules")
    if not found:
        return Suite("shell", None, "")
    command = found.group(0).strip()
    kind: Literal["pytest", "unittest", "script"] = "script"
    if "pytest" in command:
        kind = "pytest"
    elif "unittest" in command:
        kind = "unittest"
    return Suite(kind, named[0], command)


def script_of(verifier: Verifier) -> str | None:
    """The text of the entry script."""
    return next(
        (file.content.decode("utf-8", "replace") for file in verifier.files if file.path == verifier.entry), None
    )


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def with_files(environment: Environment, *files: File) -> Environment:
    """The environment with these files of the verifier added or replaced."""
    paths = {file.path for file in files}
    kept = [file for file in environment.verifier.files if file.path not in paths]
    ordered = tuple(sorted([*kept, *files], key=lambda file: file.path))
    return replace(environment, verifier=replace(environment.verifier, files=ordered))


def with_script(environment: Environment, text: str) -> Environment:
    """The environment with another entry script."""
    return with_files(environment, File(environment.verifier.entry, text.encode(), 0o755))


def replace_checks(environment: Environment, sheet: Sheet) -> Environment | CannotCarry:
    """The environment whose tests are those of ``sheet`` alone, in the manner of the old ones."""
    suite = read_suite(environment.verifier)
    if isinstance(suite, CannotCarry):
        return suite
    if suite.module is None:
        name = sheet.rng.choice(["test_outputs.py", "test_state.py", "test_result.py"])
        run = f"python3 -m pytest -rA -p no:cacheprovider /tests/{name}"
        script = f"#!/bin/bash\nmkdir -p /logs/verifier\n{run}\n{REWARD}\n"
        return with_files(with_script(environment, script), File(name, sheet.render("pytest").encode()))
    if not sheet.doc:
        sheet.doc = docstring(suite.module)
    return with_files(environment, replace(suite.module, content=sheet.render(suite.kind).encode()))


def add_checks(environment: Environment, sheet: Sheet) -> Environment | CannotCarry:
    """The environment whose verifier makes the checks of ``sheet`` besides its own."""
    suite = read_suite(environment.verifier)
    if isinstance(suite, CannotCarry):
        return suite
    if suite.module is None:
        return _add_to_shell(environment, sheet)
    source = suite.module.content.decode("utf-8", "replace")
    lines = source.splitlines()
    tree = ast.parse(source)
    head = _after_imports(tree)
    tail = _before_end(tree, len(lines))
    imports = [line for line in sorted(sheet.imports) if line not in lines]
    block = ["", *sheet.constants] if sheet.constants else []
    functions = sheet.functions("pytest" if suite.kind == "script" else suite.kind)
    for part in [*sheet.helpers, *functions]:
        block += ["", "", *part.strip("\n").splitlines()]
    if suite.kind == "script":
        block += ["", "", *(f"test_{check.name}()" for check in sheet.checks)]
    if suite.kind == "unittest" and "import unittest" not in lines:
        imports.append("import unittest")
    text = "\n".join(
        [*lines[:head], *imports, *lines[head:tail], *block, *(["", ""] if tail < len(lines) else []), *lines[tail:]]
    )
    return with_files(environment, replace(suite.module, content=text.encode() + b"\n"))


def _add_to_shell(environment: Environment, sheet: Sheet) -> Environment | CannotCarry:
    """A shell verifier gets a Python check beside it, which its condition asks as well."""
    script = script_of(environment.verifier) or ""
    match = re.search(r"^if (\w+); then$", script, re.MULTILINE)
    if match is None:
        return CannotCarry("the shell verifier has no condition to extend")
    name = sheet.rng.choice(["extra_checks.py", "check_details.py", "more.py"])
    text = script[: match.start()] + f"if {match.group(1)} && python3 /tests/{name}; then" + script[match.end() :]
    return with_files(with_script(environment, text), File(name, sheet.render("script").encode()))


def _after_imports(tree: ast.Module) -> int:
    """The line after which further imports belong: the last of those that the module starts with."""
    last = 0
    for number, node in enumerate(tree.body):
        is_docstring = number == 0 and ast.get_docstring(tree) is not None
        if not is_docstring and not isinstance(node, (ast.Import, ast.ImportFrom)):
            break
        last = node.end_lineno or last
    return last


def _before_end(tree: ast.Module, last: int) -> int:
    """The line before which definitions can be added: in front of what a module runs when it is executed."""
    for node in tree.body[::-1]:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            break
        last = node.lineno - 1
    return last


def docstring(module: File) -> str:
    """The first line of the module's docstring, or nothing."""
    try:
        found = ast.get_docstring(ast.parse(module.content)) or ""
    except (SyntaxError, ValueError):
        return ""
    return found.splitlines()[0].replace('"', "'") if found else ""


def transform(environment: Environment, change: Callable[[ast.Module], bool]) -> Environment | CannotCarry:
    """The environment whose test module was changed in its syntax tree by ``change``, which says whether it could."""
    suite = read_suite(environment.verifier)
    if isinstance(suite, CannotCarry):
        return suite
    if suite.module is None:
        return CannotCarry("the tests are shell code")
    try:
        tree = ast.parse(suite.module.content)
    except (SyntaxError, ValueError):
        return CannotCarry("the test module does not parse")
    if not change(tree):
        return CannotCarry("the tests have no place for this change")
    text = ast.unparse(ast.fix_missing_locations(tree))
    return with_files(environment, replace(suite.module, content=_spaced(text).encode() + b"\n"))


def _spaced(text: str) -> str:
    """Two blank lines around top-level definitions, which ``ast.unparse`` leaves out."""
    return re.sub(r"\n+(?=(?:@|def |class ))", "\n\n\n", text)


def tests_of(tree: ast.Module) -> list[ast.FunctionDef]:
    """The functions that judge: tests, methods of test classes, checks of a script, parametrised bodies."""
    judging = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _asserts(node)]
    named = [node for node in judging if re.match(r"test|check", node.name)]
    return named or [node for node in judging if node in tree.body]


def _asserts(function: ast.FunctionDef) -> bool:
    return any(isinstance(part, ast.Assert) for part in ast.walk(function))


def body_of(function: ast.FunctionDef) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The docstring statement (none or one) and the rest of a function's body."""
    first: Sequence[ast.stmt] = function.body[:1] if ast.get_docstring(function) is not None else []
    return list(first), list(function.body[len(first) :])
