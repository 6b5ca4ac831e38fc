"""The filter's promises, on hand-made cases and on generated catalogs."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_envs.environment import RiverError
from river_envs.selection.choose import choose as decide
from river_envs.selection.choose import counts, places, why_nothing
from river_envs.selection.gates import GROUNDS, Candidate, Mark
from river_envs.selection.request import Request


def choose(candidates, keep=0.3, tier="resisted", seed=0, **more):
    return decide(candidates, Request(keep, tier, seed, **more))


shares = st.integers(1, 1000).map(lambda thousandths: thousandths / 1000)
numbers = st.none() | st.floats(0, 1) | st.just(math.nan)
marks = st.none() | st.builds(Mark, st.sampled_from(["sound", "exclude"]), st.just("seen"), st.just("ann"))
verdicts = st.sampled_from([None, "sound", "resisted", "defective", "unverified"])


@st.composite
def catalogs(draw):
    ids = draw(st.lists(st.text("0123456789abcdef", min_size=4, max_size=4), unique=True, max_size=40))
    return [
        Candidate(
            id, f"task-{id}", draw(verdicts), quality=draw(numbers), learnability=draw(numbers), mark=draw(marks),
            unsupported=draw(st.sampled_from([(), (), (), ("multi-step",)])),
        )
        for id in ids
    ]


@given(catalogs(), shares, st.sampled_from(["sound", "resisted"]), st.integers(0, 3))
def test_promises(candidates, keep, tier, seed):
    decisions = choose(candidates, keep, tier, seed)
    kept = [decision for decision in decisions if decision.kept]
    # Everyone gets one decision with a known ground and a reason.
    assert sorted(decision.id for decision in decisions) == sorted(candidate.id for candidate in candidates)
    assert all(decision.reason and decision.ground in GROUNDS for decision in decisions)
    assert all((decision.ground == "kept") == decision.kept for decision in decisions)
    # Never more than asked, and strictly under the share.
    assert not candidates or Fraction(len(kept), len(candidates)) < Fraction(repr(keep))
    for decision in kept:
        candidate, mark = decision.candidate, decision.candidate.mark
        assert mark is None or mark.kind != "exclude"
        assert not candidate.unsupported
        allowed = {"sound"} if tier == "sound" else {"sound", "resisted"}
        assert candidate.verdict in allowed or (mark is not None and mark.kind == "sound")
        assert decision.tier in allowed
    # Sound comes first; nobody of a lower tier is kept while a sound one waits.
    tiers = [decision.tier for decision in decisions if decision.rank]
    assert tiers == sorted(tiers, key=["sound", "resisted"].index)
    if any(decision.tier == "resisted" for decision in kept):
        assert not any(decision.ground == "outranked" and decision.tier == "sound" for decision in decisions)
    # Places are only left empty when nobody is waiting for them.
    if any(decision.ground == "outranked" for decision in decisions):
        assert len(kept) == places(keep, len(candidates))


@given(catalogs(), shares, st.integers(0, 3), st.randoms(use_true_random=False))
def test_ingestion_order_is_irrelevant(candidates, keep, seed, generator):
    shuffled = list(candidates)
    generator.shuffle(shuffled)
    assert [(d.id, d.kept, d.reason) for d in choose(candidates, keep, seed=seed)] == [
        (d.id, d.kept, d.reason) for d in choose(shuffled, keep, seed=seed)
    ]


@given(catalogs(), shares)
def test_a_better_one_never_loses_to_a_worse_one(candidates, keep):
    ranked = [decision.candidate for decision in choose(candidates, keep) if decision.tier == "sound"]
    qualities = [candidate.quality for candidate in ranked if not candidate.mark]
    measured = [quality for quality in qualities if quality is not None and not math.isnan(quality)]
    assert measured == sorted(measured, reverse=True)
    assert qualities[: len(measured)] == measured


@pytest.mark.parametrize(
    ("keep", "number", "expected"),
    [(0.3, 0, 0), (0.3, 1, 0), (0.3, 3, 0), (0.3, 4, 1), (0.3, 10, 2), (0.3, 48, 14), (0.3, 14_600, 4379),
     (0.07, 100, 6), (0.1, 30, 2), (1, 5, 4), (1.0, 1, 0), (1e-9, 10, 0)],
)
def test_places(keep, number, expected):
    assert places(keep, number) == expected


@pytest.mark.parametrize("keep", [0, -0.1, 1.01, math.nan, math.inf, 30])
def test_a_share_outside_the_range_is_refused(keep):
    with pytest.raises(RiverError, match="--keep must be a share"):
        choose([], keep)


def test_an_unknown_tier_is_refused():
    with pytest.raises(RiverError, match="--tier must be one of sound, resisted"):
        choose([], 0.3, "perfect")


def test_repeated_candidates_are_a_programming_error():
    with pytest.raises(ValueError, match="unique"):
        choose([Candidate("a", "x", "sound"), Candidate("a", "y", "sound")], 0.3)


def reasons(candidates, keep=1.0, **options):
    return {decision.id: decision.reason for decision in choose(candidates, keep, **options)}


def test_every_gate_says_its_reason():
    said = reasons(
        [
            Candidate("a", "a", "sound", quality=0.9),
            Candidate("b", "b", "defective", ("pays-for-nothing", "flaky")),
            Candidate("c", "c", "unverified", verdict_reason="control did not run (needs-network)"),
            Candidate("d", "d", None, unsupported=("multi-step", "compose")),
            Candidate("e", "e", None),
            Candidate("f", "f", "sound", quality=1.0, mark=Mark("exclude", "in the benchmark", "ann")),
            Candidate("g", "g", "defective", ("flaky",), mark=Mark("sound", "read it", "bob")),
            Candidate("h", "h", "resisted"),
            Candidate("i", "i", None, unsupported=("compose",), mark=Mark("sound")),
        ],
        tier="sound",
    )
    assert said == {
        "a": "sound",
        "b": "defective: pays-for-nothing, flaky",
        "c": "unverified: control did not run (needs-network)",
        "d": "unsupported: multi-step, compose",
        "e": "not audited yet: run river-envs audit",
        "f": "excluded by ann: in the benchmark",
        "g": "marked sound by bob: read it (the audit said defective: flaky)",
        "h": "resisted, and only tier sound was asked for",
        "i": "unsupported: compose",
    }


def test_the_outranked_learn_by_how_much():
    candidates = [Candidate(id, id, "sound", quality=quality) for id, quality in
                  [("a", 0.93), ("b", 0.93), ("c", 0.91), ("d", 0.9299), ("e", None)]]
    said = reasons([*candidates, Candidate("r", "r", "resisted", quality=1.0)], keep=0.5)
    assert said["c"] == "sound, but the 2 places were taken by higher quality (0.91 < 0.93)"
    assert said["d"] == "sound, but the 2 places were taken by higher quality (0.9299 < 0.9300)"
    assert said["e"] == "sound, but the 2 places were taken by higher quality (not measured)"
    assert said["r"] == "resisted, but the 2 places were taken by sound environments"


def test_a_person_who_vouches_is_heard_first():
    candidates = [
        Candidate("a", "a", "sound", quality=0.9),
        Candidate("b", "b", "defective", ("flaky",), quality=0.1, mark=Mark("sound", by="ann")),
    ]
    decisions = choose(candidates, 1.0)
    assert [(d.id, d.kept) for d in decisions] == [("b", True), ("a", False)]
    assert decisions[1].reason == "sound, but the only place was taken by environments that a person marked sound"


def test_the_seed_decides_between_equals_only():
    equals = [Candidate(f"{i:02}", "x", "sound", quality=0.5) for i in range(20)]
    better = Candidate("zz", "x", "sound", quality=0.6)
    draws = {tuple(d.id for d in choose([*equals, better], 0.3, seed=seed) if d.kept) for seed in range(5)}
    assert len(draws) == 5
    assert all(draw[0] == "zz" for draw in draws)


def test_nothing_kept_is_explained():
    assert "holds no environments" in why_nothing(choose([], 0.3), 0.3)
    unaudited = choose([Candidate("a", "a", None)], 1)
    assert why_nothing(unaudited, 1) == (
        "Nothing kept: no environment passed the gates (1 not-audited). Run river-envs audit first."
    )
    mixed = choose([Candidate("a", "a", "defective"), Candidate("b", "b", "unverified")], 0.3)
    assert why_nothing(mixed, 0.3) == (
        "Nothing kept: no environment passed the gates (1 defective, 1 unverified)."
    )
    few = choose([Candidate("a", "a", "sound")], 0.3)
    assert why_nothing(few, 0.3).startswith("Nothing kept: 1 qualify, but fewer than 0.3 of 1 environments is none")


def test_counts_follow_the_order_of_grounds():
    decisions = choose([Candidate("a", "a", None), Candidate("b", "b", "sound"), Candidate("c", "c", "sound")], 0.5)
    assert list(counts(decisions).items()) == [("kept", 1), ("outranked", 1), ("not-audited", 1)]


def test_fifteen_thousand_are_decided_at_once():
    generator = random.Random(0)
    candidates = [Candidate(f"{i:016x}", "x", "sound", quality=generator.random()) for i in range(15_000)]
    kept = [d for d in choose(candidates, 0.3) if d.kept]
    assert len(kept) == 4499
    assert min(d.candidate.quality for d in kept) > 0.65
