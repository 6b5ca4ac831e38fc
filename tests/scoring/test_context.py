"""What the whole catalog says about a hit: ρ from the benign arms, and scripts that many environments fall to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring_support import WRONG, evidence, evidences

from river_envs.scoring.context import MOST, Arms, Context, coherence, context
from river_envs.scoring.evidence import Benign
from river_envs.scoring.score import score


def arm(shown, benign, probe="typed-stubs"):
    return evidence(benign=(Benign(probe, shown, benign),))


def test_rho_is_one_minus_the_ratio_of_the_rates():
    seen = context([arm(True, False), arm(True, False), arm(True, True), arm(False, False)])
    assert seen.arms["typed-stubs"] == Arms(3, 1)
    assert seen.rho(WRONG) == pytest.approx(2 / 3)
    assert seen.rho(replace(WRONG, probe="all-literals")) == 1


def test_rho_never_leaves_its_bounds():
    assert Arms(0, 0).rho == 1
    assert Arms(1, 3).rho == 0
    assert Context().rho(WRONG) == 1


def test_a_script_counts_the_environments_that_it_beats():
    other, none = replace(WRONG, script="x"), replace(WRONG, script="")
    seen = context(evidence(hits=hits) for hits in ((WRONG, WRONG), (WRONG,), (other,), (none,), (none,)))
    assert seen.beaten == {"abc": 2}
    assert seen.coherence(WRONG) > 1
    assert seen.coherence(other) == seen.coherence(none) == 1


@given(st.integers(0, 10**6))
def test_the_weight_of_a_script_is_bounded_and_grows(environments):
    assert 1 <= coherence(environments) <= coherence(environments + 1) <= MOST
    assert coherence(100) == MOST


def test_a_shared_shortcut_weighs_more_than_one_of_its_own():
    seen = context([evidence(hits=(WRONG,)) for _ in range(20)])
    shared, lone = (
        score(evidence(hits=(replace(WRONG, script=name),)), seen).p_accepts_wrong for name in ("abc", "lone")
    )
    assert shared.value > lone.value


@given(st.lists(evidences, max_size=5))
def test_the_order_of_environments_does_not_matter(found):
    assert context(found) == context(reversed(found))
