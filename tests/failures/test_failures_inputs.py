"""Reported failures about tasks that cannot be run: cases 6, 25, 26 and 27, from folder to verdict.

| case | also asserted in detail by |
|---|---|
| 6 | tests/images/test_builder.py (which failures are the recipe's fault), tests/sandbox/test_docker_build.py |
| 25 | tests/formats/test_ingest.py (every input ends once), tests/formats/test_format_tmax.py (all keys) |
| 26 | tests/formats/test_format_harbor.py (what a compose file may say) |
| 27 | tests/images/test_apptainer.py (where Apptainer begins a section) |
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from failures.failure_tasks import ASK, BASE, RECIPE, Audited, harbor, tmax, write
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.images.importer import import_base

pytestmark = pytest.mark.sandbox

OLD = "failures/old-distribution:1"
GONE = "E: Failed to fetch http://deb.example.invalid/pool/libz_1.2.deb  404  Not Found [IP: 192.0.2.7 80]"
APT = f"#!/bin/sh\necho 'Reading package lists...'\necho '{GONE}' >&2\nexit 100\n"
HEREDOC = f"Bootstrap: docker\nFrom: {BASE}\n%files\n/gen/x/fixtures/orders.csv /app/orders.csv\n%post\nmkdir -p /app\n"
COMPOSE = "services:\n  main:\n    build: .\n    command: sleep infinity\n  database:\n    image: postgres:16\n"


def small_base(folder: Path) -> Path:
    """A root file system of its own: a shell, what it links to, and an apt-get whose archive has moved on."""
    shell = Path(shutil.which("dash") or shutil.which("sh") or "/bin/sh").resolve()
    linked = subprocess.run(["ldd", shell], capture_output=True, text=True, check=True).stdout.split()
    for library in (Path(word) for word in linked if word.startswith("/")):
        target = folder / library.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)
    write(folder, {"etc/passwd": "root:x:0:0:root:/root:/bin/sh\n", "usr/bin/apt-get": APT})
    (folder / "usr/bin/apt-get").chmod(0o755)
    (folder / "bin").mkdir(exist_ok=True)
    shutil.copy(shell, folder / "bin/sh")
    for name in ("tmp", "root", "proc", "dev", "sys"):
        (folder / name).mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def tasks(tmp_path_factory) -> Path:
    """The task folders of this module."""
    folder = tmp_path_factory.mktemp("inputs")
    harbor(folder, "archive-moved", recipe=RECIPE.replace(BASE, OLD) + "RUN apt-get install -y libz1\n")
    harbor(folder, "archive-moved-stand-in", recipe=RECIPE + f"RUN echo '{GONE}'; exit 100\n")
    harbor(folder, "two-services", files={"docker-compose.yaml": COMPOSE})
    tmax(folder, "null-base-image", task={"base_image": None, "anchor": None})
    known = "cat >/app/page.txt <<'END'\nfirst\n%environment\nexport SECOND=1\nEND\necho never >/app/never.txt\n"
    tmax(folder, "heredoc-section", **{"container.def": HEREDOC + known, "setup.sh": "true\n"})
    unknown = "cat >/app/page.txt <<'END'\nfirst\n%d items\nEND\n"
    tmax(folder, "heredoc-percent", **{"container.def": HEREDOC + unknown, "setup.sh": "true # 2\n"})
    write(folder / "no-recipe", {"task.json": json.dumps({"description": ASK}), "test_final_state.py": "pass\n"})
    write(folder / "no-json", {"task.json": "{", "container.def": HEREDOC, "test_final_state.py": "pass\n"})
    return folder


@pytest.fixture(scope="module")
def told(tasks: Path, failure_backend, tmp_path_factory, audited) -> Audited:
    """All of them in one catalog, audited together."""
    base = small_base(tmp_path_factory.mktemp("root"))
    import_base(failure_backend.builder.store, failure_backend.namespaces, OLD, base)
    return audited(tasks)


def image(told: Audited, name: str) -> dict[str, object]:
    """The record of the one build."""
    (row,) = told.rows("SELECT * FROM image WHERE environment_id = '{id}'", name)
    return row


def test_an_image_that_no_longer_builds_is_broken_with_its_log(told: Audited):
    """Case 6: the package is gone from the archive: the recipe's fault, and the log says which line."""
    assert told.verdict("archive-moved") == ("defective", ["build-fails"])
    (finding,) = told.findings("archive-moved")
    assert finding["claim"] == "broken"
    assert "apt-get install -y libz1" in finding["message"]
    built = image(told, "archive-moved")
    assert built["status"] == "build-failed"
    assert GONE in built["log"]
    assert {row["status"] for row in told.attempts("archive-moved")} == {"build-failed"}
    assert all(row["passed"] is None for row in told.attempts("archive-moved"))


