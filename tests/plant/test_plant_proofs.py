"""Defects are shown by running them: on real namespaces, for a document and for a program."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from river_envs.causes import CAUSES
from river_envs.formats.base import Found
from river_envs.formats.detect import read_all
from river_envs.plant import Planted, plant
from river_envs.plant.base import PAYS, UNTOUCHED, Demonstration
from river_envs.plant.corpus import Original, PlantOptions, plant_corpus

pytestmark = pytest.mark.sandbox
QUICK = [
    "pays-for-nothing",
    "existence-only",
    "shape-only",
    "keyword-only",
    "printed-answer",
    "image-answer",
    "wrong-expectation",
    "over-specific-form",
    "flaky",
    "no-reward-file",
]


@pytest.fixture(scope="session")
def sound_report(workshop, report):
    return workshop.audit(report)


@pytest.fixture(scope="session")
def sound_mirror(workshop, mirror):
    return workshop.audit(mirror)


def shown(workshop, sound, cause):
    """A variant of ``cause`` whose defect shows, among a few seeds."""
    reasons = []
    for seed in range(4):
        planted = plant(sound.environment, sound.state, cause, seed, sound.observed)
        reason = workshop.disprove(sound, planted) if isinstance(planted, Planted) else planted.reason
        if reason is None:
            return planted
        reasons.append(reason)
    raise AssertionError(f"{cause}: {reasons}")


@pytest.mark.parametrize("cause", QUICK)
def test_defects_of_a_document_task_show(workshop, sound_report, cause):
    assert shown(workshop, sound_report, cause).cause == cause


@pytest.mark.parametrize("cause", ["fixed-inputs", "reachable-oracle", "unchecked-requirement"])
def test_defects_of_a_program_task_show(workshop, sound_mirror, cause):
    assert shown(workshop, sound_mirror, cause).cause == cause


@pytest.mark.slow
@pytest.mark.parametrize("cause", sorted(set(CAUSES) - set(QUICK) - {"fixed-inputs", "network-dependent"}))
def test_the_other_defects_show(workshop, sound_report, cause):
    assert shown(workshop, sound_report, cause).cause == cause


def test_calls_of_a_program_are_seen(sound_mirror):
    printed = {call.stdin: call.stdout for call in sound_mirror.observed.calls}
    assert printed["a1b2\nz9\n"] == "2B1A\n9Z\n"
    assert sound_mirror.observed.existing == frozenset()


def test_a_claim_that_does_not_hold_is_told(workshop, sound_report):
    claim = Demonstration("the untouched image is paid", UNTOUCHED, PAYS)
    nothing = Planted(sound_report.environment, "pays-for-nothing", "nothing was changed", (claim,))
    assert workshop.disprove(sound_report, nothing) == "not shown: the untouched image is paid (refuses)"


def test_what_is_not_sound_is_no_original(workshop, report):
    assert workshop.audit(replace(report, reference=None)) == "it has no reference"
    lazy = replace(report.reference, files=(replace(report.reference.files[0], content=b"true\n"),))
    assert workshop.audit(replace(report, reference=lazy)) == "the reference is not paid: refuses"


def test_a_corpus_is_written_with_its_labels(workshop, report, tmp_path):
    options = PlantOptions(("image-answer", "existence-only", "fixed-inputs"), seed=2)
    unsound = replace(report, name="tests/none", reference=None)
    originals = [Original(report, "reports"), Original(unsound, "none")]
    tally = plant_corpus(originals, workshop, options, tmp_path / "planted")
    rows = list(csv.DictReader((tmp_path / "planted" / "labels.csv").read_text().splitlines()))
    items = list(read_all([tmp_path / "planted"]))
    assert all(isinstance(item, Found) for item in items)
    assert {row["name"] for row in rows} == {item.environment.name for item in items}
    assert (rows[0]["sound"], rows[0]["cause"], rows[0]["twin"]) == ("1", "", "")
    assert {row["cause"] for row in rows[1:]} == {"image-answer", "existence-only"}
    assert all(row["twin"] == "tests/report" and row["family"] == "reports" and row["note"] for row in rows[1:])
    assert not any(row["cause"] in row["path"] + row["name"] for row in rows[1:])
    assert tally.unsound == [("tests/none", "it has no reference")]
    assert [(name, cause) for name, cause, _ in tally.cannot] == [("tests/report", "fixed-inputs")]


def test_the_rarest_causes_come_first(workshop, report, tmp_path):
    options = PlantOptions(("verifier-crashes", "no-reward-file"), per_environment=1)
    other = replace(report, name="tests/other", instruction=report.instruction + "\nThanks!\n")
    originals = [Original(report, "a"), Original(other, "b")]
    tally = plant_corpus(originals, workshop, options, tmp_path / "planted")
    assert tally.planted == {"verifier-crashes": 1, "no-reward-file": 1}
