"""Exports that come back, and differences between subsets, on a real catalog."""

import json

import pandas
import pytest
import yaml

from river_envs.catalog import open_catalog
from river_envs.environment import Environment, File, ImageRecipe, Limits, Metadata, Reference, RiverError, Verifier
from river_envs.exports.audits import judged
from river_envs.exports.difference import difference
from river_envs.exports.forms import export_subset
from river_envs.exports.subsets import read_subset, recorded_subset
from river_envs.formats.ingest import ingest
from river_envs.selection.request import Request
from river_envs.selection.run import filter_catalog

TEST = b"def test_it():\n    assert open('/home/user/a').read() == '%d'\n"


def tmax(number):
    recipe = "Bootstrap: docker\nFrom: ubuntu:22.04\n\n%files\n    data.txt /home/user/data.txt\n\n"
    recipe += f"%post\n    echo {number}\n"
    return Environment(
        f"tmax task {number}", "unit", "tmax", f"Write the number {number} to /home/user/a, as data.txt has it.",
        ImageRecipe("apptainer", recipe, (File("data.txt", b"%d\n" % number),)),
        Verifier("pytest", (File("test_final_state.py", TEST % number),), "test_final_state.py", 120.0),
        metadata=Metadata(domain=["security", "data"][number % 2], primitive_skills=("grep", "sed")),
        limits=Limits(agent_timeout_sec=600.0), workdir="/home/user",
    )  # fmt: skip


def harbor(number):
    recipe = f"FROM debian\nRUN echo {number} > /app/in\n"
    return Environment(
        f"org/harbor-{number}", "unit", "harbor", f"Count the {number} words of /app/in and write the sum to /app/out.",
        ImageRecipe("dockerfile", recipe, (File("Dockerfile", recipe.encode()),)),
        Verifier("harbor", (File("test.sh", b"grep -q %d /app/out\n" % number),), "test.sh"),
        Reference("shipped", (File("solve.sh", b"echo\n", 0o755),)),
    )  # fmt: skip


def published(number):
    return Environment(
        f"published-{number}", "unit", "open-instruct", f"Sum the {number} columns of every sheet below /workspace.",
        ImageRecipe("prebuilt", docker_image=f"example/image:{number}"),
        Verifier("harbor", (File("test.sh", b"exit %d\n" % number),), "test.sh", 600.0),
    )  # fmt: skip


@pytest.fixture
def catalog(tmp_path):
    made = open_catalog(tmp_path / "c.duckdb", create=True)
    everyone = [make(number) for make in (tmax, harbor, published) for number in (1, 2)]
    with made.writer() as writer:
        writer.add_environments(everyone, [one.name for one in everyone])
        for one in everyone:
            writer.add_mark(one.id, "sound", "read", "ann")
    filter_catalog(made, Request(1.0, dedupe=False), tmp_path / "subset")
    return made


def again(tmp_path, *paths):
    other = open_catalog(tmp_path / "again.duckdb", create=True)
    report = ingest(other, list(paths))
    return set(other.ids()), report


def test_ids(catalog, tmp_path):
    subset = recorded_subset(catalog)
    done = export_subset(catalog, subset, "ids", tmp_path / "out")
    assert (tmp_path / "out" / "ids.txt").read_text().split() == [member.id for member in subset.kept]
    assert done.written == 5


def test_harbor_comes_back(catalog, tmp_path):
    subset = read_subset(tmp_path / "subset")
    done = export_subset(catalog, subset, "harbor", tmp_path / "out")
    (dataset,) = json.loads((tmp_path / "out" / "registry.json").read_text())
    assert len(dataset["tasks"]) == done.written
    assert all((tmp_path / "out" / task["path"] / "task.toml").is_file() for task in dataset["tasks"])
    found, _ = again(tmp_path, tmp_path / "out" / "environments")
    assert {member.id for member in subset.kept if "harbor" in member.name} <= found


def test_hugging_face_comes_back(catalog, tmp_path):
    subset = recorded_subset(catalog)
    done = export_subset(catalog, subset, "hf", tmp_path / "out")
    out = tmp_path / "out"
    frame = pandas.read_parquet(out / "data")
    assert len(frame) == done.written == 5 - len(done.left_out)
    assert set(frame["id"]) | {row[0] for row in done.left_out} == {member.id for member in subset.kept}
    header = yaml.safe_load((out / "README.md").read_text().split("---")[1])
    assert header["configs"][0]["data_files"][0]["path"] == "data/train-*.parquet"
    found, _ = again(tmp_path, out / "tasks.zip", out / "harbor.tar.gz")
    kept = {member.id for member in subset.kept if member.name.startswith(("tmax", "org/harbor"))}
    assert kept <= found


