"""The command: a corpus with labels in, a corpus with labels out."""

from __future__ import annotations

import csv
import json
import shutil

import pytest
from river_mini_support import CORPUS
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.environment import RiverError


def run(*arguments):
    return CliRunner().invoke(build_app(), ["plant", *map(str, arguments)], catch_exceptions=False)


@pytest.mark.sandbox
def test_only_the_sound_are_planted_in(tmp_path):
    corpus = tmp_path / "corpus"
    for name in ("export-calendar", "export-contacts"):
        shutil.copytree(CORPUS / "environments" / "harbor" / name, corpus / "environments" / name)
    shutil.copy(CORPUS / "labels.csv", corpus / "labels.csv")
    result = run(corpus, "--cause", "existence-only", "-o", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout.strip().splitlines()[-1])
    assert told["originals"] == 1
    assert told["planted"] == {"existence-only": 1}
    rows = list(csv.DictReader((tmp_path / "out" / "labels.csv").read_text().splitlines()))
    assert [row["sound"] for row in rows] == ["1", "0"]
    assert {row["family"] for row in rows} == {"exports"}


def test_mistakes_are_told_in_a_sentence(tmp_path):
    with pytest.raises(RiverError, match="name corpora to plant in"):
        run("-o", tmp_path / "out")
    with pytest.raises(RiverError, match="no cause 'sloppy'"):
        run(tmp_path, "--cause", "sloppy", "-o", tmp_path / "out")
