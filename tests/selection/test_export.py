"""A subset on disk: complete or absent, and readable by anyone."""

import errno
import json

import pandas
import pytest
import yaml

from river_envs.environment import Environment, File, ImageRecipe, RiverError, Verifier
from river_envs.selection.card import card, escape
from river_envs.selection.choose import choose
from river_envs.selection.export import check_destination, export
from river_envs.selection.gates import Candidate, Mark
from river_envs.selection.manifest import Header, directory_name, document
from river_envs.selection.mix import mix
from river_envs.selection.request import Request

HEADER = Header(
    0.5, "resisted", 7, "river.duckdb", "abc123", "river-envs filter --keep 0.5 -o out", "2026-01-01T00:00:00Z",
    {"river-envs": "0.1.0", "python": "3.11"},
)


def environment(number):
    verifier = Verifier("harbor", (File("test.sh", b"exit 0"),), "test.sh")
    image = ImageRecipe("dockerfile", "FROM x")
    return Environment(f"Task {number}", "unit", "harbor", f"do {number}", image, verifier)


ENVIRONMENTS = {item.id: item for item in map(environment, range(10))}


def decided(**options):
    candidates = [
        Candidate(id, item.name, "sound" if i % 2 else "defective", () if i % 2 else ("flaky",), quality=i / 10,
                  domain=["security", "data|x"][i % 3 == 0], source="unit", format="harbor")
        for i, (id, item) in enumerate(ENVIRONMENTS.items())
    ]
    return choose(candidates, Request(0.5, **options))


def load(ids):
    return [ENVIRONMENTS[id] for id in ids]


def write(item, directory):
    directory.mkdir()
    (directory / "instruction.md").write_text(item.instruction)


def test_the_directory_is_complete(tmp_path):
    seen = []
    export(tmp_path / "new" / "out", HEADER, decided(), load, write, progress=seen.append)
    out = tmp_path / "new" / "out"
    content = json.loads((out / "manifest.json").read_text())
    frame = pandas.read_parquet(out / "manifest.parquet")
    assert sorted(p.name for p in out.iterdir()) == ["README.md", "environments", "manifest.json", "manifest.parquet"]
    assert seen == [1, 2, 3, 4]
    assert content["kept_total"] == 4
    assert content["keep_fraction"] == 0.4
    assert content["seed"] == 7
    assert content["catalog_hash"] == "abc123"
    assert len(content["environments"]) == len(frame) == 10
    assert frame.to_dict("list")["reason"] == [row["reason"] for row in content["environments"]]
    kept = [row["directory"] for row in content["environments"] if row["kept"]]
    assert sorted(kept) == sorted(f"environments/{p.name}" for p in (out / "environments").iterdir())
    assert all((out / directory / "instruction.md").read_text().startswith("do ") for directory in kept)
    assert [p.name for p in out.parent.iterdir()] == ["out"]


def test_an_empty_directory_is_used_a_full_one_refused(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    export(out, HEADER, decided(), load, write)
    with pytest.raises(RiverError, match=r"is not empty; choose another -o, or replace the subset in it with --force"):
        export(out, HEADER, decided(), load, write)
    (out / "stray").write_text("x")
    export(out, HEADER, decided(), load, write, force=True)
    assert not (out / "stray").exists()


def test_force_never_removes_anything_but_a_subset(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(RiverError, match="something other than a subset"):
        export(tmp_path, HEADER, decided(), load, write, force=True)
    (tmp_path / "manifest.json").write_text('{"schema": "another tool"}')
    with pytest.raises(RiverError, match="something other than a subset"):
        check_destination(tmp_path, force=True)
    assert (tmp_path / "thesis.tex").exists()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_is_no_directory_is_refused(tmp_path, kind):
    out = tmp_path / "out"
    if kind == "file":
        out.write_text("x")
    else:
        out.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RiverError, match="not a directory"):
        export(out, HEADER, decided(), load, write, force=True)


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path):
    def full(item, directory):
        write(item, directory)
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(RiverError, match="No space left on device; nothing was changed there"):
        export(tmp_path / "out", HEADER, decided(), load, full)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failure", [KeyboardInterrupt, RiverError("locked")])
def test_a_failure_at_the_last_moment_keeps_the_old_subset(tmp_path, failure):
    out = tmp_path / "out"
    export(out, HEADER, decided(), load, write)
    before = (out / "manifest.json").read_text()

    def record():
        raise failure

    with pytest.raises((KeyboardInterrupt, RiverError)):
        export(out, HEADER, decided(seed=1), load, write, force=True, record=record)
    assert (out / "manifest.json").read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_an_environment_that_cannot_be_loaded_is_named(tmp_path):
    with pytest.raises(RiverError, match="does not hold its files"):
        export(tmp_path / "out", HEADER, decided(), lambda ids: load(ids)[1:], write)
    assert list(tmp_path.iterdir()) == []


def test_an_environment_that_cannot_be_written_is_named_with_the_remedy(tmp_path):
    def refuse(item, directory):
        raise RiverError("no Dockerfile can express its recipe.")

    with pytest.raises(RiverError, match=r"written \(no Dockerfile .* recipe\); leave .* mark \w{16} --exclude"):
        export(tmp_path / "out", HEADER, decided(), load, refuse)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Task 1", "task-1-ff"), ("../../etc/passwd", "etc-passwd-ff"), ("", "environment-ff"), ("漢字", "environment-ff"),
     ("a\x00b\n", "a-b-ff"), ("é" * 300, "e" * 80 + "-ff"), (".hidden", "hidden-ff")],
)
def test_directory_names_are_safe(name, expected):
    assert directory_name(name, "ff") == expected


def test_the_card_says_everything_and_its_header_is_yaml():
    text = card(HEADER, decided())
    _, header, body = text.split("---\n", 2)
    assert yaml.safe_load(header)["size_categories"] == ["n<1K"]
    assert yaml.safe_load(header)["configs"] == [{"config_name": "manifest", "data_files": "manifest.parquet"}]
    assert "4 of 10 environments (40.00 %)" in body
    assert "| flaky | 5 |" in body
    assert "| defective | 5 | 50.0 % |" in body
    assert "| outranked | 1 | 10.0 % |" in body
    assert "    river-envs filter --keep 0.5 -o out\n" in body
    assert "data\\|x" in body
    assert "Where people overruled" not in body


def test_the_card_shows_marks_and_escapes_what_people_and_environments_wrote():
    name, mark = "<script>x</script> [l](http://e.example) |\n# h", Mark("sound", "`*fine*`", "ann")
    hostile = Candidate("a", name, "sound", mark=mark)
    text = card(HEADER, choose([hostile, Candidate("b", "b", "sound")], Request(1.0)))
    assert "<script" not in text
    assert "\\[l\\](" in text
    assert "http://e" not in text
    assert "marked sound by ann: \\`\\*fine\\*\\`" in text
    rows = [line for line in text.splitlines() if "script" in line]
    assert len(rows) == 1
    assert rows[0].count(" | ") == 3


def test_escape_leaves_ordinary_text_alone():
    assert escape("plain-text (1.5)") == "plain-text (1.5)"


def test_the_mix_is_compared():
    compared = mix(decided(), "domain")
    assert [(g.name, g.before, g.after) for g in compared.groups] == [("security", 6, 2), ("data|x", 4, 2)]
    assert compared.distance == pytest.approx(0.1)
    assert mix([], "domain").distance is None
    assert mix(decided(), "verifier_kind").groups[0].name == "not stated"


def test_the_document_is_the_same_on_every_run():
    assert json.dumps(document(HEADER, decided())) == json.dumps(document(HEADER, decided()))
