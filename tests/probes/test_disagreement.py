"""A disagreement among gradings: named by the hash seed where the grade is a function of it, and only there."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

from probe_support import controls, environment, graded

from river_envs.probes import disagreement
from river_envs.probes.base import Attempt, Judgement, Restore, Result, Solve
from river_envs.probes.reference import ReferencePasses

PROBE, ENV = ReferencePasses(), environment()
FULL = 10


def plain(verifier: Callable[[Attempt], bool]) -> list[Result]:
    attempts = [PROBE.attempt(ENV, Solve())]
    attempts += [PROBE.attempt(ENV, Restore(), arm="again", repeat=repeat) for repeat in range(1, FULL)]
    return [graded(attempt, verifier(attempt)) for attempt in attempts]


def followed(verifier: Callable[[Attempt], bool]) -> tuple[list[Result], Judgement | None]:
    series = plain(verifier)
    assert disagreement.due(series, FULL)
    results = list(series)
    while planned := disagreement.follow_up(PROBE, ENV, results):
        assert not {attempt.id for attempt in planned} & {result.attempt.id for result in results}
        results += [graded(attempt, verifier(attempt)) for attempt in planned]
    return results, disagreement.attribute(PROBE, ENV, results[::-1], series)


def of_seed(attempt: Attempt) -> bool:
    """Paid for even seeds; without a seed as it falls."""
    seed = dict(attempt.conditions).get(disagreement.VARIABLE)
    return int(seed) % 2 == 0 if seed else attempt.repeat % 3 != 1


def test_a_grade_that_is_a_function_of_the_seed_is_named():
    results, judgement = followed(of_seed)
    assert judgement is not None
    (finding,) = judgement.findings
    assert (finding.claim, finding.cause) == ("unstable", "machine-dependent")
    assert finding.evidence["variable"] == "PYTHONHASHSEED"
    assert len(results) - FULL <= len(disagreement.SEEDS) + 8
    assert len(finding.attempts) == FULL + 12


def test_a_coin_is_not():
    toss = itertools.cycle([True, False, False, True, True, True, False])
    _, judgement = followed(lambda attempt: next(toss))
    assert judgement is None


def test_one_grade_for_all_seeds_is_another_reason():
    results, judgement = followed(lambda attempt: bool(attempt.conditions) or attempt.repeat % 2 == 0)
    assert judgement is None
    assert len(results) == FULL + len(disagreement.SEEDS)


def test_processes_that_matter_are_no_disagreement():
    """What the reference left fails each time, where it ran it passes each time."""
    series = [graded(PROBE.attempt(ENV, Solve(), repeat=repeat), True) for repeat in range(8)]
    left = [PROBE.attempt(ENV, Restore(), arm="again", repeat=repeat) for repeat in range(8, 10)]
    series += [replace(graded(attempt, False), in_place=False) for attempt in left]
    assert not disagreement.due(series, FULL)


def test_the_reference_probe_asks_and_names():
    results = plain(of_seed)
    while planned := PROBE.more(ENV, results, controls(ENV)):
        results += [graded(attempt, of_seed(attempt)) for attempt in planned]
    judgement = PROBE.judge(ENV, results, controls(ENV))
    assert [finding.cause for finding in judgement.findings] == ["machine-dependent"]
    flaky = plain(lambda attempt: attempt.repeat % 2 == 0)
    assert [finding.cause for finding in PROBE.judge(ENV, flaky, controls(ENV)).findings] == ["flaky"]

