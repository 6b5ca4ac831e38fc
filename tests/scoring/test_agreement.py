"""Sources of labels that disagree."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from river_envs.scoring.agreement import Agreement, agreement, combined, dawid_skene


def votes(*sources):
    return {f"e{number:03}": list(said) for number, said in enumerate(zip(*sources, strict=True))}


def test_worst_of_needs_everybody():
    said = votes([True, True, True, None], [True, False, None, False])
    assert list(combined(said, "worst").values()) == [True, False, True, False]


def test_kappa_of_two_is_cohens():
    chance = np.random.default_rng(0)
    one = chance.random(200) < 0.4
    other = np.where(chance.random(200) < 0.2, ~one, one)
    told = agreement(votes(one.tolist(), other.tolist()))
    assert told.kappa == pytest.approx(cohen_kappa_score(one, other))
    assert (told.shared, told.alike) == (200, int((one == other).sum()))


def test_kappa_of_more_is_fleiss():
    # Three raters: two environments all alike (one of each kind), one two to one. By hand: P = (1 + 1 + 1/3) / 3.
    told = agreement(votes([True, False, True], [True, False, True], [True, False, False]))
    share = 5 / 9
    chance = share**2 + (1 - share) ** 2
    assert told.kappa == pytest.approx((7 / 9 - chance) / (1 - chance))
    assert (told.shared, told.alike) == (3, 2)


def test_what_they_do_not_share_says_nothing():
    assert agreement(votes([True, None], [None, False])) == Agreement(0, 0, None)
    assert agreement(votes([True, True], [True, True])) == Agreement(2, 2, None)


def test_dawid_and_skene_find_out_who_errs():
    chance = np.random.default_rng(3)
    truth = chance.random(400) < 0.5
    careful = [np.where(chance.random(400) < 0.05, ~truth, truth).tolist() for _ in range(2)]
    guess = (chance.random(400) < 0.5).tolist()
    found = combined(votes(*careful, guess), "dawid-skene")
    assert np.mean(np.array(list(found.values())) == truth) > 0.9
    one = combined(votes(careful[0], guess, guess), "dawid-skene")
    assert len(one) == 400


def test_a_draw_between_equals_is_not_sound():
    found = combined(votes([True] * 5 + [False] * 5 + [True], [True] * 5 + [False] * 5 + [False]), "dawid-skene")
    assert list(found.values())[:10] == [True] * 5 + [False] * 5
    assert not found["e010"]


def test_nothing_labelled():
    assert dawid_skene({}) == {}
