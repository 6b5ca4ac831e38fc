"""The three ways in which a verifier's run becomes a reward.

- ``harbor``: whatever the script's exit status, the reward files count (facts: Harbor ignores the exit status).
- ``pytest``: TMax runs ``python3 -m pytest test_final_state.py`` in the folder of the tests, with the image's own
  Python, and pays 1 for exit status 0. Every other exit status is 0, apart from those where pytest judged nothing
  (``crash.py``).
- ``terminal-bench-1``: the script's output is parsed; 1 when every test of the short summary passed or was skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from river_envs.outcome import Status, TestResult
from river_envs.sandbox.base import ExecResult
from river_envs.verify.pytest_results import MAX_XML_BYTES, PytestReport, read_junit, read_terminal, summary_lines
from river_envs.verify.reward import NoReward, Reward, read_reward
from river_envs.verify.workplace import JUNIT, TESTS, Workplace

_PYTEST_STATUS = {
    3: "pytest met an internal error (exit status 3)", 4: "pytest refused its arguments (exit status 4)",
    5: "pytest found no test (exit status 5)", 126: "python3 cannot be executed in this image",
    127: "this image has no python3 for the tests",
}


@dataclass(frozen=True)
class Run:
    """A verifier's run, before it is judged: what the command did, what it is worth, and what pytest reported."""

    result: ExecResult
    verdict: Reward | NoReward
    text: str
    report: PytestReport
    tests: tuple[TestResult, ...] = ()


def run_harbor(place: Workplace) -> Run:
    """Run ``/tests/<entry>`` with bash and read the reward files."""
    command = ["bash", f"{TESTS}/{place.environment.verifier.entry}"]
    result = place.start(command)
    verdict = _unfinished(result) or read_reward(place.sandbox, place.environment.verifier)
    if result.exit_code == 127 and isinstance(verdict, NoReward) and re.search(r"\bbash\b.*not found", result.text):
        verdict = NoReward(Status.VERIFIER_CRASHED, "this image has no bash for the verifier's script")
    report = read_terminal(result.text)
    tests = report.tests if place.per_test else ()
    if place.per_test == "run" and _unfinished(result) is None:
        tests = _second_run(place, command) or tests
    return Run(result, verdict, result.text, report, tests)


def run_pytest(place: Workplace) -> Run:
    """Run ``/tests/<entry>`` with pytest, in its folder, as TMax's Harbor conversion does."""
    command = ["python3", "-m", "pytest", place.environment.verifier.entry, "-v"]
    if place.per_test:
        command.append(f"--junitxml={JUNIT}")
    result = place.start(command, cwd=TESTS)
    report = read_terminal(result.text)
    verdict = _unfinished(result) or _pytest_verdict(result.exit_code or 0, report)
    tests = (_junit(place) or report.tests) if place.per_test else ()
    return Run(result, verdict, result.text, report, tests)


def _pytest_verdict(exit_code: int, report: PytestReport) -> Reward | NoReward:
    """The reward for pytest's exit status."""
    if crash := _PYTEST_STATUS.get(exit_code):
        return NoReward(Status.VERIFIER_CRASHED, crash)
    if exit_code >= 128 and not report.ended:
        return NoReward(Status.VERIFIER_CRASHED, f"pytest was killed by signal {exit_code - 128} before it ended")
    value = 1.0 if exit_code == 0 else 0.0
    return Reward(value, {"reward": value}, "exit status of pytest")


def run_terminal_bench(place: Workplace) -> Run:
    """Run ``/tests/<entry>`` with bash and parse what it prints."""
    parser = place.environment.verifier.parser or "pytest"
    parse = _PARSERS.get(parser)
    if parse is None:
        known = ", ".join(sorted(_PARSERS))
        refusal = NoReward(Status.UNSUPPORTED, f"the output parser {parser!r} is not supported (supported: {known})")
        return Run(ExecResult(None, b"", 0.0), refusal, "", PytestReport())
    result = place.start(["bash", f"{TESTS}/{place.environment.verifier.entry}"], env={"TEST_DIR": TESTS})
    report = read_terminal(result.text)
    verdict = _unfinished(result) or parse(result.text)
    return Run(result, verdict, result.text, report, report.tests if place.per_test else ())


def _parse_pytest(text: str) -> Reward | NoReward:
    """1 when the short test summary names at least one test, and none that failed."""
    lines = summary_lines(text)
    if not lines:
        return NoReward(Status.VERIFIER_CRASHED, "the verifier printed no short test summary to take the reward from")
    value = 0.0 if any(status in ("FAILED", "ERROR", "XPASS") for status, _ in lines) else 1.0
    return Reward(value, {"reward": value}, "short test summary")


_PARSERS: dict[str, Callable[[str], Reward | NoReward]] = {"pytest": _parse_pytest}


def _unfinished(result: ExecResult) -> NoReward | None:
    """Why a run that was cut off has no reward; None for one that ended by itself."""
    if result.timed_out:
        return NoReward(Status.VERIFIER_TIMEOUT, f"the verifier was still running after {result.seconds:.0f} s")
    if result.exit_code is None:
        return NoReward(Status.VERIFIER_CRASHED, "the verifier was killed for writing too much output")
    return None


def _second_run(place: Workplace, command: list[str]) -> tuple[TestResult, ...]:
    """Per-test results from a second, non-scoring run, in the state that the first one left."""
    place.sandbox.remove(JUNIT)
    place.run(command, env={"PYTEST_ADDOPTS": f"--junitxml={JUNIT}"})
    return _junit(place)


def _junit(place: Workplace) -> tuple[TestResult, ...]:
    """The results in the JUnit file; empty when there is none that can be read."""
    try:
        return read_junit(place.sandbox.get(JUNIT, limit=MAX_XML_BYTES + 1))
    except OSError:
        return ()  # an absent or hostile file means "no per-test data" and nothing else


PROTOCOLS: dict[str, Callable[[Workplace], Run]] = {
    "harbor": run_harbor, "pytest": run_pytest, "terminal-bench-1": run_terminal_bench,
}
