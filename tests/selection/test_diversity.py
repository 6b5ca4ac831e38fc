"""Facility location against the definition, and what it is for."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from river_envs.selection import diversity
from river_envs.selection.diversity import neighbours, pick


def sketches(seed, n, topics=4, noise=20):
    generator = np.random.default_rng(seed)
    centres = generator.integers(-100, 100, (topics, 64))
    kind = np.arange(n) % topics
    return np.clip(centres[kind] + generator.integers(-noise, noise + 1, (n, 64)), -127, 127).astype(np.int8), kind


def greedy(values, sketch, places, weight):
    """The picks by the definition, every gain reckoned each time."""
    near, alike = neighbours(sketch)
    worth = np.maximum(np.asarray(values, float), 1e-9)
    first = (worth[near] * alike).sum(axis=1)
    scale = weight * worth.mean() / first.mean()
    covered, picked = np.zeros(len(worth)), []
    while len(picked) < places:
        more = (worth[near] * np.maximum(alike - covered[near], 0)).sum(axis=1)
        gains = [-1.0 if at in picked else round(worth[at] + scale * float(more[at]), 9) for at in range(len(worth))]
        best = int(np.argmax(gains))
        picked.append(best)
        covered[near[best]] = np.maximum(covered[near[best]], alike[best])
    return picked


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1000), st.integers(2, 30), st.integers(1, 20), st.sampled_from([0.3, 1.0, 5.0]))
def test_lazy_greedy_is_greedy(seed, n, places, weight):
    sketch, _ = sketches(seed, n)
    values = sorted(np.random.default_rng(seed).random(n), reverse=True)
    if places < n:
        assert pick(values, sketch, places, weight) == greedy(values, sketch, places, weight)


def test_of_equals_each_topic_gets_a_place():
    sketch, kind = sketches(1, 40)
    assert len({int(kind[at]) for at in pick([0.8] * 40, sketch, 4, 0.5)}) == 4


def test_quality_stays_dominant():
    sketch, kind = sketches(2, 40)
    values = [0.9 if kind[at] == 0 else 0.3 for at in range(40)]
    order = sorted(range(40), key=lambda at: -values[at])
    picked = pick([values[at] for at in order], sketch[order], 5, 0.5)
    assert {int(kind[order[at]]) for at in picked} == {0}


def test_without_weight_the_best_are_kept():
    sketch, _ = sketches(3, 10)
    assert pick([0.9 - at / 100 for at in range(10)], sketch, 3, 0.0) == [0, 1, 2]


def test_enough_places_for_all():
    sketch, _ = sketches(4, 3)
    assert pick([0.1, 0.1, 0.1], sketch, 7, 0.5) == [0, 1, 2]


def test_large_cells_are_cut_and_neighbours_stay_alike(monkeypatch):
    sketch, kind = sketches(5, 300, topics=3)
    monkeypatch.setattr(diversity, "LEAF", 64)
    near, alike = neighbours(sketch, 4)
    assert near.shape == (300, 5)
    assert (near[:, 0] == np.arange(300)).all()
    assert (kind[near] == kind[:, None]).mean() > 0.95
    assert ((alike >= 0) & (alike <= 1)).all()


def test_one_row():
    near, alike = neighbours(np.ones((1, 64), np.int8))
    assert near.tolist() == [[0]]
    assert alike.tolist() == [[1.0]]
