import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_envs.catalog import codec, delta
from river_envs.environment import Environment, File, RiverError
from river_envs.outcome import Outcome, Status
from river_envs.probes.base import Finding, Result, Survey
from river_envs.sandbox.base import Change, Delta, Listing

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()) | st.binary(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=20,
)


def same(left: Any, right: Any) -> bool:
    """Equal, and of the same types all the way down."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


@settings(max_examples=40)
@given(st.dictionaries(st.text(st.characters()), plain))
def test_plain_values_come_back_with_their_types(facts):
    text = codec.dumps(dict[str, Any], facts)
    json.loads(text)
    text.encode()  # valid Unicode, whatever went in
    assert same(codec.loads(dict[str, Any], text), facts)


def test_an_environment_keeps_its_identity(build):
    environment = build.environment(1, name=build.hostile, env=(("A", "1"),), allowed_hosts=("x",))
    files: dict[str, bytes] = {}
    text = codec.dumps(Environment, environment, sink=files.__setitem__, inline=0)
    back = codec.loads(Environment, text, source=files.__getitem__)
    assert back == environment
    assert back.id == environment.id
    assert len(files) == 4  # the empty content of a link needs none
    assert "def test_1" not in text


def test_integers_in_float_fields_stay_integers(build):
    environment = build.environment(1)
    environment = replace(environment, limits=replace(environment.limits, cpus=2))
    back = codec.loads(Environment, codec.dumps(Environment, environment))
    assert back.id == environment.id


@pytest.mark.parametrize("size", [3, 100_000])
def test_results_come_back_equal_with_large_contents_beside_them(build, size):
    result = build.result("e1", size=size)
    files: dict[str, bytes] = {}
    back = codec.loads(Result, codec.dumps(Result, result, sink=files.__setitem__), source=files.__getitem__)
    assert back == result
    assert same(back.attempt.facts, result.attempt.facts)
    assert back.attempt.id == result.attempt.id
    assert len(files) == (size > 4096)


def test_floats_that_json_cannot_hold():
    outcome = Outcome(Status.GRADED, math.inf, False, {"reward": math.nan})
    back = codec.loads(Outcome, codec.dumps(Outcome, outcome))
    assert back.reward == math.inf
    assert math.isnan(back.rewards["reward"])


def test_surveys_and_findings():
    survey = Survey((Listing("app/\udc80", "file", 1, 0o644),), "/app", Delta())
    assert codec.loads(Survey, codec.dumps(Survey, survey)) == survey
    finding = Finding("e", "unstable", "flaky", "rollout-visible", "p", "m", "a", ("1", "2"), {"rates": (0.5,)})
    assert codec.loads(Finding, codec.dumps(Finding, finding)) == finding


def test_what_cannot_be_kept_exactly_is_refused():
    with pytest.raises(TypeError, match="set is no plain value"):
        codec.dumps(dict[str, Any], {"a": {1}})
    with pytest.raises(TypeError, match="store its value"):
        codec.dumps(dict[str, Any], {"a": Status.GRADED})


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"path": 1, "content": 5}', '{"path": "a", "content": {"sha256": "x"}}']
)
def test_damaged_text_gives_one_sentence(text):
    with pytest.raises(RiverError, match="a stored File cannot be read"):
        codec.loads(File, text)


def test_a_field_of_an_older_release_takes_its_default():
    assert codec.loads(File, '{"path": "a", "colour": "red"}') == File("a")


def test_deltas_come_back_equal(build):
    original = build.delta()
    back = delta.unpack(delta.pack(original))
    assert back == original
    assert back.digest == original.digest
    assert delta.unpack(delta.pack(Delta())) == Delta()


@settings(max_examples=40)
@given(st.lists(st.tuples(st.text(st.characters(exclude_characters="/")), st.binary())))
def test_any_delta(pairs):
    original = Delta(tuple(Change(path, "file", content=content) for path, content in pairs))
    assert delta.unpack(delta.pack(original)) == original


def test_a_damaged_delta_gives_one_sentence(build):
    blob = delta.pack(build.delta())
    for bad in (b"", b"tar", blob[:-10], blob[:20] + b"\xff" * 20):
        with pytest.raises(RiverError, match="a stored delta"):
            delta.unpack(bad)
