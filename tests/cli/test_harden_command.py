"""``harden`` and ``harness`` from the command line, as far as they need no sandbox."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.environment import RiverError


def test_a_folder_with_content_is_refused(tmp_path):
    (tmp_path / "x").write_text("kept")
    with pytest.raises(RiverError, match="not empty"):
        CliRunner().invoke(build_app(), ["harden", "any", "-o", str(tmp_path)], catch_exceptions=False)
    assert (tmp_path / "x").read_text() == "kept"


def test_a_missing_catalog_is_named(tmp_path):
    with pytest.raises(RiverError, match=r"none\.duckdb"):
        CliRunner().invoke(build_app(), ["harness", "-c", str(tmp_path / "none.duckdb")], catch_exceptions=False)