def test_open_instruct_comes_back_and_says_what_it_cannot_hold(catalog, tmp_path):
    subset = recorded_subset(catalog)
    done = export_subset(catalog, subset, "open-instruct", tmp_path / "out")
    kept = {member.id for member in subset.kept if member.name.startswith("published")}
    assert done.written == len(kept)
    assert all("this form names published images only" in reason for _, _, reason in done.left_out)
    found, _ = again(tmp_path, tmp_path / "out" / "data")
    assert found == kept
    about = json.loads((tmp_path / "out" / "export.json").read_text())
    assert len(about["left_out"]) == len(subset.kept) - len(kept)


def test_the_same_bytes_twice(catalog, tmp_path):
    subset = recorded_subset(catalog)
    for form in ("hf", "open-instruct", "harbor", "ids"):
        for name in ("a", "b"):
            export_subset(catalog, subset, form, tmp_path / form / name)
        files = sorted(path.relative_to(tmp_path / form / "a") for path in (tmp_path / form / "a").rglob("*"))
        assert files == sorted(path.relative_to(tmp_path / form / "b") for path in (tmp_path / form / "b").rglob("*"))
        for path in files:
            one, two = tmp_path / form / "a" / path, tmp_path / form / "b" / path
            assert one.is_dir() or one.read_bytes() == two.read_bytes()


def test_all_or_nothing(catalog, tmp_path):
    subset = recorded_subset(catalog)
    with pytest.raises(RiverError, match="--as must be one of"):
        export_subset(catalog, subset, "zip", tmp_path / "out")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(RiverError, match="is not empty"):
        export_subset(catalog, subset, "ids", tmp_path / "full")
    with pytest.raises(RiverError, match="something other than an export"):
        export_subset(catalog, subset, "ids", tmp_path / "full", force=True)
    export_subset(catalog, subset, "ids", tmp_path / "out")
    export_subset(catalog, subset, "ids", tmp_path / "out", force=True)
    with pytest.raises(RiverError, match="holds 0 subsets called 'nope'"):
        recorded_subset(catalog, "nope")
    with pytest.raises(RiverError, match="holds no subset"):
        read_subset(tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_what_differs_between_two_subsets(catalog, tmp_path):
    dropped = read_subset(tmp_path / "subset").kept[0]
    with catalog.writer() as writer:
        writer.add_mark(dropped.id, "exclude", "seen", "ann")
    filter_catalog(catalog, Request(1.0, dedupe=False), tmp_path / "later")
    found = difference(read_subset(tmp_path / "subset"), read_subset(tmp_path / "later"))
    assert [member.id for member, _ in found.only_first] == [dropped.id]
    assert found.only_first[0][1].reason == "excluded by ann: seen"
    assert [member.kept for member, _ in found.only_second] == [True]
    assert found.kept == (5, 5)
    assert not found.same
    same = difference(read_subset(tmp_path / "later"), recorded_subset(catalog))
    assert same.same
    assert same.distance == 0.0


def test_what_differs_between_two_audits(catalog, tmp_path):
    from river_envs.catalog.records import JudgedRecord

    other = open_catalog(tmp_path / "other.duckdb", create=True)
    with other.writer() as writer:
        writer.add_environments([tmax(1), tmax(2)], ["a", "b"])
        flaky = JudgedRecord("defective", ("flaky",))
        writer.replace_judgements({tmax(1).id: JudgedRecord("sound"), tmax(2).id: flaky})
    third = open_catalog(tmp_path / "third.duckdb", create=True)
    with third.writer() as writer:
        writer.add_environments([tmax(1), tmax(2)], ["a", "b"])
        writer.replace_judgements({tmax(1).id: JudgedRecord("sound"), tmax(2).id: JudgedRecord("sound")})
    found = difference(judged(other), judged(third))
    assert [(change.what, change.before, change.after) for change in found.changes] == [
        ("verdict", "defective", "sound"), ("causes", "flaky", "")
    ]
    assert [member.id for member, _ in found.only_second] == [tmax(2).id]
