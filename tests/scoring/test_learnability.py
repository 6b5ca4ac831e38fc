"""Learnability of a group of rollouts under the Beta posterior of the pass rate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_envs.catalog.records import Estimate
from river_envs.scoring.learnability import learnability


def test_without_rollouts_nothing_is_known():
    assert learnability(0, 0) == Estimate()
    assert learnability(1, 2, group=1) == Estimate()


def test_counts_that_cannot_be():
    with pytest.raises(ValueError, match="cannot be"):
        learnability(3, 2)


def test_two_rollouts_of_a_group_of_two_by_hand():
    # Beta(1.5, 1.5): E[p²] = (1.5 · 2.5) / (3 · 4) = 0.3125 = E[(1 − p)²]
    assert learnability(1, 2, group=2).value == pytest.approx(0.375)


def test_none_of_two_is_weaker_evidence_than_none_of_forty():
    few, many = learnability(0, 2), learnability(0, 40)
    assert few.value > many.value
    assert few.high > 0.9
    assert many.high < 0.6


def test_half_solved_is_the_most_there_is_to_learn():
    assert learnability(20, 40).value > max(learnability(4, 40).value, learnability(36, 40).value)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(2, 32))
def test_it_is_a_probability_and_solved_and_unsolved_are_alike(passes, fails, group):
    if passes + fails:
        found, mirrored = learnability(passes, passes + fails, group), learnability(fails, passes + fails, group)
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.value == pytest.approx(mirrored.value)
        assert learnability(passes, passes + fails, group + 1).value >= found.value
