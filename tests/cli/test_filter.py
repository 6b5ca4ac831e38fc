"""``river-envs filter`` and ``report`` from the outside."""

import json
import subprocess
import sys

import pandas
import pytest
from report.report_sample import build
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.catalog import open_catalog
from river_envs.environment import RiverError
from river_envs.formats.base import Bounds
from river_envs.formats.harbor import read
from river_envs.formats.tree import DirectoryTree

SOUND, RESISTED = 18, 6


@pytest.fixture
def catalog(tmp_path):
    return build(tmp_path / "river.duckdb", kept=0)


def run(*arguments, fails=None):
    result = CliRunner().invoke(build_app(), [str(argument) for argument in arguments])
    if fails is None:
        assert result.exit_code == 0, result.output + repr(result.exception)
        return result.stdout
    assert isinstance(result.exception, RiverError), result.output + repr(result.exception)
    assert fails in str(result.exception)
    return str(result.exception)


def filtered(catalog, *arguments):
    return json.loads(run("filter", "-c", catalog.path, "--json", *arguments))


def test_a_subset_is_written_and_recorded(catalog, tmp_path):
    out = tmp_path / "subset"
    said = filtered(catalog, "--keep", 0.3, "-o", out)
    assert said["kept"] == 14
    assert said["keep_fraction"] == 0.28
    assert said["grounds"] == {"kept": 14, "outranked": 10, "defective": 17, "unverified": 6, "not-audited": 1,
                               "unsupported": 1, "excluded": 1}
    manifest = json.loads((out / "manifest.json").read_text())
    frame = pandas.read_parquet(out / "manifest.parquet")
    assert len(frame) == len(manifest["environments"]) == 50
    assert frame["reason"].str.len().min() > 0
    for row in manifest["environments"]:
        if row["kept"]:
            assert read(DirectoryTree(str(out / row["directory"]), "", Bounds())).id == row["id"]
    assert len(list((out / "environments").iterdir())) == 14
    members = catalog.subset()
    assert members["kept"].sum() == 14
    assert set(members["environment_id"]) == set(frame["id"])
    assert manifest["catalog_hash"] == catalog.content_hash() == said["catalog_hash"]


def test_the_default_fills_with_resisted_and_sound_alone_does_not(catalog):
    both = filtered(catalog, "--keep", 0.5, "--dry-run")
    tiers = [row["tier"] for row in both["decisions"] if row["kept"]]
    assert tiers == ["sound"] * SOUND + ["resisted"] * RESISTED
    alone = filtered(catalog, "--keep", 0.5, "--tier", "sound", "--dry-run")
    assert alone["kept"] == SOUND
    assert alone["grounds"]["tier-not-asked"] == RESISTED


def test_the_same_catalog_options_and_seed_keep_the_same(catalog, tmp_path):
    for name in ("a", "b"):
        filtered(catalog, "--seed", 3, "-o", tmp_path / name)
    first, second = (json.loads((tmp_path / name / "manifest.json").read_text())["environments"] for name in ("a", "b"))
    assert first == second
    assert catalog.sql("SELECT count(*) AS n FROM subset")["n"][0] == 2  # this one, and the sample's own


def test_a_dry_run_writes_nothing(catalog, tmp_path):
    before = catalog.sql("SELECT count(*) AS n FROM subset")["n"][0]
    said = filtered(catalog, "--dry-run", "-o", tmp_path / "subset")
    assert not (tmp_path / "subset").exists()
    assert len(said["decisions"]) == 50
    assert catalog.sql("SELECT count(*) AS n FROM subset")["n"][0] == before


def test_people_are_heard(catalog):
    frame = catalog.environments("verdict = 'defective' AND mark IS NULL")
    id = frame["id"][0]
    with catalog.writer() as writer:
        writer.add_mark(id, "sound", "read it", "bob")
    row = next(row for row in filtered(catalog, "--dry-run")["decisions"] if row["id"] == id)
    assert row["kept"]
    assert row["reason"].startswith("marked sound by bob: read it (the audit said defective: ")
    with catalog.writer() as writer:
        writer.add_mark(id, None)
    assert not next(row for row in filtered(catalog, "--dry-run")["decisions"] if row["id"] == id)["kept"]


