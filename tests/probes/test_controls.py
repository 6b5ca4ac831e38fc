"""The controls: the untouched image and the reference."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import pytest
from probe_support import ask, controls, environment, failed, graded, survey

from river_envs.outcome import Outcome, Status
from river_envs.probes.base import Background, Judgement, NotApplicable, ProbeStatus, Result, Step
from river_envs.probes.reference import ReferencePasses
from river_envs.probes.untouched import Untouched
from river_envs.sandbox.base import Base

UNTOUCHED, REFERENCE = Untouched(), ReferencePasses()


def causes(judgement: Judgement | NotApplicable) -> list[str]:
    assert isinstance(judgement, Judgement)
    return [finding.cause for finding in judgement.findings]


def test_pay_for_nothing_is_caught_and_a_zero_is_not():
    env = environment()
    assert causes(ask(UNTOUCHED, env, survey(), lambda _: True)) == ["pays-for-nothing"]
    assert ask(UNTOUCHED, env, survey(), lambda _: False).status is ProbeStatus.SURVIVED


def test_an_unstable_control_grows_and_is_flaky():
    answers: Iterator[bool] = cycle([True, False])
    judgement = ask(UNTOUCHED, environment(), survey(), lambda _: next(answers))
    assert causes(judgement) == ["flaky"]
    assert len(judgement.findings[0].attempts) == 5


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        (Status.NO_REWARD_FILE, "no-reward-file"),
        (Status.MALFORMED_REWARD, "no-reward-file"),
        (Status.VERIFIER_CRASHED, "verifier-crashes"),
        (Status.VERIFIER_TIMEOUT, "too-slow"),
        (Status.NEEDS_NETWORK, "needs-network"),
        (Status.BUILD_FAILED, "build-fails"),
    ],
)
def test_no_reward_can_be_had(status: Status, cause: str):
    env = environment()
    results = [failed(attempt, status) for attempt in UNTOUCHED.plan(env, survey())]
    assert causes(UNTOUCHED.judge(env, results, Background())) == [cause]


def test_infrastructure_is_no_evidence():
    env = environment()
    results = [failed(attempt, Status.SANDBOX_ERROR, "no space") for attempt in UNTOUCHED.plan(env, survey())]
    judgement = UNTOUCHED.judge(env, results, Background())
    assert (judgement.status, judgement.findings) == (ProbeStatus.ERROR, ())


def test_a_failed_build_that_may_be_the_machines_fault_accuses_nobody():
    env = environment()
    results = [
        failed(attempt, Status.BUILD_FAILED, build="x", blameless=True) for attempt in UNTOUCHED.plan(env, survey())
    ]
    assert UNTOUCHED.judge(env, results, Background()).status is ProbeStatus.ERROR


def test_a_crash_on_an_unvouched_base_accuses_nobody():
    env = environment()
    results = [failed(attempt, Status.VERIFIER_CRASHED) for attempt in UNTOUCHED.plan(env, survey())]
    stand_in = Background(bases=(Base("ubuntu:22.04", "host", "host", True),))
    named = Background(bases=(Base("ubuntu:22.04", "host", "alias", True),))
    assert UNTOUCHED.judge(env, results, stand_in).status is ProbeStatus.ERROR
    assert causes(UNTOUCHED.judge(env, results, named)) == ["verifier-crashes"]


def test_a_declared_network_that_was_not_allowed_is_ours_to_allow():
    env = environment(network="public")
    results = [failed(attempt, Status.NEEDS_NETWORK) for attempt in UNTOUCHED.plan(env, survey())]
    judgement = UNTOUCHED.judge(env, results, Background())
    assert judgement.status is ProbeStatus.ERROR
    assert "--network" in judgement.reason


def test_a_verifier_that_is_slow_only_without_work_is_not_broken():
    env = environment()
    reference = tuple(graded(attempt, True) for attempt in REFERENCE.plan(env, survey()))
    results = [failed(attempt, Status.VERIFIER_TIMEOUT) for attempt in UNTOUCHED.plan(env, survey())]
    assert UNTOUCHED.judge(env, results, Background(reference=reference)).status is ProbeStatus.ERROR


def test_no_reward_on_failure_is_told_from_no_reward_at_all():
    env = environment()
    results = [failed(attempt, Status.NO_REWARD_FILE, "no file") for attempt in UNTOUCHED.plan(env, survey())]
    untouched, first = tuple(results), REFERENCE.plan(env, survey())[0]
    told = {
        name: UNTOUCHED.judge(env, results, Background(untouched, reference)).findings[0]
        for name, reference in (
            ("paid", (graded(first, True),)), ("none", (failed(first, Status.NO_REWARD_FILE),)), ("unknown", ())
        )
    }
    assert {finding.cause for finding in told.values()} == {"no-reward-file"}
    assert "on failure" in told["paid"].message
    assert "set -e" in told["paid"].advice
    assert told["none"].message == told["unknown"].message != told["paid"].message
    assert told["none"].advice == told["unknown"].advice != told["paid"].advice
    assert len({finding.id for finding in told.values()}) == 1


def test_one_reward_on_failure_is_no_lack_of_them():
    """Look-alike: one of two gradings of the untouched state left a reward, so failures do get one."""
    env = environment()
    planned = UNTOUCHED.plan(env, survey())
    results = [graded(planned[0], False), failed(planned[1], Status.NO_REWARD_FILE)]
    reference = (graded(REFERENCE.plan(env, survey())[0], True),)
    judgement = UNTOUCHED.judge(env, results, Background(tuple(results), reference))
    assert "on failure" not in judgement.findings[0].message


def test_the_reference_passes_three_times():
    judgement = ask(REFERENCE, environment(), survey(), lambda _: True)
    assert judgement == Judgement(ProbeStatus.SURVIVED, "passed 3 of 3")


def test_doubt_grows_the_series_to_ten():
    env = environment(tests="import random\ndef test_x(): assert random.random() < 2\n")
    assert ask(REFERENCE, env, survey(), lambda _: True).reason == "passed 10 of 10"


def test_a_rejected_reference_is_named_and_runs_in_place_each_time():
    judgement = ask(REFERENCE, environment(), survey(), lambda _: False)
    assert causes(judgement) == ["reference-fails"]
    assert len(judgement.findings[0].attempts) == 3


def test_a_coin_is_flaky_whatever_it_shows_first():
    for first in (True, False):
        answers = cycle([first, not first, first])
        judgement = ask(REFERENCE, environment(), survey(), lambda _, answers=answers: next(answers))
        assert causes(judgement) == ["flaky"]
        assert judgement.findings[0].evidence["graded"] == 10


def test_what_the_reference_leaves_running_may_matter():
    judgement = ask(REFERENCE, environment(), survey(), lambda attempt: attempt.arm == "probe")
    assert judgement.status is ProbeStatus.SURVIVED
    assert "in place" in judgement.reason


def test_without_a_reference_nothing_is_guessed():
    assert isinstance(ask(REFERENCE, environment(reference=False), survey(), lambda _: True), NotApplicable)


def test_a_reference_on_an_unvouched_base_is_not_accused():
    env = environment()
    background = controls(env, bases=[Base("ubuntu:22.04", "host", "host", True)])
    assert ask(REFERENCE, env, survey(), lambda _: False, background).status is ProbeStatus.ERROR


def test_a_reference_without_the_network_it_wants_is_not_accused():
    offline = "fatal: unable to access 'https://example.org/x.git/': Could not resolve host: example.org"
    for network, exit_code, output in (("public", 1, "failed"), ("none", 0, offline)):
        env = environment(network=network)
        results = [
            Result(attempt, Outcome(Status.GRADED, 0.0, False), (Step({"solve": True}, True, exit_code, output),))
            for attempt in REFERENCE.plan(env, survey())
        ]
        judgement = REFERENCE.judge(env, results, Background())
        assert (judgement.status, judgement.findings) == (ProbeStatus.ERROR, ())
        assert "--network" in judgement.reason
