"""``river-envs ingest`` as a user meets it."""

import json

import pytest
from formats.format_tasks import harbor_files, tmax_files, write_tree
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.environment import RiverError


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments):
        return CliRunner().invoke(build_app(), ["ingest", *map(str, arguments)])

    return invoke


@pytest.fixture
def tasks(tmp_path):
    write_tree(tmp_path / "tasks/good", harbor_files())
    write_tree(tmp_path / "tasks/also", tmax_files())
    write_tree(tmp_path / "tasks/bad\x1b[2J", harbor_files(**{"task.toml": "["}))
    return tmp_path / "tasks"


def test_table_and_reasons(run, tasks):
    result = run(tasks)
    assert result.exit_code == 0
    assert "not valid TOML" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\\x1b" in result.stdout


def test_json(run, tasks, tmp_path):
    document = json.loads(run(tasks, "--json", "--catalog", tmp_path / "c.duckdb").stdout)
    assert (document["ingested"], document["rejected"], document["inputs"]) == (2, 1, 3)
    assert [item["result"] for item in document["items"]] == ["rejected"]
    again = run(tasks, "--json", "--catalog", tmp_path / "c.duckdb")
    assert again.exit_code == 0
    assert json.loads(again.stdout)["unchanged"] == 2


def test_dry_run_writes_nothing(run, tasks, tmp_path):
    assert run(tasks, "--dry-run").exit_code == 0
    assert not list(tmp_path.glob("*.duckdb*"))


def test_file_limit(run, tasks):
    (tasks / "good/environment/big").write_bytes(bytes(3 << 20))
    assert "environment/big is too large" in run(tasks, "--dry-run", "--max-file-mb", "2").stdout


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda root: root / "nowhere", "does not exist"),
        (lambda root: root / "empty", "no environment was found"),
        (lambda root: root / "bad", "no environment could be read"),
    ],
)
def test_nothing_found_ends_with_a_sentence(run, tmp_path, make, words):
    (tmp_path / "empty").mkdir()
    write_tree(tmp_path / "bad/t", harbor_files(**{"task.toml": "["}))
    result = run(make(tmp_path))
    assert isinstance(result.exception, RiverError)
    assert words in str(result.exception)


def test_unknown_format(run, tasks):
    result = run(tasks, "--format", "cobol")
    assert "unknown format 'cobol'" in str(result.exception)
