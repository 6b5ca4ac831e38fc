"""The script that makes the default model, on river-mini with evidence made up."""

from __future__ import annotations

import json

import pytest
from scoring_support import LABELS, river_mini

from benchmarks import calibration
from river_envs.scoring.features import FEATURES
from river_envs.scoring.model import from_json


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    """Two corpora and three outputs; the made-up evidence stands for that of an audit."""
    monkeypatch.setattr(calibration, "score_catalog", lambda *_: None)
    catalog = river_mini(tmp_path / "c.duckdb")
    corpora = [word for kind in ("with", "without") for word in ("--corpus", catalog, LABELS, kind)]
    files = {name: tmp_path / f"{name}.out" for name in ("output", "model", "card")}
    return files, [str(word) for word in (*corpora, *(word for name in files for word in (f"--{name}", files[name])))]


def test_it_writes_figures_model_and_card(arguments):
    files, words = arguments
    calibration.main(words)
    figures = json.loads(files["output"].read_text())["figures"]
    assert figures["all"]["rows"] == 140
    assert {"with references", "without references", "without references, defective"} <= set(figures)
    model = from_json(json.loads(files["model"].read_text()))
    assert model.said.startswith("logistic model of 140 environments in 35 families (planted worlds)")
    card = files["card"].read_text()
    assert "140 audited environments in 35 families" in card
    assert all(f"`{feature.name}`" in card for feature in FEATURES)


def test_a_dry_run_writes_the_figures_only(arguments):
    files, words = arguments
    calibration.main([*words, "--dry-run"])
    assert [name for name, path in files.items() if path.exists()] == ["output"]
