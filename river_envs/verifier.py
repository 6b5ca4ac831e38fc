"""Grading: what a verifier says about the state that a sandbox holds right now.

    outcome = grade(sandbox, environment)

The tests enter the sandbox here and nowhere else. A reward counts only when the verifier gave one; whatever kept it
from doing so is a status of its own, never a 0 (design, rule 1). After grading the sandbox holds the tests: take
its delta before.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from river_envs.environment import Environment
from river_envs.outcome import Outcome, Status
from river_envs.sandbox.base import Sandbox, SandboxError
from river_envs.verify import conditions as under
from river_envs.verify.crash import crash_reason
from river_envs.verify.log import line, shorten
from river_envs.verify.network import network_reason
from river_envs.verify.protocols import PROTOCOLS, Run
from river_envs.verify.reward import NoReward, Reward
from river_envs.verify.workplace import PerTest, Workplace

if TYPE_CHECKING:
    from river_envs.verify.test_layer import TestLayer


def grade(
    sandbox: Sandbox,
    environment: Environment,
    *,
    pass_at: float = 1.0,
    network: bool = False,
    test_layer: TestLayer | None = None,
    per_test: PerTest = True,
    conditions: under.Conditions = (),
) -> Outcome:
    """Run the verifier of ``environment`` on the state in ``sandbox``.

    ``pass_at`` is the least reward that passes. ``network`` says whether the sandbox was started with one; it only
    words the detail of a failed download. ``test_layer`` answers the downloads that the verifier would make
    (``verify/test_layer.py``). ``per_test`` adds per-test results where the run shows them; ``"run"`` asks a Harbor
    verifier for them in a second run that does not score. ``conditions`` are what the verifier runs under beside the
    ordinary (``verify/conditions.py``; raises RiverError for one that does not exist). Otherwise never raises for
    what the environment does: a failing sandbox is ``Status.SANDBOX_ERROR``.
    """
    substitutions = tuple(
        f"base {base.requested}: {base.resolved} ({base.origin})" for base in sandbox.image.bases if base.substituted
    )
    if environment.unsupported:
        reasons = line("; ".join(environment.unsupported))
        return Outcome(Status.UNSUPPORTED, detail=f"not run: {reasons}", substitutions=substitutions)
    prepared = under.prepare(conditions)
    time.sleep(under.delay(conditions))
    for left in reversed(range(under.times(conditions))):
        outcome = _grade_once(sandbox, environment, pass_at, network, test_layer, per_test, prepared)
        if not left or outcome.status is not Status.GRADED:
            break
    told = under.told(conditions, prepared.collect(sandbox)) if conditions else ()
    return replace(outcome, substitutions=(*substitutions, *outcome.substitutions, *told))


def _grade_once(
    sandbox: Sandbox,
    environment: Environment,
    pass_at: float,
    network: bool,
    test_layer: TestLayer | None,
    per_test: PerTest,
    prepared: under.Prepared,
) -> Outcome:
    """One grading, under conditions made ready."""
    substitutions: tuple[str, ...] = ()
    try:
        env = test_layer.install(sandbox, environment) if test_layer else {}
        prepared.install(sandbox)
        prepared.finish(sandbox)
        place = Workplace(sandbox, environment, network, per_test, env, prepared.wrap)
        place.put_tests()
        run = PROTOCOLS[environment.verifier.protocol](place)
        if test_layer:
            substitutions = test_layer.collect(sandbox)
    except SandboxError as error:
        return Outcome(Status.SANDBOX_ERROR, detail=line(str(error)), substitutions=substitutions)
    outcome = _outcome(run, place, pass_at, substitutions)
    if outcome.status is Status.NEEDS_NETWORK and test_layer and test_layer.unavailable:
        return replace(outcome, detail=f"{outcome.detail}; no test layer answers it: {test_layer.unavailable}")
    return outcome


def _outcome(run: Run, place: Workplace, pass_at: float, substitutions: tuple[str, ...]) -> Outcome:
    """Turn a run into an outcome: its reward where the verifier judged the state, else why it did not."""
    verdict = run.verdict
    refusal = verdict if isinstance(verdict, NoReward) else None
    if isinstance(verdict, NoReward) or verdict.value < pass_at:
        refusal = _refusal(run, place) or refusal
    seen = Outcome(
        Status.GRADED, tests=run.tests, log=shorten(run.text), exit_code=run.result.exit_code,
        seconds=run.result.seconds, substitutions=substitutions,
    )
    if refusal is not None:
        return replace(seen, status=refusal.status, detail=refusal.detail)
    assert isinstance(verdict, Reward)  # narrowing: what is no refusal is a reward
    return replace(seen, reward=verdict.value, passed=verdict.value >= pass_at, rewards=verdict.rewards)


def _refusal(run: Run, place: Workplace) -> NoReward | None:
    """Why a run without a passing reward is no judgement of the state; None when it is one."""
    if isinstance(run.verdict, NoReward) and run.verdict.status in (
        Status.VERIFIER_TIMEOUT, Status.UNSUPPORTED, Status.MALFORMED_REWARD
    ):
        return run.verdict
    environment = place.environment
    crash = crash_reason(run.text, run.report, environment)
    known_crash = isinstance(run.verdict, NoReward) and run.verdict.status is Status.VERIFIER_CRASHED
    reason = network_reason(run.text, run.report, environment.verifier, crashed=bool(crash) or known_crash)
    if reason:
        allowed = " (the sandbox had a network)" if place.network else ""
        return NoReward(Status.NEEDS_NETWORK, reason + allowed)
    if known_crash:
        return None
    if crash:
        return NoReward(Status.VERIFIER_CRASHED, crash)
    if run.result.out_of_memory and not run.report.ended:
        return NoReward(Status.VERIFIER_CRASHED, "the sandbox ran out of memory before the verifier had finished")
    return None
