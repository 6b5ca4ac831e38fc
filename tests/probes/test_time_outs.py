"""Time-outs among the repeats of a reference: a hang is told from slowness, and from a process that is not there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from probe_support import controls, environment, graded, survey

from river_envs.environment import Environment
from river_envs.outcome import Outcome, Status
from river_envs.probes.base import Attempt, Background, Judgement, ProbeStatus, Result, Step
from river_envs.probes.reference import GROWN, ReferencePasses
from river_envs.sandbox.base import Base

REFERENCE = ReferencePasses()


def passes(attempt: Attempt, seconds: float = 1.0) -> Result:
    result = graded(attempt, True)
    return replace(result, outcome=replace(result.outcome, seconds=seconds))


def hangs(attempt: Attempt) -> Result:
    result = graded(attempt, False)
    return replace(result, outcome=Outcome(Status.VERIFIER_TIMEOUT, detail="the verifier was still running"))


def cut(attempt: Attempt, limit: float, passed: bool = False) -> Result:
    """The solution was killed for its time, and what it had left was graded."""
    step = Step({"solve": True}, False, None, f"working\nkilled after {limit:g} s", limit)
    return replace(graded(attempt, passed), receipt=(step,))


def carried_out(env: Environment, answer: Callable[[Attempt, int], Result]) -> tuple[list[Result], Judgement]:
    """The series as the audit makes it; ``answer`` gets the attempt and how many there were before."""
    results: list[Result] = []
    planned = list(REFERENCE.plan(env, survey()))  # type: ignore[arg-type]
    while planned:
        for attempt in planned:
            results.append(answer(attempt, len(results)))
        planned = list(REFERENCE.more(env, results, controls(env)))
    return results, REFERENCE.judge(env, results, controls(env))


@pytest.mark.parametrize("when", [(1, 3), (2, 9), (0, 4)])
def test_passes_and_hangs_are_unstable_with_the_counts(when: tuple[int, ...]):
    env = environment()
    env = replace(env, verifier=replace(env.verifier, timeout_sec=60.0))
    results, judgement = carried_out(env, lambda a, n: hangs(a) if n in when else passes(a))
    (finding,) = judgement.findings
    assert (finding.claim, finding.cause) == ("unstable", "flaky")
    assert "passed 8 of 10 gradings, and 2 ran out of time" in finding.message
    assert finding.evidence == {"passed": 8, "graded": 8, "timeouts": 2}
    assert len(results) == GROWN


def test_one_hang_does_not_end_the_series_and_is_enough_where_it_is_clear():
    results, judgement = carried_out(environment(), lambda a, n: hangs(a) if n == 2 else passes(a))
    assert len(results) == GROWN
    assert [finding.cause for finding in judgement.findings] == ["flaky"]


@pytest.mark.parametrize(("seconds", "when"), [(100, {2}), (400, {2, 3, 4})])
def test_slowness_is_no_hang(seconds: float, when: set[int]):
    """A machine that is busy for a moment: what passed took a sixth, or two thirds, of the 600 s."""
    _, judgement = carried_out(environment(), lambda a, n: hangs(a) if n in when else passes(a, seconds))
    assert (judgement.status, judgement.findings) == (ProbeStatus.ERROR, ())
    assert "too slow" in judgement.reason


def test_time_outs_alone_are_too_slow_and_are_waited_for_twice():
    results, judgement = carried_out(environment(), lambda a, n: hangs(a))
    assert (len(results), [finding.cause for finding in judgement.findings]) == (2, ["too-slow"])


def test_time_outs_on_a_base_that_nobody_vouched_for_prove_nothing():
    env = environment()
    results, _ = carried_out(env, lambda a, n: hangs(a))
    background = replace(controls(env), bases=(Base("x", "host", "host", True),))
    assert REFERENCE.judge(env, results, background).status is ProbeStatus.ERROR


@pytest.mark.parametrize(("limit", "waits"), [(20.0, 3), (900.0, 2)])
def test_long_waits_are_few(limit: float, waits: int):
    env = environment()
    env = replace(env, verifier=replace(env.verifier, timeout_sec=limit))
    results, judgement = carried_out(env, lambda a, n: hangs(a) if n and n != 2 else passes(a))
    assert sum(result.outcome.status is Status.VERIFIER_TIMEOUT for result in results) == waits
    assert [finding.cause for finding in judgement.findings] == ["flaky"]


def test_waiting_for_a_process_that_only_the_solution_starts_is_steady():
    """A look-alike: the restored state hangs each time, for want of the server, and work in place passes."""
    results, judgement = carried_out(environment(), lambda a, n: hangs(a) if a.arm == "again" else passes(a))
    assert (judgement.status, judgement.findings) == (ProbeStatus.SURVIVED, ())
    assert "processes" in judgement.reason
    where = tuple(replace(result, in_place=result.attempt.arm != "again") for result in results)
    assert Background(reference=where).in_place


def test_a_solution_that_sometimes_hangs_is_unstable():
    env = environment()
    limit = env.limits.agent_timeout_sec
    _, judgement = carried_out(env, lambda a, n: passes(a) if n else cut(a, limit))
    (finding,) = judgement.findings
    assert (finding.cause, finding.evidence["timeouts"]) == ("flaky", 1)
    assert "a solution may take" in finding.message


@pytest.mark.parametrize("passed", [True, False])
def test_a_solution_that_always_hangs_is_no_evidence(passed: bool):
    env = environment()
    results, judgement = carried_out(env, lambda a, n: cut(a, env.limits.agent_timeout_sec, passed))
    assert (len(results), judgement.status, judgement.findings) == (2, ProbeStatus.ERROR, ())
    assert "killed after" in judgement.reason


def test_a_crash_among_them_is_an_error():
    def answer(attempt: Attempt, n: int) -> Result:
        crashed = replace(graded(attempt, False), outcome=Outcome(Status.SANDBOX_ERROR, detail="no space"))
        return {1: hangs(attempt), 2: crashed}.get(n, passes(attempt))

    assert carried_out(environment(), answer)[1].status is ProbeStatus.ERROR
