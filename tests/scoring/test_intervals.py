"""Shares: Jeffreys intervals, and what they combine to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_envs.scoring.intervals import IGNORANCE, Share, every, jeffreys, some

shares = st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)).map(
    lambda parts: Share(sorted(parts)[1], min(parts), max(parts))
)


def test_jeffreys_is_the_posterior_of_a_share():
    assert jeffreys(0, 0) == IGNORANCE
    assert jeffreys(0, 9) == (0.05, 0.0, pytest.approx(0.1874, abs=1e-3))
    assert jeffreys(3, 3).high == 1.0
    assert jeffreys(1, 2) == pytest.approx((0.5, 0.0970, 0.9030), abs=1e-3)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_mean_lies_inside_and_a_hit_more_moves_all_of_it_up(hits, misses):
    share, more = jeffreys(hits, hits + misses), jeffreys(hits + 1, hits + 1 + misses)
    assert 0 <= share.low <= share.value <= share.high <= 1
    assert all(after >= before for before, after in zip(share, more, strict=True))


@given(st.lists(shares, max_size=4), shares)
def test_combining_stays_in_order_and_only_grows(parts, another):
    less, more = some(parts), some([*parts, another])
    assert less.low <= less.value + 1e-12
    assert less.value <= less.high + 1e-12
    assert all(after >= before - 1e-12 for before, after in zip(less, more, strict=True))
    assert all(part <= 1 for part in every([*parts, another]))


def test_tries_add_up_as_chances_do():
    assert Share(0.5, 0.1, 0.9).tried(2) == pytest.approx((0.75, 0.19, 0.99))
    assert Share(0.5, 0.1, 0.9).tried(1) == pytest.approx((0.5, 0.1, 0.9))