def test_what_cannot_be_done_is_one_sentence(catalog, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    run("filter", "-c", catalog.path, fails="Say where the subset goes with -o DIR")
    run("filter", "-c", catalog.path, "--keep", 1.5, "-o", tmp_path / "y", fails="--keep must be a share")
    run("filter", "-c", catalog.path, "--tier", "best", "-o", tmp_path / "y", fails="--tier must be one of")
    run("filter", "-c", catalog.path, "-o", tmp_path / "full", fails="is not empty")
    run("filter", "-c", tmp_path / "none.duckdb", "-o", tmp_path / "y", fails="there is no catalog at")
    assert not (tmp_path / "y").exists()


def test_quotas_a_budget_and_a_cap(catalog):
    whole = catalog.environments()["domain"].value_counts()
    said = filtered(catalog, "--quota", "domain", "--budget", 9, "--cap-fixture", 3, "--diversity", 0, "--dry-run")
    assert said["kept"] == 9
    assert said["options"]["quota"] == ["domain"]
    kept = [row["domain"] for row in said["decisions"] if row["kept"]]
    assert all(abs(kept.count(domain) - 9 * count / 50) < 2 for domain, count in whole.items())
    run("filter", "-c", catalog.path, "--quota", "nope", "--dry-run", fails="--quota knows no column 'nope'")
    run("filter", "-c", catalog.path, "--quota", "difficulty", "--dry-run", fails="--quota difficulty: no environment")
    run("filter", "-c", catalog.path, "--budget", 0, "--dry-run", fails="--budget must be at least 1")


def test_one_environment_is_explained(catalog):
    decisions = filtered(catalog, "--dry-run")["decisions"]
    outranked = next(row for row in decisions if row["ground"] == "outranked")
    said = filtered(catalog, "--explain", outranked["id"])
    assert said["reason"] == outranked["reason"]
    share = float(said["changes"][0].split()[1])
    again = filtered(catalog, "--keep", share, "--diversity", 0, "--dry-run")["decisions"]
    assert next(row for row in again if row["id"] == outranked["id"])["kept"]
    shown = run("filter", "-c", catalog.path, "--explain", outranked["name"])
    assert f"({outranked['id']}): dropped, outranked" in shown
    run("filter", "-c", catalog.path, "--explain", "nobody", fails="no environment is called 'nobody'")


def test_choices_are_compared_with_labels(catalog, tmp_path):
    frame = catalog.environments()
    labels = tmp_path / "l.csv"
    frame.assign(sound=(frame.verdict == "sound").astype(int))[["name", "sound"]].to_csv(labels, index=False)
    said = filtered(catalog, "--compare", "--labels", labels)
    assert [row["name"] for row in said] == ["random", "stratified random", "quality only", "as asked"]
    assert said[3]["truly_sound"] == 1.0
    assert said[0]["truly_sound"] < 0.6
    assert "quality only" in run("filter", "-c", catalog.path, "--compare")
    run("filter", "-c", catalog.path, "--labels", labels, "--dry-run", fails="--labels is for --compare only")


def test_a_benchmark_is_kept_clear_of(catalog, tmp_path):
    name = next(row for row in filtered(catalog, "--dry-run")["decisions"] if row["kept"])["id"]
    bench = open_catalog(tmp_path / "bench.duckdb", create=True)
    with bench.writer() as writer:
        writer.add_environments([catalog.environment(name)], ["x"])
    said = filtered(catalog, "--decontaminate", bench.path, "--dry-run")
    assert said["grounds"]["contaminated"] >= 1
    run("filter", "-c", catalog.path, "--decontaminate", tmp_path / "no", "--dry-run", fails="does not exist")


def test_nothing_kept_is_exit_status_2_and_says_why(tmp_path):
    catalog = build(tmp_path / "waiting.duckdb", number=0)
    command = [sys.executable, "-c", "from river_cli.main import main; main()", "filter", "-c", str(catalog.path)]
    done = subprocess.run([*command, "-o", str(tmp_path / "out")], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "river-envs: Nothing kept: no environment passed the gates (1 not-audited, 1 unsupported).\n"
    )
    open_catalog(tmp_path / "empty.duckdb", create=True)
    run("filter", "-c", tmp_path / "empty.duckdb", "--dry-run", fails="holds no environments")


def test_the_tables_are_for_people(catalog, tmp_path):
    shown = run("filter", "-c", catalog.path, "-o", tmp_path / "subset")
    assert "14 of 50 kept (28.00 %)." in shown
    assert "outranked" in shown


def test_report_writes_the_page(catalog, tmp_path):
    said = json.loads(run("report", "-c", catalog.path, "-o", tmp_path / "page.html", "--json"))
    assert said["report"] == str(tmp_path / "page.html")
    assert said["defective"] == 18
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert f"Report: {tmp_path / 'page.html'}" in run("report", "-c", catalog.path, "-o", tmp_path / "page.html")
