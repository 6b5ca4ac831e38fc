"""``river-envs calibrate`` and ``score --sensitivity`` from the outside, on river-mini with evidence made up."""

from __future__ import annotations

import csv
import json

import pytest
from scoring_support import LABELS, river_mini
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.catalog import open_catalog
from river_envs.environment import RiverError
from river_envs.scoring import model as models


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    return river_mini(tmp_path_factory.mktemp("mini") / "c.duckdb")


@pytest.fixture
def catalog(judged, tmp_path):
    path = tmp_path / "c.duckdb"
    path.write_bytes(judged.read_bytes())
    return open_catalog(path)


def run(*arguments, fails=None):
    done = CliRunner().invoke(build_app(), [str(argument) for argument in arguments], env={"COLUMNS": "160"})
    if fails is None:
        assert done.exit_code == 0, done.output + repr(done.exception)
        return done.stdout
    assert isinstance(done.exception, RiverError), done.output + repr(done.exception)
    assert fails in str(done.exception)
    return ""


def test_a_model_is_fitted_kept_and_ranks(catalog):
    before = catalog.verdicts()
    said = json.loads(run("calibrate", "-c", catalog.path, "--labels", LABELS, "--json"))
    assert said["labelled"] == said["ranked"] == 70
    assert said["sources"][0]["not_in_catalog"] == 0
    assert said["figures"]["all"]["brier_skill"] > 0
    assert catalog.calibration() == said["model"]
    frame = catalog.environments()
    assert frame["p_sound"].between(0, 1).all()
    assert frame.loc[frame["verdict"] == "defective", "p_sound"].max() <= models.PROVED
    assert frame.loc[frame["verdict"] == "sound", "p_sound"].max() > 0.5
    assert catalog.verdicts().equals(before)


def test_a_prior_moves_every_probability_and_the_content_hash(catalog):
    run("calibrate", "-c", catalog.path, "--labels", LABELS)
    before, digest = catalog.environments("verdict = 'sound'")["p_sound"], catalog.content_hash()
    run("calibrate", "-c", catalog.path, "--labels", LABELS, "--prior", 0.1)
    assert (catalog.environments("verdict = 'sound'")["p_sound"] < before).all()
    assert catalog.content_hash() != digest


def test_a_dry_run_writes_nothing(catalog):
    before = catalog.path.read_bytes()
    run("calibrate", "-c", catalog.path, "--labels", LABELS, "--dry-run")
    assert catalog.path.read_bytes() == before
    assert catalog.calibration() is None


def test_sources_that_disagree_are_combined_and_said(catalog, tmp_path):
    rows = list(csv.DictReader(LABELS.open(encoding="utf-8")))
    other = tmp_path / "other.json"
    words = [{"name": row["name"], "sound": int(row["sound"]) if n % 9 else 0} for n, row in enumerate(rows)]
    other.write_text(json.dumps(words))
    shown = run("calibrate", "-c", catalog.path, "--labels", LABELS, "--labels", other)
    assert "70 environments are labelled by all, 66 of them alike; kappa 0.89" in shown
    for how in ("worst", "dawid-skene"):
        arguments = ("--labels", LABELS, "--labels", other, "--combine", how, "--json", "--dry-run")
        said = json.loads(run("calibrate", "-c", catalog.path, *arguments))
        assert said["agreement"]["shared"] == 70
        assert said["model"]["about"]["combined"] == how
        assert said["model"]["base_rate"] == pytest.approx(31 / 70 if how == "worst" else 33 / 70, abs=0.04)


def test_the_tables_are_for_people(catalog):
    shown = run("calibrate", "-c", catalog.path, "--labels", LABELS)
    for word in ("On families left out", "Reliability", "drop all", "leads-wrong", "never varies", "prior 0.500"):
        assert word in shown
    name = catalog.sql("SELECT id FROM environments_view WHERE verdict = 'sound'")["id"][0]
    shown = run("show", "-c", catalog.path, name)
    assert "p_sound" in shown
    assert "labels.csv" in shown
    facts = json.loads(run("show", "-c", catalog.path, name, "--json"))
    assert facts["p_sound_low"] <= facts["p_sound"] <= facts["p_sound_high"]
    assert facts["basis"]["p_accepts_wrong"].startswith("questions about wrong work: 10 survived")


def test_what_cannot_be_done_is_one_sentence(catalog, tmp_path, monkeypatch):
    lone = tmp_path / "lone.csv"
    lone.write_text("name,sound\nriver-mini/build-order-plan,0\n")
    run("calibrate", "-c", catalog.path, "--labels", lone, fails="calibration needs 10 audited environments")
    run("calibrate", "-c", catalog.path, "--labels", LABELS, "--prior", 1.5, fails="between 0 and 1")
    run("calibrate", "-c", catalog.path, fails="calibrate needs --labels FILE")
    run("calibrate", "-c", tmp_path / "none.duckdb", "--labels", LABELS, fails="there is no catalog at")
    monkeypatch.setattr(models, "default_model", lambda: None)
    run("calibrate", "-c", catalog.path, "--prior", 0.3, fails="ships no default model")
    assert catalog.calibration() is None


def test_without_labels_the_default_model_is_corrected(catalog, monkeypatch):
    run("calibrate", "-c", catalog.path, "--labels", LABELS)
    shipped = models.from_json(catalog.calibration())
    monkeypatch.setattr(models, "default_model", lambda: shipped)
    said = json.loads(run("calibrate", "-c", catalog.path, "--prior", 0.36, "--json"))
    assert said["model"]["prior"] == 0.36
    assert said["figures"] == {}
    assert catalog.calibration()["prior"] == 0.36


def test_sensitivity_is_shown(catalog):
    run("calibrate", "-c", catalog.path, "--labels", LABELS)
    from river_envs.scoring.sensitivity import sensitivity

    rows = sensitivity(catalog.evidence(), models.model_of(catalog))
    assert rows[-1].name == "ranked by p_sound"
    said = json.loads(run("score", "-c", catalog.path, "--only", "name = 'nobody'", "--sensitivity", "--json"))
    assert {row["ranked"] for row in said["sensitivity"]} == {rows[0].ranked}
    shown = run("score", "-c", catalog.path, "--only", "name = 'nobody'", "--sensitivity")
    assert "How the ranking moves" in shown
    assert "refusing right work costs five times" in shown
