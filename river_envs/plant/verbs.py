"""What a verifier does before it judges: statements that run first, in the manner of its tests."""

from __future__ import annotations

from river_envs.environment import Environment
from river_envs.plant.base import CannotCarry
from river_envs.plant.sheet import Sheet
from river_envs.plant.suite import add_checks, read_suite


def setup_first(environment: Environment, sheet: Sheet, lines: list[str]) -> Environment | CannotCarry:
    """The environment whose tests run ``lines`` before any of them: as a module setup of pytest or unittest, or as the
    first check of a script.
    """
    suite = read_suite(environment.verifier)
    if isinstance(suite, CannotCarry):
        return suite
    if suite.kind == "pytest":
        body = "\n".join(f"    {line}" for line in lines)
        name = sheet.rng.choice(["setup_module", "fixture"])
        if name == "setup_module":
            sheet.helpers.append(f"def setup_module(module):\n{body}")
        else:
            sheet.need("pytest")
            label = sheet.rng.choice(["prepare", "environment_ready", "backend"])
            sheet.helpers.append(f'@pytest.fixture(scope="module", autouse=True)\ndef {label}():\n{body}')
        if "def setup_module" in (suite.module.content.decode("utf-8", "replace") if suite.module else ""):
            return CannotCarry("the tests have a setup already")
    elif suite.kind == "unittest":
        body = "\n".join(f"    {line}" for line in lines)
        sheet.helpers.append(f"def setUpModule():\n{body}")
    else:
        sheet.check("prerequisites", lines, "What the checks need is there.")
    return add_checks(environment, sheet)
