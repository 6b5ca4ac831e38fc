"""A benchmark's text is found in a catalog, and nothing else is."""

from dataclasses import replace

import pytest

from river_envs.catalog import open_catalog
from river_envs.environment import Environment, File, ImageRecipe, RiverError, Verifier
from river_envs.formats.writer import write_harbor
from river_envs.selection.decontaminate import Overlap, contaminated

RUN = "install the newest release of the parser and let it read every report of march"
SHARED = "install the newest release of the parser and let it read every report"


def environment(name, instruction):
    verifier = Verifier("harbor", (File("test.sh", b"exit 0"),), "test.sh")
    return Environment(name, "unit", "harbor", instruction, ImageRecipe("dockerfile", "FROM x"), verifier)


def stored(path, environments):
    catalog = open_catalog(path, create=True)
    with catalog.writer() as writer:
        writer.add_environments(environments, [found.name for found in environments])
    return catalog


@pytest.fixture
def mine(tmp_path):
    return stored(tmp_path / "mine.duckdb", [
        environment("copied", "Before anything else, **Install the newest\nrelease of the parser; and let it read** "
                              f"every report, then sort {' '.join(map(str, range(30)))}."),
        environment("near", "install the newest release of the parser and let it read some other thing of ours today"),
        environment("other", "Count the words of every file below the folder and write a table with one row per file"),
        environment("empty", ""),
    ])


@pytest.fixture
def benchmark():
    return [environment("bench-0", "Something else entirely, of no interest to anybody here or there at all, ever"),
            environment("bench-1", f"Please {RUN}."), environment("bench-2", f"Now {RUN} again.")]


def test_a_benchmark_in_a_catalog(mine, benchmark, tmp_path):
    path = stored(tmp_path / "bench.duckdb", benchmark).path
    copied = mine.find("copied")
    found = contaminated(mine, [path], mine.ids())
    assert set(found) == {copied}
    assert found[copied].task in {"bench-1", "bench-2"}
    assert found[copied].words == SHARED
    assert contaminated(mine, [str(path)], [mine.find("other"), mine.find("near")]) == {}
    assert contaminated(mine, [path], []) == {}


def test_a_benchmark_as_it_was_published(mine, benchmark, tmp_path):
    write_harbor(benchmark[1], tmp_path / "corpus" / "bench-1")
    found = contaminated(mine, [tmp_path / "corpus"], mine.ids())
    assert found == {mine.find("copied"): Overlap("river/bench-1", SHARED)}


def test_several_benchmarks(mine, benchmark, tmp_path):
    other = environment("bench-9", "the words of every file below the folder and write a table with one row per file")
    paths = [stored(tmp_path / "a.duckdb", benchmark[:1]).path, stored(tmp_path / "b.duckdb", [other]).path]
    assert contaminated(mine, paths, mine.ids()) == {
        mine.find("other"): Overlap("bench-9", "the words of every file below the folder and write a table with")
    }


def test_a_fingerprint_alone_is_no_overlap(mine, tmp_path):
    """Twelve words in a row may share a fingerprint; the criterion is thirteen."""
    twelve = environment("bench", "of the parser; and let it read every report, then sort 0 " + "x " * 20)
    path = stored(tmp_path / "bench.duckdb", [twelve]).path
    assert contaminated(mine, [path], mine.ids()) == {}


def test_what_cannot_be_a_benchmark(mine, tmp_path):
    with pytest.raises(RiverError, match="nowhere does not exist"):
        contaminated(mine, [tmp_path / "nowhere"], mine.ids())
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.txt").write_text("hello")
    open_catalog(tmp_path / "empty.duckdb", create=True)
    for name in ("folder", "text.txt", "empty.duckdb"):
        with pytest.raises(RiverError, match=rf"{name} holds no environment to decontaminate against"):
            contaminated(mine, [tmp_path / name], mine.ids())


def test_candidates_without_signatures(mine, benchmark, tmp_path):
    with mine.writer() as writer:
        writer._store.update("DELETE FROM signature WHERE environment_id = ?", [mine.find("copied")])
    path = stored(tmp_path / "bench.duckdb", [replace(benchmark[1], name="b")]).path
    with pytest.raises(RiverError, match=r"1 of 4 environments in .* have no signature"):
        contaminated(mine, [path], mine.ids())
