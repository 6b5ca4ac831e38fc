"""Both backends, on one imported base, give the same outcome on every attempt of river-mini that is not unstable."""

from __future__ import annotations

from pathlib import Path

import pytest

from river_envs.audit.grading import grading
from river_envs.audit.options import AuditOptions
from river_envs.audit.run import Run
from river_envs.catalog import Catalog, open_catalog
from river_envs.formats.ingest import ingest
from river_envs.sandbox import open_backend
from river_envs.sandbox.base import BackendOptions
from river_envs.scoring.run import score_catalog

CORPUS = Path(__file__).resolve().parents[2] / "catalogs" / "river-mini" / "environments"

pytestmark = [pytest.mark.docker, pytest.mark.sandbox, pytest.mark.slow, pytest.mark.timeout(3000)]


def audited(name: str, path: Path, store: Path, base: str) -> Catalog:
    """River-mini audited on one backend, on ``base``."""
    catalog = open_catalog(path, create=True)
    ingest(catalog, [CORPUS])
    backend = open_backend(name, BackendOptions(store=str(store), aliases={"river-mini/base:1": base}))  # type: ignore[arg-type]
    try:
        Run(catalog, backend, AuditOptions(effort="quick"), grading, command="river-envs audit")()
    finally:
        backend.close()
    score_catalog(catalog)
    return catalog


def test_the_backends_agree(tmp_path: Path, shared_base: str):
    bubblewrap = audited("bubblewrap", tmp_path / "b.duckdb", tmp_path / "store", shared_base)
    docker = audited("docker", tmp_path / "d.duckdb", tmp_path / "store", shared_base)
    query = "SELECT environment_id, id, probe, arm, repeat, status, reward, passed FROM attempt"
    frames = [catalog.sql(query) for catalog in (bubblewrap, docker)]
    unstable = set()
    for catalog in (bubblewrap, docker):
        unstable |= set(catalog.sql("SELECT environment_id FROM finding WHERE claim = 'unstable'")["environment_id"])
    both = frames[0].merge(frames[1], on="id", how="outer", suffixes=("", "_docker"))
    stable = both[~both["environment_id"].fillna(both["environment_id_docker"]).isin(unstable)]
    assert stable["status"].notna().all(), "attempts that only Docker made"
    assert stable["status_docker"].notna().all(), "attempts that only bubblewrap made"
    different = stable[
        (stable["status"] != stable["status_docker"])
        | (stable["reward"].fillna(-1) != stable["reward_docker"].fillna(-1))
    ]
    assert different.empty, different.to_string()
    assert len(stable) > 200
    digests = "SELECT id, result->>'delta' AS delta FROM attempt WHERE probe = 'reference' AND repeat = 0"
    deltas = [dict(catalog.sql(digests).itertuples(index=False, name=None)) for catalog in (bubblewrap, docker)]
    told = set(stable["id"])  # what follows an unsteady grade up differs with the grade
    assert set(deltas[0]) & told == set(deltas[1]) & told
