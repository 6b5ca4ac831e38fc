"""The two passes of the score stage, on a real catalog."""

from __future__ import annotations

from dataclasses import replace

import pytest
from probe_support import environment, graded

from river_envs.catalog import open_catalog
from river_envs.catalog.records import PlanRecord
from river_envs.probes.registry import probes
from river_envs.probes.untouched import Untouched
from river_envs.scoring.run import rescore, score_catalog

COLUMNS = "SELECT * FROM score ORDER BY environment_id"


@pytest.fixture
def catalog(tmp_path):
    """Six environments; the untouched image of the first four is rewarded."""
    opened = open_catalog(tmp_path / "c.duckdb", create=True)
    made = [replace(environment(f"Write {n} to /app/x.", reference=False), name=f"e{n}") for n in range(6)]
    with opened.writer() as writer:
        writer.add_environments(made, [f"corpus/{item.name}" for item in made])
        for number, item in enumerate(made):
            attempts = [replace(Untouched().plan(item, None)[0], repeat=repeat) for repeat in range(2)]
            writer.add_results([graded(attempt, number < 4) for attempt in attempts])
            asked = {probe.id: "planned" if probe.id == "untouched" else "left-out" for probe in probes()}
            writer.add_plans([PlanRecord(item.id, probe.id, probe.version, asked[probe.id]) for probe in probes()])
    return opened, [item.id for item in made]


def test_a_script_that_beats_many_weighs_more_and_says_so(catalog):
    opened, ids = catalog
    assert score_catalog(opened) == {"defective": 4, "resisted": 2}
    frame = opened.sql(COLUMNS).set_index("environment_id")
    assert frame.loc[ids[0], "p_accepts_wrong"] > 0.9
    assert "beats 4 environments" in frame.loc[ids[0], "basis"]
    assert frame.loc[ids[0], "quality"] == 0
    assert frame["p_sound"].isna().all() or frame.loc[ids[0], "p_sound"] < frame.loc[ids[5], "p_sound"]


def test_scoring_again_changes_nothing(catalog):
    opened, _ = catalog
    score_catalog(opened)
    before, digest = opened.sql(COLUMNS), opened.content_hash()
    score_catalog(opened)
    assert rescore(opened) == 6
    assert opened.sql(COLUMNS).equals(before)
    assert opened.content_hash() == digest


def test_one_environment_is_judged_in_the_light_of_all(catalog):
    opened, ids = catalog
    score_catalog(opened)
    before = opened.sql(COLUMNS)
    assert score_catalog(opened, ids[0]) == {"defective": 1}
    assert opened.sql(COLUMNS).equals(before)


def test_the_order_in_which_environments_are_judged_does_not_matter(catalog):
    opened, ids = catalog
    for name in (*sorted(ids, reverse=True), ids[2]):
        score_catalog(opened, name)
    piecemeal = opened.sql(COLUMNS)
    score_catalog(opened)
    assert opened.sql(COLUMNS).equals(piecemeal)


def test_what_was_counted_is_kept_and_forgotten_with_the_verdict(catalog):
    opened, ids = catalog
    score_catalog(opened)
    found = opened.evidence(ids[:1])[ids[0]]
    assert (found.verdict, found.series[0].passed, found.hits[0].cause) == ("defective", 2, "pays-for-nothing")
    with opened.writer() as writer:
        writer.forget_judgements(ids[:1])
    assert set(opened.evidence()) == set(ids[1:])
