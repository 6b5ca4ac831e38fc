"""What a dry run says is left to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from probe_support import controls, environment, failed, graded

from river_envs.audit.estimate import estimate
from river_envs.audit.options import EFFORTS, AuditOptions
from river_envs.catalog import Catalog, PlanRecord, open_catalog
from river_envs.outcome import Status
from river_envs.probes.base import Survey
from river_envs.probes.registry import probe, probes

ENV = environment()


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    made = open_catalog(tmp_path / "c.duckdb", create=True)
    with made.writer() as writer:
        writer.add_environments([ENV], ["a"])
    return made


def untouched():
    return list(probe("untouched").plan(ENV, Survey()))


def test_recorded_attempts_are_not_left(catalog: Catalog):
    before = estimate(catalog, AuditOptions())
    with catalog.writer() as writer:
        writer.add_results([graded(attempt, False) for attempt in untouched()[:1]])
    after = estimate(catalog, AuditOptions())
    assert (before.attempts["untouched"], after.attempts["untouched"]) == (2, 1)
    assert (before.remaining, after.remaining) == (sum(before.attempts.values()), before.remaining - 1)
    assert after.recorded == 1
    with catalog.writer() as writer:
        writer.add_results([graded(attempt, False) for attempt in untouched()])
    assert "untouched" not in estimate(catalog, AuditOptions()).attempts


def test_attempts_of_an_earlier_version_do_not_count(catalog: Catalog):
    with catalog.writer() as writer:
        writer.add_results([graded(replace(attempt, version=99), False) for attempt in untouched()])
    assert estimate(catalog, AuditOptions()).attempts["untouched"] == 2


@pytest.mark.parametrize(
    ("status", "options", "left"),
    [
        (Status.SANDBOX_ERROR, AuditOptions(), 1),
        (Status.VERIFIER_TIMEOUT, AuditOptions(), 0),
        (Status.VERIFIER_TIMEOUT, AuditOptions(retry=True), 1),
        (None, AuditOptions(retry=True), 0),
        (None, AuditOptions(again=True), 2),
    ],
)
def test_what_is_done_again_is_left_also_where_everything_was_planned(
    catalog: Catalog, status: Status | None, options: AuditOptions, left: int
):
    results = [graded(attempt, False) for attempt in untouched()]
    if status:
        results[0] = failed(results[0].attempt, status)
    with catalog.writer() as writer:
        writer.add_results(results)
        writer.add_plans([PlanRecord(ENV.id, one.id, one.version, "planned") for one in probes()])
    found = estimate(catalog, options)
    assert found.attempts.get("untouched", 0) == left
    assert found.environments == (1 if left else 0)


def test_the_effort_bounds_what_is_left(catalog: Catalog):
    quick, deep = (estimate(catalog, AuditOptions(effort=effort)) for effort in ("quick", "deep"))
    beside = {name: count for name, count in quick.attempts.items() if name not in {"untouched", "reference"}}
    assert sum(beside.values()) < EFFORTS["quick"] + max(beside.values())
    assert quick.remaining < deep.remaining
    assert len(controls(ENV).untouched) == quick.attempts["untouched"]
