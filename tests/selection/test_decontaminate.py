"""Passages shared with a benchmark, through real catalogs and real directories."""

import pytest

from river_envs.catalog import open_catalog
from river_envs.environment import Environment, File, ImageRecipe, RiverError, Verifier
from river_envs.formats.writer import write_harbor
from river_envs.selection.decontaminate import contaminated
from river_envs.selection.request import Request
from river_envs.selection.run import decide

PASSAGE = "sum the third column of the table in the folder and write the total out"


def environment(name, text):
    verifier = Verifier("harbor", (File("test.sh", f"exit 0 # {name}\n".encode()),), "test.sh")
    return Environment(name, "unit", "harbor", text, ImageRecipe("dockerfile", "FROM x"), verifier)


def catalog(path, *environments):
    made = open_catalog(path, create=True)
    with made.writer() as writer:
        writer.add_environments(environments, [one.name for one in environments])
    return made


@pytest.fixture
def ours(tmp_path):
    return catalog(
        tmp_path / "ours.duckdb",
        environment("copied", f"Hello. {PASSAGE.upper()}! Then stop."),
        environment("near", "sum the third column of the table in the folder and print the total here today"),
        environment("other", "rename every file below the folder so that its name holds the date of its last change"),
    )


def test_a_shared_run_of_13_words_is_found_whatever_the_case(ours, tmp_path):
    theirs = catalog(tmp_path / "bench.duckdb", environment("bench/one", f"Please {PASSAGE}, thank you."))
    found = contaminated(ours, [theirs.path], ours.ids())
    (overlap,) = found.values()
    assert ours.environment(next(iter(found))).name == "copied"
    assert str(overlap) == f"shares 13 words with bench/one: {' '.join(PASSAGE.split()[:13])!r}"


def test_directories_of_tasks_are_read_and_the_filter_drops(ours, tmp_path):
    write_harbor(environment("one", f"Now: {PASSAGE}."), tmp_path / "bench" / "one")
    with ours.writer() as writer:
        writer.add_mark(ours.find("copied"), "sound", "read it")
        writer.add_mark(ours.find("near"), "sound", "read it")
    decided = decide(ours, Request(1.0), decontaminate=[tmp_path / "bench"])
    grounds = {one.candidate.name: one.ground for one in decided.decisions}
    assert grounds == {"copied": "contaminated", "near": "kept", "other": "not-audited"}
    assert decided.header.options["decontaminate"] == ["bench"]


def test_what_is_not_there_is_said(ours, tmp_path):
    with pytest.raises(RiverError, match="there is no such file"):
        contaminated(ours, [tmp_path / "absent"], [])
    (tmp_path / "empty").mkdir()
    with pytest.raises(RiverError, match="holds no task"):
        contaminated(ours, [tmp_path / "empty"], [])


def test_missing_signatures_are_made_once(ours):
    from river_envs.signatures.ensure import ensure_signatures

    before = ours.signatures()
    assert ensure_signatures(ours) == 0
    with ours.writer() as writer:
        writer._store.update("DELETE FROM signature WHERE environment_id = ?", [ours.ids()[0]])
    assert len(ours.signatures().ids) == 2
    assert ensure_signatures(ours) == 1
    after = ours.signatures()
    assert after.ids == before.ids
    assert (after.minhash == before.minhash).all()
