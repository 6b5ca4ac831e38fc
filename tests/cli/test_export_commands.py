"""``river-envs export``, ``diff`` and ``fetch`` from the outside."""

import json

import pytest
from report.report_sample import build
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.environment import RiverError


@pytest.fixture
def catalog(tmp_path):
    return build(tmp_path / "river.duckdb", kept=0)


def run(*arguments, code=0):
    result = CliRunner().invoke(build_app(), [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def fails(*arguments):
    result = CliRunner().invoke(build_app(), [str(argument) for argument in arguments])
    assert isinstance(result.exception, RiverError), result.output
    return str(result.exception)


def test_a_subset_is_exported_and_two_are_compared(catalog, tmp_path):
    base = ("-c", catalog.path)
    run("filter", *base, "-o", tmp_path / "a")
    run("filter", *base, "--keep", 0.2, "-o", tmp_path / "b")
    said = json.loads(run("export", tmp_path / "a", "--as", "ids", "-o", tmp_path / "ids", *base, "--json").stdout)
    assert said["written"] == len((tmp_path / "ids" / "ids.txt").read_text().split()) == 14
    latest = run("export", "--as", "hf", "-o", tmp_path / "hf", *base)
    assert "9 environments written" in latest.stderr
    found = json.loads(run("diff", tmp_path / "a", tmp_path / "b", *base, "--json").stdout)
    assert (found["kept"], found["both"], found["same"]) == ([14, 9], 9, False)
    assert len(found["only_first"]) == 5
    run("diff", tmp_path / "a", tmp_path / "b", *base, "--exit-code", code=1)
    assert "no difference" in run("diff", tmp_path / "a", tmp_path / "a", "--exit-code").stdout
    assert "kept in A only (5)" in run("diff", tmp_path / "a", tmp_path / "b").stdout
    assert "no difference" in run("diff", catalog.path, catalog.path).stdout


def test_what_cannot_be_done_is_one_sentence(catalog, tmp_path):
    base = ("-c", catalog.path)
    assert "holds" in fails("export", "nope", "--as", "ids", "-o", tmp_path / "x", *base)
    run("filter", *base, "-o", tmp_path / "a")
    assert "--as must be one of" in fails("export", tmp_path / "a", "--as", "zip", "-o", tmp_path / "x", *base)
    assert "holds no subset" in fails("diff", tmp_path, tmp_path / "a", *base)
    assert "no corpus called" in fails("fetch", "nope")
    assert "Say which corpus" in fails("fetch")
    assert not (tmp_path / "x").exists()


def test_the_known_corpora_are_listed():
    assert "allenai/TMax-15K" in run("fetch", "--list").stdout
    assert len(json.loads(run("fetch", "--list", "--json").stdout)) >= 3
