"""Near-duplicates against the definition, and what a filter does with them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from river_envs.selection import dedupe
from river_envs.selection.choose import choose
from river_envs.selection.dedupe import duplicates
from river_envs.selection.gates import Candidate
from river_envs.selection.request import Request
from river_envs.signatures.signature import minhash
from river_envs.signatures.table import Signatures


def table(texts, tests=None, fixture=None):
    n = len(texts)
    return Signatures(
        [f"{at:03}" for at in range(n)],
        np.asarray(fixture if fixture is not None else [-1] * n, np.int64),
        np.asarray(tests if tests is not None else list(range(n)), np.int64),
        np.stack([np.frombuffer(minhash(text), "<u4") for text in texts]) if n else np.zeros((0, 128), np.uint32),
        np.zeros((n, 256), np.int8),
    )


def text(topic, length=40, changed=0):
    return [f"t{topic}w{n}" if n >= changed else f"x{topic}c{changed}w{n}" for n in range(length)]


def naive(order, signatures):
    kept, found = [], {}
    for at in order:
        own = signatures.minhash[at]
        better = next((one for one in kept if (signatures.minhash[one] == own).mean() >= dedupe.THRESHOLD), None)
        if better is None:
            kept.append(at)
        else:
            found[at] = better
    return found


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 2, 5, 30])), max_size=20), st.randoms())
def test_greedy_by_definition(made, chance):
    signatures = table([text(topic, changed=changed) for topic, changed in made])
    order = list(range(len(made)))
    chance.shuffle(order)
    found = duplicates(order, signatures)
    assert set(found) == set(naive(order, signatures))
    assert not set(found.values()) & set(found)


def test_the_better_one_stays():
    signatures = table([text(1), text(2), text(1, changed=2)])
    assert duplicates([2, 1, 0], signatures) == {0: 2}
    assert duplicates([0, 1, 2], signatures) == {2: 0}


def test_same_tests_on_the_same_files_are_one_task_and_on_others_are_not():
    texts = [text(topic) for topic in range(5)]
    assert duplicates(range(5), table(texts, tests=[7, 7, 7, 7, -1], fixture=[1, 1, 2, -1, 1])) == {1: 0}
    assert duplicates(range(5), table(texts, tests=[7, 7, -1, -1, -1], fixture=[-1, -1, 1, 1, 1])) == {1: 0}


def test_boilerplate_in_a_bucket_costs_a_bounded_time(monkeypatch):
    monkeypatch.setattr(dedupe, "MOST", 2)
    common = [f"c{n}" for n in range(12)]
    texts = [[*common, *text(topic, 60)] for topic in range(30)]
    assert duplicates(range(30), table(texts)) == {}


def test_nothing_to_compare():
    assert duplicates([], table([])) == {}
    assert duplicates([0], table([text(1)])) == {}


def candidates(number, **more):
    return [Candidate(f"{at:03}", f"task-{at}", "sound", p_sound=1 - at / 100, **more) for at in range(number)]


def test_duplicates_leave_and_say_whose():
    signatures = table([text(1), text(1, changed=2), text(2)])
    decisions = choose(candidates(3), Request(1.0), signatures)
    dropped = next(one for one in decisions if one.ground == "duplicate")
    assert (dropped.id, dropped.better, dropped.rank) == ("001", "000", 2)
    assert dropped.reason == "sound, but nearly the same as task-0 (000)"
    assert {one.id for one in decisions if one.kept} == {"000", "002"}
    assert sum(one.kept for one in choose(candidates(3), Request(1.0, dedupe=False), signatures)) == 2


def test_a_cap_on_the_same_files():
    signatures = table([text(topic) for topic in range(6)], fixture=[0, 0, 0, 1, -1, -1])
    decisions = choose(candidates(6), Request(1.0, cap_fixture=2), signatures)
    assert [one.id for one in decisions if one.ground == "fixture-cap"] == ["002"]


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from([0, 2, 30]), st.sampled_from(["sound", "resisted", "defective"]),
                  st.sampled_from(["x", "y", None]), st.floats(0, 1)),
        min_size=1, max_size=25,
    ),
    st.floats(0.1, 1), st.randoms(), st.booleans(),
)
def test_promises_with_signatures(made, keep, chance, quotas):
    everyone = [
        Candidate(f"{at:03}", "x", verdict, ("flaky",) if verdict == "defective" else (), p_sound=worth, domain=domain)
        for at, (_, _, verdict, domain, worth) in enumerate(made)
    ]
    signatures = table([text(topic, changed=changed) for topic, changed, *_ in made])
    request = Request(round(keep, 3), quota=("domain",) if quotas and any(one.domain for one in everyone) else ())
    decisions = choose(everyone, request, signatures)
    kept = [one for one in decisions if one.kept]
    assert len(kept) < request.keep * len(everyone)
    assert all(one.candidate.verdict != "defective" for one in kept)
    rows = [int(one.id) for one in kept]
    assert duplicates(rows, signatures) == {}
    if any(one.tier == "resisted" for one in kept):
        assert not any(one.ground == "outranked" and one.tier == "sound" for one in decisions)
    shuffled = list(everyone)
    chance.shuffle(shuffled)
    assert choose(shuffled, request, signatures) == decisions
