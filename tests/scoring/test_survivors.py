"""Surviving mutants lower the score by their distance and widen it where few were made; they decide no verdict."""

from __future__ import annotations

import pytest
from edit_support import REPORT, solved
from probe_support import environment, failed, graded, survey

from river_envs.catalog.records import PlanRecord
from river_envs.outcome import Status
from river_envs.probes.base import Attempt
from river_envs.probes.drop_output import DropOutput
from river_envs.probes.reference import ReferencePasses
from river_envs.probes.registry import probes
from river_envs.probes.untouched import Untouched
from river_envs.scoring.judge import judge
from river_envs.scoring.survivors import slack, survivors

ENV = environment(REPORT)


def mutant(index: int, distance: float, passed: bool):
    attempt = Attempt(ENV.id, "number-off", 1, repeat=index, facts={"distance": distance})
    return graded(attempt, passed)


def test_bands_count_what_was_graded():
    made = [mutant(0, 0.01, True), mutant(1, 0.02, False), mutant(2, 0.3, False), mutant(3, 1.0, True)]
    made.append(failed(mutant(4, 1.0, True).attempt, Status.VERIFIER_TIMEOUT))
    assert [(band.band, band.survived, band.tried) for band in survivors(made)] == [
        ("near", 1, 2),
        ("middle", 0, 1),
        ("far", 1, 1),
    ]


def test_no_mutants_look_no_better_than_rejected_ones():
    none, rejected = slack(survivors([])), slack(survivors([mutant(0, 1.0, False)]))
    assert none.value > rejected.value
    assert none.high > rejected.high


def test_a_far_survivor_costs_more_than_a_near_one():
    near, far = slack(survivors([mutant(0, 0.01, True)])), slack(survivors([mutant(0, 1.0, True)]))
    assert far.value > near.value > slack(survivors([])).value


def test_many_rejected_mutants_narrow_it():
    few, many = (slack(survivors([mutant(index, 1.0, False) for index in range(count)])) for count in (1, 20))
    assert many.high < few.high
    assert many.value < few.value


@pytest.mark.parametrize("passed", [False, True])
def test_a_verdict_does_not_turn_on_a_survivor_that_breaks_nothing_stated(passed):
    results = [graded(attempt, False) for attempt in Untouched().plan(ENV, survey())]
    reference = ReferencePasses()
    results += [graded(attempt, True) for attempt in reference.plan(ENV, survey())]
    results += [graded(attempt, passed) for attempt in DropOutput().plan(ENV, solved())]
    for result in results:
        if result.attempt.probe == "drop-output":
            result.attempt.facts["stated"] = ""
    plans = [PlanRecord(ENV.id, probe.id, probe.version, "left-out") for probe in probes()]
    asked = {"untouched", "reference", "drop-output"}
    plans = [
        PlanRecord(plan.environment_id, plan.probe, plan.version, "planned" if plan.probe in asked else "left-out")
        for plan in plans
    ]
    record = judge(ENV, results, plans)
    assert record.verdict == "sound"
    assert record.score is not None
    assert record.score.quality.value is not None
