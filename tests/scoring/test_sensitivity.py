"""How the ranking moves under other weights."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scoring_support import WRONG, evidence, resisted

from river_envs.scoring.evidence import Asked, Series, Survivors
from river_envs.scoring.sensitivity import OTHERS, sensitivity


def test_fewer_than_two_ranked_environments_have_no_ranking():
    for found in ({}, {"a": evidence()}, {"a": evidence(), "b": evidence("defective", hits=(WRONG,))}):
        assert all(row.tau is None and row.overlap is None for row in sensitivity(found))


def test_what_no_weight_touches_stays():
    found = {f"e{n}": evidence(mutants=(Survivors("far", 0, n),)) for n in range(10)}
    assert all((row.tau, row.overlap) == (pytest.approx(1), 1) for row in sensitivity(found))
    assert len(sensitivity(found)) == len(OTHERS) + 1


def test_a_cost_that_turns_two_environments_round_shows():
    wide = evidence(asked=(Asked("control", "rollout-visible", survived=1),))
    strict = evidence(series=(Series("untouched", 0, 2), Series("reference", 4, 1)))
    moved = {row.name: row for row in sensitivity({"wide": wide, "strict": strict})}
    names = ("paying for wrong work costs five times", "refusing right work costs five times")
    assert {round(moved[name].tau) for name in names} == {1, -1}


def test_tiers_stay_apart():
    found = {"resisted": resisted(evidence()), "sound": evidence(hits=(replace(WRONG, trigger="privileged"),))}
    assert all(row.tau == pytest.approx(1.0) for row in sensitivity(found))
