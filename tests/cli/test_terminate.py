"""SIGTERM ends a run as Ctrl-C does: nothing is lost, and the catalog says how it ended."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from river_envs.catalog import open_catalog

COMMAND = str(Path(sys.executable).with_name("river-envs"))
CORPUS = Path(__file__).resolve().parents[2] / "catalogs" / "river-mini" / "environments"

pytestmark = pytest.mark.sandbox


def test_an_audit_that_is_terminated_is_interrupted(tmp_path: Path):
    path = tmp_path / "c.duckdb"
    subprocess.run([COMMAND, "ingest", str(CORPUS), "-c", str(path), "--json"], check=True, capture_output=True)
    process = subprocess.Popen(
        [COMMAND, "audit", "-c", str(path), "--effort", "quick", "--backend", "bubblewrap", "--jobs", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until = time.monotonic() + 120
        while not (path.with_name("c.duckdb.d") / "spool").exists() and process.poll() is None:
            assert time.monotonic() < until
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "interrupted" in said
    catalog = open_catalog(path)
    assert catalog.sql("SELECT state, ended IS NOT NULL AS ended FROM audit_run").values.tolist() == [
        ["interrupted", True]
    ]
