"""Into a real catalog: every input counted once, nothing read or written the second time."""

import os
import time

import pytest
from formats.format_tasks import harbor_files, tmax_files, write_tree

from river_envs.catalog import open_catalog
from river_envs.environment import RiverError
from river_envs.formats import ingest as module
from river_envs.formats.base import Bounds
from river_envs.formats.ingest import ingest, preview


@pytest.fixture
def catalog(tmp_path):
    return open_catalog(tmp_path / "river.duckdb", create=True)


@pytest.fixture
def mixed(corpus):
    """Three good tasks, a duplicate, an unsupported one and a broken one."""
    write_tree(corpus / "duplicate", harbor_files())
    write_tree(corpus / "unsupported", harbor_files(**{"tests/Dockerfile": "FROM scratch\n"}))
    write_tree(corpus / "broken", harbor_files(**{"task.toml": "["}))
    return corpus


def words(report):
    return {item.where.rpartition("/")[2]: item.result for item in report.items}


def test_every_input_has_a_result(catalog, mixed):
    seen = []
    report = ingest(catalog, [mixed], progress=seen.append)
    assert words(report) == {
        "harbor-task": "ingested", "task_1": "ingested", "make-file": "ingested", "duplicate": "duplicate",
        "unsupported": "unsupported", "broken": "rejected",
    }  # fmt: skip
    assert (report.ingested, report.duplicate, report.unsupported, report.rejected) == (3, 1, 1, 1)
    assert report.found == 5
    assert sorted(seen, key=str) == sorted(report.items, key=str)


def test_reasons_are_in_the_catalog(catalog, mixed):
    report = ingest(catalog, [mixed])
    rows = catalog.sql("SELECT input, result, reason FROM ingest_input WHERE result IN ('rejected', 'unsupported')")
    assert len(rows) == 2
    assert all(rows["reason"])
    assert len(catalog.sql(f"SELECT * FROM ingest_input WHERE run_id = '{report.run_id}'")) == 6


def test_again_reads_and_writes_nothing(catalog, mixed, monkeypatch):
    ingest(catalog, [mixed])
    before = catalog.path.stat().st_mtime_ns
    monkeypatch.setattr(module, "read_source", lambda source: pytest.fail(f"{source.where} was read"))
    report = ingest(catalog, [mixed])
    assert (report.ingested, report.unchanged, report.duplicate, report.unsupported, report.rejected) == (0, 3, 1, 1, 1)
    assert all(item.reason for item in report.items if item.result in ("rejected", "unsupported", "duplicate"))
    assert report.run_id is None
    assert catalog.path.stat().st_mtime_ns == before


def test_touched_but_equal_is_unchanged(catalog, mixed):
    ingest(catalog, [mixed])
    later = time.time_ns() + 10**9
    os.utime(mixed / "a/harbor-task/instruction.md", ns=(later, later))
    report = ingest(catalog, [mixed])
    assert words(report)["harbor-task"] == "unchanged"
    assert report.ingested == 0


def test_changed_content_is_a_new_environment(catalog, mixed):
    ingest(catalog, [mixed])
    (mixed / "b/deeper/task_1/test_final_state.py").write_text("def test_it():\n    assert 1 == 2\n")
    report = ingest(catalog, [mixed])
    assert (report.ingested, words(report)["task_1"]) == (1, "ingested")


def test_a_repaired_task_is_read_again(catalog, mixed):
    ingest(catalog, [mixed])
    write_tree(mixed / "broken", harbor_files(**{"instruction.md": "Now it works.\n"}))
    assert words(ingest(catalog, [mixed]))["broken"] == "ingested"


def test_another_limit_reads_again(catalog, mixed):
    assert ingest(catalog, [mixed], bounds=Bounds(file_bytes=10)).found == 0
    assert ingest(catalog, [mixed]).ingested == 3


def test_order_is_stable(tmp_path, mixed):
    first = ingest(open_catalog(tmp_path / "1.duckdb", create=True), [mixed])
    second = ingest(open_catalog(tmp_path / "2.duckdb", create=True), [mixed])
    assert [(item.where, item.environment_id) for item in first.items] == [
        (item.where, item.environment_id) for item in second.items
    ]


def test_batches(catalog, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BATCH_ENVIRONMENTS", 4)
    for number in range(11):
        write_tree(tmp_path / f"many/task_{number}", tmax_files({"description": f"Task {number}."}))
    assert ingest(catalog, [tmp_path / "many"]).ingested == 11
    assert len(catalog.sql("SELECT id FROM environment")) == 11


def test_an_interrupted_ingest_keeps_what_was_committed(catalog, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BATCH_ENVIRONMENTS", 2)
    for number in range(6):
        write_tree(tmp_path / f"many/task_{number}", tmax_files({"description": f"Task {number}."}))
    seen = []

    def interrupt(result):
        seen.append(result)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest(catalog, [tmp_path / "many"], progress=interrupt)
    report = ingest(catalog, [tmp_path / "many"])
    assert (report.unchanged, report.ingested) == (4, 2)


def test_what_is_loaded_is_what_was_read(catalog, mixed):
    from river_envs.formats.detect import read_all

    ingest(catalog, [mixed])
    for item in read_all([mixed]):
        if hasattr(item, "environment") and not item.where.endswith("duplicate"):
            loaded = catalog.environment(item.environment.id)
            assert loaded.id == item.environment.id
            assert loaded.image.context == item.environment.image.context


def test_preview_writes_nothing_and_says_the_same(tmp_path, mixed):
    report = preview([mixed])
    assert words(report)["unsupported"] == "unsupported"
    assert (report.ingested, report.duplicate, report.rejected) == (3, 1, 1)
    assert not list(tmp_path.glob("*.duckdb"))


def test_missing_path(catalog, tmp_path):
    with pytest.raises(RiverError, match="does not exist"):
        ingest(catalog, [tmp_path / "nowhere"])
