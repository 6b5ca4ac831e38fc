"""What was counted, the numbers from it and the calibration model, kept in the catalog."""

from __future__ import annotations

import pytest
from scoring_support import WRONG, evidence

from river_envs.catalog import Estimate, JudgedRecord, ScoreRecord, open_catalog
from river_envs.catalog.merge import merge


def test_evidence_comes_back_equal_and_is_replaced_with_the_verdict(filled):
    first, second = filled.ids()[:2]
    found = {first: evidence(), second: evidence("defective", hits=(WRONG,))}
    with filled.writer() as writer:
        writer.replace_judgements({name: JudgedRecord(one.verdict, evidence=one) for name, one in found.items()})
    assert filled.evidence() == found
    assert filled.evidence([second]) == {second: found[second]}
    with filled.writer() as writer:
        writer.replace_judgements({first: JudgedRecord("unverified")})
    assert set(filled.evidence()) == {second}


def test_scores_are_replaced_and_verdicts_stay(filled):
    name = filled.ids()[0]
    with filled.writer() as writer:
        writer.replace_judgements({name: JudgedRecord("sound", score=ScoreRecord(quality=Estimate(0.5, 0.4, 0.6)))})
        writer.replace_scores({name: ScoreRecord(p_sound=Estimate(0.9, 0.8, 0.95), basis={"p_sound": "made up"})})
    row = filled.environments(f"id = '{name}'").iloc[0]
    assert (row["verdict"], row["p_sound"]) == ("sound", 0.9)
    assert row["quality"] != row["quality"]
    stored = filled.sql("SELECT p_sound_low, p_sound_high, basis FROM score").iloc[0]
    assert stored.tolist() == [0.8, 0.95, '{"p_sound":"made up"}']


def test_one_model_is_kept(filled):
    assert filled.calibration() is None
    for rate in (0.3, 0.4):
        with filled.writer() as writer:
            writer.set_calibration({"prior": rate, "terms": [1, "x"]})
    assert filled.calibration() == {"prior": 0.4, "terms": [1, "x"]}
    assert len(filled.sql("FROM calibration")) == 1


@pytest.mark.parametrize("own", [True, False])
def test_merging_carries_evidence_and_keeps_a_model_that_is_there(tmp_path, build, own):
    catalogs = []
    for name, number in (("a", 0), ("b", 1)):
        catalog = open_catalog(tmp_path / f"{name}.duckdb", create=True)
        environment = build.environment(number)
        with catalog.writer() as writer:
            writer.add_environments([environment], [f"{name}/{environment.name}"])
            writer.replace_judgements({environment.id: JudgedRecord("sound", evidence=evidence())})
            if own or name == "b":
                writer.set_calibration({"from": name})
        catalogs.append(catalog)
    a, b = catalogs
    merge(a.path, b.path)
    assert a.evidence() == {build.environment(number).id: evidence() for number in (0, 1)}
    assert a.calibration() == {"from": "a" if own else "b"}
