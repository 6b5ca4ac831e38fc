import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.catalog import ImageRecord, JudgedRecord, PlanRecord, ProbeRecord, open_catalog
from river_envs.environment import RiverError
from river_envs.probes.base import Finding
from river_envs.sandbox.base import Base


@pytest.fixture
def run(filled):
    """Run a command on the filled catalog; the output, or the RiverError that it raises."""

    def call(*arguments, catalog=filled.path):
        done = CliRunner().invoke(build_app(), [*arguments, *(["--catalog", str(catalog)] if catalog else [])])
        if done.exception is not None:
            raise done.exception
        return done.stdout

    return call


@pytest.fixture
def hostile(filled, build):
    """An environment whose every text repaints the terminal, defective, with everything recorded."""
    environment = build.environment(66, name="evil\x1b[2J", instruction="do\x1b]0;owned\x07 it\n" + "long " * 5000)
    result = build.result(environment.id, probe="touch")
    finding = Finding(environment.id, "accepts-wrong", "existence-only", "rollout-visible", "touch", "seen \x1b[31m",
                      "compare the content", (result.attempt.id,), {"a": 1})
    base = Base("ubuntu:22.04", "host", "host", True)
    with filled.writer() as writer:
        writer.add_environments([environment], ["evil\x1b/dir"])
        writer.add_results([result], backend="bubblewrap")
        writer.add_images([ImageRecord(environment.id, "build-failed", "bubblewrap", bases=(base,), log="\x1b[1mlog")])
        writer.add_plans([PlanRecord(environment.id, "copy", 1, "not-applicable", "no file \x1b")])
        writer.replace_judgements({environment.id: JudgedRecord(
            "defective", ("existence-only",), ("because \x1b",),
            (ProbeRecord(environment.id, "touch", 1, "hit"), ProbeRecord(environment.id, "copy", 1, "not-applicable")),
            (finding,),
        )})
        writer.add_mark(environment.id, "exclude", "note \x1b", "ada")
    return environment.id


def test_sql_prints_tables_json_and_csv(run, hostile):
    table = run("sql", "SELECT name, causes, quality FROM environments_view ORDER BY name")
    assert "task-003" in table
    assert "existence-only" in table
    assert "\x1b" not in table
    rows = json.loads(run("sql", "SELECT name, causes, quality FROM environments_view WHERE verdict <> ''", "--json"))
    assert rows[0]["causes"] == ["existence-only"]
    assert rows[0]["quality"] is None
    assert rows[0]["name"] == "evil\x1b[2J"
    assert run("sql", "SELECT 1 AS a, 'x' AS b", "--csv") == "a,b\n1,x\n"
    rows = json.loads(run("sql", "SELECT content FROM file WHERE size = 8", "--json"))
    assert rows == [{"content": "ff00736861726564"}]
    assert run("sql", "SELECT content FROM file WHERE size = 10", "--csv") == 'content\n"#!/bin/sh\n"\n'


def test_sql_refuses(run):
    with pytest.raises(RiverError, match="writes nothing; got delete"):
        run("sql", "DELETE FROM mark")
    with pytest.raises(RiverError, match="exclude each other"):
        run("sql", "SELECT 1", "--json", "--csv")


def test_show_prints_everything_and_no_escape(run, hostile):
    text = run("show", hostile[:8])
    assert "\x1b" not in text
    for part in ("defective", "existence-only", "hit", "not-applicable", "compare the content", "replay", "ada",
                 "build-failed", "verifier", "tests/test_it.py", "ubuntu:22.04 is host", "left out"):
        assert part in text, part
    assert "left out" not in run("show", hostile, "--full")
    facts = json.loads(run("show", hostile, "--json"))
    assert facts["findings"][0]["evidence"] == {"a": 1}
    assert facts["mark"] == "exclude"
    assert len(facts["attempts"]) == 1
    assert {file["role"] for file in facts["files"]} == {"image", "verifier", "reference"}
    with pytest.raises(RiverError, match="no environment is called 'nope'"):
        run("show", "nope")


def test_show_before_any_audit(run):
    assert "not audited" in run("show", "task-001")


def test_mark(run, filled):
    assert "is marked sound: read it" in run("mark", "task-001", "--sound", "--note", "read it")
    assert json.loads(run("mark", "task-001", "--exclude", "--json"))["mark"] == "exclude"
    assert "no longer marked" in run("mark", "task-001", "--clear")
    assert filled.environments().mark.isna().all()
    for flags in ([], ["--sound", "--clear"]):
        with pytest.raises(RiverError, match="give one of"):
            run("mark", "task-001", *flags)


def test_catalog_commands(run, filled, build, tmp_path):
    other = open_catalog(tmp_path / "other.duckdb", create=True)
    with other.writer() as writer:
        writer.add_environments([build.environment(50)], ["x"])
    output = tmp_path / "both.duckdb"
    both = ["catalog", "merge", str(filled.path), str(other.path)]
    assert json.loads(run(*both, "-o", str(output), "--json", catalog=None))["environments"] == 1
    assert "1 environments" in run(*both, catalog=None)
    found = json.loads(run("catalog", "info", "--json"))
    assert found["rows"]["environment"] == 6
    assert found["content_hash"] == open_catalog(output).content_hash()
    assert "environment_file" in run("catalog", "info")
    assert "MB after" in run("catalog", "vacuum")


@pytest.mark.parametrize("command", [["sql", "SELECT 1"], ["show", "x"], ["mark", "x", "--sound"], ["catalog", "info"],
                                     ["catalog", "vacuum"]])
def test_a_missing_catalog_is_one_sentence(run, tmp_path, command):
    with pytest.raises(RiverError, match=r"there is no catalog at .*; make one with: river-envs ingest"):
        run(*command, catalog=tmp_path / "nope.duckdb")


def test_exit_status_two(tmp_path):
    code = "from river_cli.main import main; main()"
    arguments = ["sql", "SELECT 1", "--catalog", str(tmp_path / "no.duckdb")]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("river-envs: there is no catalog at")
    assert done.stderr.count("\n") == 1
