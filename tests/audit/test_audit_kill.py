"""Killed in mid-audit at ten random moments, an audit ends as an undisturbed one: nothing lost, nothing repeated."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from river_envs.catalog import Catalog, open_catalog

CORPUS = Path(__file__).resolve().parents[2] / "catalogs" / "river-mini" / "environments"
COMMAND = str(Path(sys.executable).with_name("river-envs"))
KILLS = 10

pytestmark = [pytest.mark.sandbox, pytest.mark.slow, pytest.mark.timeout(1200)]


def call(*arguments: str) -> dict[str, object]:
    done = subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}


def audited(catalog: Path) -> dict[str, object]:
    return call("audit", "--catalog", str(catalog), "--effort", "quick", "--backend", "bubblewrap", "--json")


def killed(catalog: Path, after: float) -> None:
    process = subprocess.Popen(
        [COMMAND, "audit", "--catalog", str(catalog), "--effort", "quick", "--backend", "bubblewrap", "--json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def unstable(catalog: Catalog) -> set[str]:
    frame = catalog.sql("SELECT DISTINCT environment_id FROM finding WHERE claim = 'unstable'")
    return set(frame["environment_id"])


def told(catalog: Catalog, without: set[str]) -> dict[str, list[tuple[object, ...]]]:
    """Everything that must be the same: attempts with outcomes, findings, verdicts; not times, not unstable ones."""
    queries = {
        "attempts": "SELECT environment_id, id, probe, arm, repeat, status, coalesce(reward, -1) FROM attempt",
        "findings": "SELECT environment_id, id, cause, probe, message FROM finding",
        "verdicts": "SELECT environment_id, verdict, causes::VARCHAR FROM verdict",
    }
    return {
        name: sorted(
            (row for row in catalog.sql(query).itertuples(index=False, name=None) if row[0] not in without), key=str
        )
        for name, query in queries.items()
    }


def test_ten_kills_change_nothing(tmp_path: Path):
    calm, shot = tmp_path / "calm.duckdb", tmp_path / "shot.duckdb"
    for catalog in (calm, shot):
        call("ingest", str(CORPUS), "--catalog", str(catalog), "--json")
    began = time.monotonic()
    report = audited(calm)
    length = time.monotonic() - began
    chance = random.Random(7)
    for _ in range(KILLS):
        killed(shot, chance.uniform(0.5, max(1.0, length / 6)))
    again = audited(shot)
    assert again["finished"] is not None
    first, second = open_catalog(calm), open_catalog(shot)
    flaky = unstable(first) | unstable(second)
    assert told(first, flaky) == told(second, flaky)
    assert int(first.sql("SELECT count(*) AS n FROM attempt")["n"].iloc[0]) == report["attempts"]
    assert int(second.sql("SELECT count(*) - count(DISTINCT id) AS n FROM attempt")["n"].iloc[0]) == 0
    assert not list((tmp_path / "shot.duckdb.d" / "spool").glob("*"))
