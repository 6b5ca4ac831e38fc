"""What a person is told about one environment, and the comparison of choices."""

import pytest

from river_envs.environment import RiverError
from river_envs.selection.choose import choose
from river_envs.selection.compare import compare
from river_envs.selection.explain import explain
from river_envs.selection.gates import Candidate, Mark
from river_envs.selection.request import Request


def corpus():
    return [
        Candidate("a", "a", "sound", quality=0.9, domain="x"),
        Candidate("b", "b", "sound", quality=0.8, domain="x"),
        Candidate("c", "c", "sound", quality=0.7, domain="y"),
        Candidate("d", "d", "defective", ("flaky",), domain="y"),
        Candidate("e", "e", None, domain="y"),
        Candidate("f", "f", "resisted", quality=0.5, domain="y"),
        Candidate("g", "g", "sound", mark=Mark("exclude", "seen", "ann"), domain="y"),
        Candidate("h", "h", "unverified", verdict_reason="no image", domain="y"),
    ]


def told(id, **options):
    request = Request(**{"keep": 0.3, **options})
    return explain(choose(corpus(), request), id, request)


def test_each_ground_says_what_would_change_it():
    assert told("a").place == "rank 1 of the 4 that passed the gates"
    assert "smaller share: 1 kept ones rank below it" in told("a").changes[1]
    assert told("c").changes == ("--keep 0.376 has a place for its rank",)
    assert "river-envs mark d --sound" in told("d").changes[1]
    assert told("e").changes == ("river-envs audit --only e",)
    assert told("f", tier="sound").changes[0] == "--tier resisted"
    assert told("g").changes == ("river-envs mark g --clear",)
    assert told("h").changes[0] == "river-envs audit --only h --retry"
    with pytest.raises(KeyError):
        told("nobody")


def test_the_share_that_is_named_does_it():
    request = Request(0.376)
    assert {one.id for one in choose(corpus(), request) if one.kept} == {"a", "b", "c"}


def test_cells_are_counted():
    assert told("c", keep=0.4, quota=("domain",)).place.endswith("its cell (y) keeps 1 of 2")


def test_purity_leaves_places_empty():
    many = [Candidate(f"{i}", "x", "sound", p_sound=chance) for i, chance in enumerate([1.0, 0.99, 0.97, 0.6, 0.5])]
    request = Request(1.0, purity=0.98)
    decisions = choose([*many, Candidate("u", "u", "sound", quality=0.9)], request)
    assert {one.id for one in decisions if one.kept} == {"0", "1", "2"}
    doubtful = {one.id: one.reason for one in decisions if one.ground == "doubtful"}
    assert set(doubtful) == {"3", "4", "u"}
    assert "P(sound) = 0.600" in doubtful["3"]
    vouched = Candidate("v", "v", "defective", ("flaky",), mark=Mark("sound"))
    assert "v" in {one.id for one in choose([*many, vouched], request) if one.kept}


def test_a_budget_and_a_missing_column():
    assert sum(one.kept for one in choose(corpus(), Request(1.0, budget=2))) == 2
    with pytest.raises(RiverError, match="--quota language: no environment"):
        choose(corpus(), Request(quota=("language",)))
    for wrong in (
        {"budget": 0}, {"quota": ("nope",)}, {"quota": ("domain", "domain")}, {"purity": 1.5}, {"diversity": -1},
        {"cap_fixture": 0}, {"keep": 1.5}, {"keep": 0}, {"tier": "perfect"},
    ):
        with pytest.raises(RiverError, match=f"--{next(iter(wrong)).replace('_', '-')}"):
            Request(**wrong)


def test_the_calibrated_number_ranks_before_quality_and_learnability_multiplies():
    three = [
        Candidate("a", "a", "sound", quality=0.9, p_sound=0.5, learnability=1.0),
        Candidate("b", "b", "sound", quality=0.1, p_sound=0.8, learnability=0.5),
        Candidate("c", "c", "sound", quality=0.1, p_sound=0.8),
    ]
    assert [one.id for one in choose(three, Request(1.0))] == ["c", "a", "b"]


def test_comparison():
    request = Request(0.5)
    truth = {"a": True, "b": True, "c": False, "d": False, "e": False}
    random, stratified, quality, asked = compare(choose(corpus(), request), request, None, truth)
    assert [one.name for one in (random, stratified, quality, asked)] == [
        "random", "stratified random", "quality only", "as asked"
    ]
    assert {one.environments for one in (random, stratified, quality, asked)} == {3}
    assert asked.truly_sound == pytest.approx(2 / 3)
    assert 0.2 < random.truly_sound < 0.6
    assert stratified.distance < quality.distance
    assert compare(choose(corpus(), request), request)[0].truly_sound is None
