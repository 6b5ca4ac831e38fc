"""Duplicates found through buckets are those that comparing everything with everything finds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_envs.selection import dedupe
from river_envs.selection.dedupe import BANDS, MOST_IN_BUCKET, duplicates, miss_chance
from river_envs.signatures import Signatures
from river_envs.signatures.words import hashed, minhashes, words


def signatures(minhash, tests=None, fixture=None):
    number = len(minhash)
    none = np.full(number, -1, np.int64)
    return Signatures(
        [f"{position:016x}" for position in range(number)],
        none if fixture is None else np.asarray(fixture, np.int64),
        none if tests is None else np.asarray(tests, np.int64),
        np.asarray(minhash, np.uint32).reshape(number, 128), np.zeros((number, 64), np.int8),
    )


def of_texts(texts, **codes):
    return signatures(minhashes([hashed(words(text)) for text in texts]), **codes)


def naive(order, found, threshold=0.3):
    """What the docstring says, one pair after the other."""
    kept, dropped = [], {}
    least = math.ceil(threshold * 128 - 1e-9)
    for position in map(int, order):
        for better in kept:
            same = found.tests[position] >= 0 and (found.tests[position], found.fixture[position]) == (
                found.tests[better], found.fixture[better])
            empty = (found.minhash[position] == dedupe.NOTHING).all()
            if same or (not empty and (found.minhash[position] == found.minhash[better]).sum() >= least):
                dropped[position] = better
                break
        else:
            kept.append(position)
    return dropped


def corpus(seed, number, families, kept_words):
    """Texts of a few families; each keeps about this share of its family's words."""
    rng = np.random.default_rng(seed)
    roots = rng.integers(0, 10_000, (families, 60))
    texts = []
    for _ in range(number):
        text = roots[rng.integers(families)].copy()
        for _ in range(int(60 * (1 - kept_words))):
            text[rng.integers(60)] = rng.integers(0, 10_000)
        texts.append(" ".join(f"w{word}" for word in text))
    return texts


@given(st.integers(0, 1000), st.integers(0, 60), st.integers(1, 8), st.sampled_from([0.7, 0.9, 0.95, 0.99, 1.0]))
def test_buckets_find_what_comparing_all_finds(seed, number, families, kept_words):
    rng = np.random.default_rng(seed)
    codes = {name: rng.integers(-1, 20, number) for name in ("tests", "fixture")}
    found = of_texts(corpus(seed, number, families, kept_words), **codes)
    order = rng.permutation(number)[: rng.integers(number + 1)]
    assert duplicates(order, found) == naive(order, found)


def test_the_best_ranked_of_a_family_stays():
    found = of_texts([*corpus(1, 30, 1, 1.0), *corpus(2, 1, 1, 1.0)])
    assert duplicates(np.arange(31), found) == dict.fromkeys(range(1, 30), 0)
    assert duplicates(np.arange(31)[::-1], found) == dict.fromkeys(range(29), 29)


def test_tests_and_start_together_make_a_duplicate():
    texts = [f"{number} " + " ".join(f"a{number}b{place}" for place in range(20)) for number in range(6)]
    found = of_texts(texts, tests=[7, 7, 7, -1, -1, 7], fixture=[-1, -1, 3, -1, -1, 3])
    assert duplicates(range(6), found) == {1: 0, 5: 2}


def test_instructions_without_words_are_like_nothing():
    found = of_texts(["", "", "**"])
    assert duplicates(range(3), found) == {}


def test_likeness_is_counted_against_the_threshold():
    rng = np.random.default_rng(3)
    minhash = rng.integers(0, 1 << 32, (3, 128), dtype=np.uint32)
    minhash[1, :70], minhash[2, :69] = minhash[0, :70], minhash[0, :69]
    found = signatures(minhash)
    assert duplicates(range(3), found, threshold=70 / 128) == {1: 0}
    assert duplicates(range(3), found, threshold=69 / 128) == {1: 0, 2: 0}


def test_enough_stops_early():
    found = of_texts(corpus(5, 40, 10, 1.0))
    whole = duplicates(range(40), found)
    some = duplicates(range(40), found, enough=3)
    assert some.items() <= whole.items()
    reached = max([*some, *range(3)]) + 1
    assert {position: better for position, better in whole.items() if position < reached} == some
    assert duplicates(range(40), found, enough=0) == {}


def test_nothing_and_one():
    assert duplicates([], of_texts([])) == {}
    assert duplicates([0], of_texts(["one"])) == {}


def test_boilerplate_that_fills_a_bucket_costs_a_bounded_number_of_comparisons(monkeypatch):
    """All share one bucket and nothing else; still each is compared with a few, and real duplicates are found."""
    rng = np.random.default_rng(0)
    minhash = rng.integers(0, 1 << 32, (2000, 128), dtype=np.uint32)
    minhash[:, :4] = 7
    minhash[1000:1010, 4:90] = minhash[:10, 4:90]
    seen = []
    real = dedupe._Buckets.kept_mates

    def watched(self, rank):
        mates = real(self, rank)
        seen.append(len(mates))
        return mates

    monkeypatch.setattr(dedupe._Buckets, "kept_mates", watched)
    assert duplicates(range(2000), signatures(minhash)) == {1000 + number: number for number in range(10)}
    assert max(seen) <= MOST_IN_BUCKET * BANDS
    assert sum(seen) <= 2000 * (MOST_IN_BUCKET + 1)


def test_the_chance_of_a_miss_is_what_happens():
    assert miss_chance(0) == 1
    assert miss_chance(2) == pytest.approx(1 - 1 / 127)
    assert miss_chance(65) == 0
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(3000):
        places = rng.permutation(128)[:20]
        missed += len(set(places // 2)) == 20
    assert missed / 3000 == pytest.approx(miss_chance(20), abs=0.03)
