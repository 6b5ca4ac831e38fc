"""Every command, from the outside: help, errors in one sentence with exit status 2, machine-readable output."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.catalog import open_catalog

COMMAND = str(Path(sys.executable).with_name("river-envs"))


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60)


def test_every_command_has_help():
    app = build_app()
    names = [command.name for command in app.registered_commands] + [group.name for group in app.registered_groups]
    wanted = "audit demo filter ingest probes replay report score show sql train".split()  # noqa: SIM905
    assert set(wanted) <= set(names)
    for name in names:
        shown = CliRunner().invoke(app, [str(name), "--help"])
        assert shown.exit_code == 0, name
        assert "Usage" in shown.output


@pytest.mark.parametrize("command", ["audit", "score", "sql 1", "show x", "report", "replay x"])
def test_a_missing_catalog_is_one_sentence(command: str, tmp_path: Path):
    done = call(*command.split(), "--catalog", str(tmp_path / "none.duckdb"))
    assert done.returncode == 2
    assert "none.duckdb" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "none.duckdb").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("catalog merge", ("missing argument", "catalog merge --help")),
        ("catalog merge a b c", ("extra argument", "(c)", "catalog merge --help")),
        ("catalog mergee", ("mergee", "catalog --help")),
        ("train here", ("extra argument", "train --help")),
        ("train --steps", ("--steps", "train --help")),
        ("audit --effort most", ("'most' is not one of 'quick'", "audit --help")),
        ("audit --jobs -3", ("--jobs", "audit --help")),
        ("show", ("missing argument", "show --help")),
        ("nothing", ("nothing", "river-envs --help")),
    ],
)
def test_arguments_that_do_not_fit_are_one_sentence(arguments: str, words: tuple[str, ...]):
    done = call(*arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("river-envs: ")
    assert all(word in done.stderr for word in words), done.stderr


@pytest.mark.parametrize("arguments", ["", "catalog"])
def test_nothing_at_all_shows_the_help(arguments: str):
    done = call(*arguments.split())
    assert (done.returncode, done.stderr) == (2, "")
    assert "Usage" in done.stdout


def test_train_says_what_to_install():
    done = call("train")
    assert (done.returncode, done.stdout) == (2, "")
    assert "river-envs[train]" in done.stderr


def test_a_budget_that_is_no_time(tmp_path: Path):
    open_catalog(tmp_path / "c.duckdb", create=True)
    done = call("audit", "--catalog", str(tmp_path / "c.duckdb"), "--budget", "soon")
    assert done.returncode == 2
    assert "30m" in done.stderr


def test_an_unknown_backend_is_named(tmp_path: Path):
    open_catalog(tmp_path / "c.duckdb", create=True)
    done = call("audit", "--catalog", str(tmp_path / "c.duckdb"), "--backend", "vm")
    assert done.returncode == 2
    assert "bubblewrap" in done.stderr


def test_probes_are_listed_and_explained():
    rows = json.loads(call("probes", "--json").stdout)
    assert {"untouched", "reference", "example-block"} <= {row["id"] for row in rows}
    assert "What a hit proves" in call("probes", "untouched").stdout
    assert call("probes", "nothing").returncode == 2


def test_a_dry_run_counts_and_runs_nothing(tmp_path: Path):
    catalog = open_catalog(tmp_path / "c.duckdb", create=True)
    from probe_support import environment

    with catalog.writer() as writer:
        writer.add_environments([environment()], ["a"])
    found = json.loads(call("audit", "--catalog", str(catalog.path), "--dry-run", "--json").stdout)
    assert found["environments"] == 1
    assert found["attempts"]["untouched"] == 2
    assert len(catalog.sql("FROM attempt")) == 0


def test_the_demo_refuses_a_folder_it_did_not_make(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("keep")
    done = call("demo", "--output", str(tmp_path))
    assert done.returncode == 2
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_importing_is_fast_and_light():
    script = (
        "import sys, river_envs, river_envs.environment, river_envs.probes.base; "
        "print([m for m in ('torch', 'docker', 'ray', 'openai', 'pandas', 'duckdb', 'sklearn') if m in sys.modules])"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert time.monotonic() - began < 30  # a hang, not a measurement


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ("--pass-at nan", "finite number"),
        ("--jobs 100000", "one per core"),
        ("--only name='zzz'", "no environment matches"),
        ("--only nosuch=3", "environments_view"),
    ],
)
def test_an_audit_that_cannot_be_meant_is_refused(options: str, word: str, tmp_path: Path):
    catalog = open_catalog(tmp_path / "c.duckdb", create=True)
    from probe_support import environment

    with catalog.writer() as writer:
        writer.add_environments([environment()], ["a"])
    done = call("audit", "--catalog", str(catalog.path), "--dry-run", *options.split())
    assert done.returncode == 2
    assert word in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_damaged_catalog_is_one_sentence(tmp_path: Path):
    catalog = open_catalog(tmp_path / "c.duckdb", create=True)
    with catalog.path.open("r+b") as stream:
        stream.truncate(50_000)
    done = call("show", "x", "--catalog", str(catalog.path))
    assert done.returncode == 2
    assert "damaged" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