def test_a_failed_build_on_a_stand_in_accuses_nobody(told: Audited):
    """Case 6: on a base that only stands in for the recipe's own the failure may be ours; the log is kept as well."""
    assert told.verdict("archive-moved-stand-in") == ("unverified", [])
    assert GONE in image(told, "archive-moved-stand-in")["log"]
    assert "perhaps through no fault of the recipe" in told.reasons("archive-moved-stand-in")


def test_a_null_base_image_is_audited(told: Audited):
    """Case 25: the key is there without a value; the task is read, built and judged like any other."""
    verdict, causes = told.verdict("null-base-image")
    assert (verdict, causes) == ("resisted", [])
    assert told.statuses("null-base-image", "untouched") == {"graded"}


def test_every_skipped_input_is_counted_and_named(tasks: Path, tmp_path: Path):
    """Case 25: inputs = ingested + unsupported + rejected, and each of the latter has its path and its reason."""
    catalog = tmp_path / "c.duckdb"
    done = CliRunner().invoke(build_app(), ["ingest", str(tasks), "--catalog", str(catalog), "--json"])
    document = json.loads(done.stdout)
    folders = {path.name for path in tasks.iterdir()}
    assert document["inputs"] == len(folders) == 8
    assert (document["ingested"], document["unsupported"], document["rejected"]) == (5, 1, 2)
    named = {Path(item["input"]).name: (item["result"], item["reason"]) for item in document["items"]}
    assert named["two-services"] == ("unsupported", "2 services (docker compose: database, main)")
    assert named["no-recipe"] == ("rejected", "container.def is missing")
    result, reason = named["no-json"]
    assert result == "rejected"
    assert "task.json is not valid JSON" in reason
    told = CliRunner().invoke(build_app(), ["ingest", str(tasks), "--dry-run"]).stdout
    assert all(name in told and reason in told for name, (_, reason) in named.items())


def test_several_services_are_said_at_ingest_and_never_half_run(told: Audited):
    """Case 26: unsupported from the beginning: no image, no attempt, no verdict but unverified with the reason."""
    (row,) = told.rows("SELECT status, unsupported FROM environment WHERE id = '{id}'", "two-services")
    assert row["status"] == "unsupported"
    assert list(row["unsupported"]) == ["2 services (docker compose: database, main)"]
    assert told.attempts("two-services") == []
    assert told.rows("SELECT * FROM image WHERE environment_id = '{id}'", "two-services") == []
    assert told.verdict("two-services") == ("unverified", [])
    assert "unsupported: 2 services" in told.reasons("two-services")


def test_a_section_inside_a_heredoc_ends_the_script(told: Audited):
    """Case 27: Apptainer knows no heredocs, so the script ends at the known section; the image's notes say so."""
    built = image(told, "heredoc-section")
    assert built["status"] == "built"
    assert any("inside the heredoc 'END' of %post" in note for note in built["notes"])
    (identifier,) = [row["id"] for row in told.rows("SELECT id FROM environment WHERE id = '{id}'", "heredoc-section")]
    seen = told.catalog.surveys([identifier])[identifier]
    assert seen.peek("/app/page.txt").text == "first\n"
    assert not [entry for entry in seen.listing if entry.path == "/app/never.txt"]


def test_an_unknown_section_inside_a_heredoc_fails_the_build(told: Audited):
    """Case 27: what Apptainer refuses is refused here, with the line's place."""
    assert told.verdict("heredoc-percent") == ("defective", ["build-fails"])
    (finding,) = told.findings("heredoc-percent")
    assert "invalid section" in finding["message"]
    assert "inside the heredoc 'END'" in finding["message"]
