"""When a verifier died before it judged anything.

A reward of 0 that was written because pytest is missing says nothing about the state. These signs are looked for
only where the run did not end in a passing reward, and only where no test was run. Everything else that is not a
pass stays a judgement: in particular a test module that raises at import because a deliverable is missing has
judged the state (TMax counts every exit status but 0 as a reward of 0).
"""

from __future__ import annotations

import re

from river_envs.environment import Environment
from river_envs.verify.log import line, plain
from river_envs.verify.pytest_results import PytestReport

_NO_TOOL = re.compile(
    r"^.*?(?:No module named '?pytest'?$"
    r"|(?:python3?|pytest|uvx?|node|npm|npx|go|cargo|java|mvn|gradle|ruby|php): (?:command )?not found$"
    r"|error: Failed to spawn: .?(?:pytest|python\S*)$"
    r"|env: [‘'`\"]?(?:python3?|bash|pytest)[’'\"]?: No such file or directory$)",
    re.MULTILINE,
)
_REFUSED = re.compile(
    r"^(?:.*(?:__main__\.py|pytest(?:\.py)?|py\.test): error: .*"
    r"|ERROR: (?:usage: .*|file or directory not found: .*|not found: .*)"
    r"|INTERNALERROR> \S.*"
    r"|ImportError while loading conftest .*"
    r"|ImportError: Error importing plugin .*)$",
    re.MULTILINE,
)
_MISSING_MODULE = re.compile(r"^E\s+ModuleNotFoundError: No module named '([\w.]+)'", re.MULTILINE)
_FRAME = re.compile(r"^(\S+\.py):\d+: in ", re.MULTILINE)
_SYNTAX = re.compile(r"^E\s+File \"([^\"]+)\", line \d+", re.MULTILINE)
_SYNTAX_ERROR = re.compile(r"^E\s+((?:SyntaxError|IndentationError|TabError): .*)", re.MULTILINE)


def crash_reason(text: str, report: PytestReport, environment: Environment | None) -> str | None:
    """One sentence saying why the run in ``text`` judged nothing; None where it did judge, or where that cannot be
    told. Without the ``environment``, a test file that cannot be imported is taken for a judgement."""
    text = plain(text)
    if report.ran:
        return None
    if report.started:
        if refused := _REFUSED.search(text):
            return f"pytest could not start: {line(refused.group(0))}"
        if report.collection_errors:
            return _collection_reason(report, environment) if environment else None
        if (report.ended and report.collected == 0) or re.search(r"^(?:=+ )?no tests ran in ", text, re.MULTILINE):
            return "pytest found no test"
        return None
    for pattern in (_NO_TOOL, _REFUSED):
        if found := pattern.search(text):
            return f"the tests could not be started: {line(found.group(0))}"
    return None


def _collection_reason(report: PytestReport, environment: Environment) -> str | None:
    """Why a collection error is the verifier's own fault: a test dependency that is missing, or a test file that is
    no Python.

    A module counts as a test dependency when a file of the verifier imports it, no file of the verifier provides
    it, and the instruction does not name it (what the instruction names may be a deliverable).
    """
    own = {file.path.rsplit("/", 1)[-1] for file in environment.verifier.files}
    for block in report.collection_errors:
        frames = _FRAME.findall(block)
        innermost = frames[-1].rsplit("/", 1)[-1] if frames else ""
        missing = _MISSING_MODULE.search(block)
        if missing and innermost in own:
            module = missing.group(1).split(".")[0]
            if f"{module}.py" not in own and not re.search(rf"\b{re.escape(module)}\b", environment.instruction):
                return f"the tests import {module!r}, which is not installed"
        syntax = _SYNTAX.search(block)
        if syntax and syntax.group(1).startswith("/tests/") and (error := _SYNTAX_ERROR.search(block)):
            return f"{syntax.group(1)} is no Python for this interpreter: {line(error.group(1), 120)}"
    return None
