"""The numbers: the formula, what each kind of evidence does to them, and that bad news is never good news."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from scoring_support import WRONG, evidence, evidences, resisted, worsened

from river_envs.catalog.records import Estimate
from river_envs.scoring.basis import basis
from river_envs.scoring.context import Arms, Context
from river_envs.scoring.evidence import Asked, Hit, Series, Suggestion, Survivors
from river_envs.scoring.intervals import jeffreys
from river_envs.scoring.score import LEADS, Weights, score

CONTEXT = Context({"typed-stubs": Arms(4, 1)}, {"abc": 100})
BARE = evidence(mutants=(Survivors("near", 0, 10**9), Survivors("middle", 0, 10**9), Survivors("far", 0, 10**9)))


def width(estimate):
    return estimate.high - estimate.low


def test_the_formula_by_hand():
    """u for ten survivals, then one hit: v = 1, ρ = 3/4, s = 2.5/3, and a hundred environments count as two chances."""
    assert score(BARE).p_accepts_wrong.value == pytest.approx(0.5 / 11)
    found = score(replace(BARE, hits=(WRONG,)), CONTEXT).p_accepts_wrong
    hit = 0.75 * 2.5 / 3
    assert found.value == pytest.approx(1 - (1 - 0.5 / 11) * (1 - hit) ** 2)
    assert found.low == pytest.approx(1 - (1 - 0.75 * jeffreys(2, 2).low) ** 2)


def test_without_a_benign_arm_a_hit_counts_in_full():
    other = replace(WRONG, probe="all-literals")
    assert CONTEXT.rho(other) == 1
    assert CONTEXT.rho(WRONG) == 0.75
    assert "no benign arm" in basis(evidence(hits=(other,)), CONTEXT)["p_accepts_wrong"]
    assert "beats 100 environments" in basis(evidence(hits=(other,)), CONTEXT)["p_accepts_wrong"]


def test_realism_orders_the_triggers_and_isolation_counts_nothing():
    found = [
        score(replace(BARE, hits=(replace(WRONG, trigger=trigger),))).p_accepts_wrong.value
        for trigger in ("privileged", "grading-runtime", "feedback-learnable", "rollout-visible")
    ]
    assert found == sorted(found)
    isolated = replace(WRONG, family="isolation", trigger="privileged")
    assert score(replace(BARE, hits=(isolated,))).p_accepts_wrong == score(BARE).p_accepts_wrong


def test_more_survivals_are_better_whatever_their_family():
    more = (*BARE.asked, Asked("adversarial", "feedback-learnable", survived=2))
    assert score(replace(BARE, asked=more)).quality.value > score(BARE).quality.value


def test_what_does_not_apply_or_was_not_asked_changes_nothing_but_what_is_open():
    silent = (*BARE.asked, Asked("adversarial", "grading-runtime", not_applicable=5, left_out=3))
    assert score(replace(BARE, asked=silent)) == score(BARE)
    assert score(evidence("unverified", asked=(), series=(), mutants=(), reference="not-run")).quality == Estimate()
    assert score(evidence(asked=(), mutants=())).p_accepts_wrong == Estimate()


@given(evidences)
def test_resisted_is_less_certain_than_sound_for_the_same_survivals(found):
    sound = replace(
        found, verdict="sound", hits=(), reference="survived", in_place=False,
        asked=(*found.asked, Asked("control", "rollout-visible", survived=1)),
        series=(Series("untouched", 0, 2), Series("reference", 1), Series("restored", 2)),
    )  # fmt: skip
    with_reference, without = score(sound).quality, score(resisted(sound)).quality
    assert width(without) > width(with_reference)
    assert without.value < with_reference.value


def test_leads_cost_something_and_never_much():
    led = [
        score(replace(BARE, suggestions=tuple(Suggestion(f"rule-{n}", "static") for n in range(count)))).quality
        for count in (0, 1, 2, 50)
    ]
    values = [quality.value for quality in led]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 4
    assert values[-1] > (1 - LEADS) * values[0]
    assert {quality.high for quality in led} == {led[0].high}
    survived = replace(BARE, suggestions=(Suggestion("number-off", "mutant"),))
    assert score(survived).quality == score(BARE).quality  # it counts among the mutants


def test_a_time_out_beside_a_pass_is_a_disagreement_and_alone_it_is_no_evidence():
    def unstable(*series):
        return score(evidence(series=series)).instability

    steady = unstable(Series("reference", 3))
    assert unstable(Series("reference", 3, 0, 1)).value > steady.value
    assert unstable(Series("reference", 3, 0, 1)) == unstable(Series("reference", 3, 1))
    assert unstable(Series("untouched", 0, 2, 2)) == unstable(Series("untouched", 0, 2))
    assert unstable(Series("reference", 0, 0, 4)) == Estimate()
    assert unstable(Series("reference", 1)) == Estimate()


def test_work_that_needs_its_processes_is_not_unsteady():
    in_place = evidence(in_place=True, series=(Series("reference", 3), Series("restored", 0, 2)))
    assert score(in_place).p_rejects_right == score(evidence(series=(Series("reference", 3),))).p_rejects_right
    assert score(in_place).instability.value < score(evidence(series=(Series("reference", 2, 2),))).instability.value


def test_a_reference_that_was_not_judged_says_nothing():
    lost = evidence("unverified", reference="error", series=(Series("reference", 0, 3),))
    assert score(lost).p_rejects_right == Estimate()
    broken = Hit("broken", "too-slow", "reference", "reference", "rollout-visible", 2, 2)
    late = evidence("defective", reference="hit", series=(Series("reference", 0, 0, 3),), hits=(broken,))
    assert score(late).p_rejects_right == Estimate()


def test_a_refused_form_counts_less_than_a_refused_reference():
    form = Hit("rejects-right", "over-specific-form", "json-form", "equivalent", "rollout-visible", 2, 2)
    refused = score(evidence("defective", hits=(form,))).p_rejects_right
    assert score(evidence()).p_rejects_right.value < refused.value
    worse = score(evidence("defective", reference="hit", series=(Series("reference", 0, 3),))).p_rejects_right
    assert refused.value < worse.value


def test_costs_are_exponents():
    twice = score(BARE, weights=Weights(accepting_wrong=2.0)).quality.value
    once = score(BARE)
    assert twice == pytest.approx(once.quality.value * (1 - once.p_accepts_wrong.value))


@given(worsened())
def test_bad_news_never_raises_quality(change):
    before, after = (score(each, CONTEXT).quality for each in change)
    if before.value is not None and after.value is not None:
        assert after.value <= before.value + 1e-12
        assert after.low <= before.low + 1e-12
        assert after.high <= before.high + 1e-12


@given(evidences)
def test_every_number_is_a_probability_inside_its_interval(found):
    numbers = score(found, CONTEXT)
    for name in ("p_accepts_wrong", "p_rejects_right", "instability", "quality"):
        estimate = getattr(numbers, name)
        if estimate.value is not None:
            assert -1e-12 <= estimate.low <= estimate.value + 1e-12
            assert estimate.value <= estimate.high + 1e-12 <= 1 + 2e-12
    assert all(basis(found, CONTEXT).values()) or found.verdict == "unverified"
