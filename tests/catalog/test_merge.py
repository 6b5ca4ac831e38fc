import pytest

from river_envs.catalog import JudgedRecord, PlanRecord, ProbeRecord, SubsetMember, SubsetRecord, open_catalog, upkeep
from river_envs.catalog.merge import merge
from river_envs.catalog.spool import Spool
from river_envs.environment import RiverError


@pytest.fixture
def two(tmp_path, build):
    """Catalog a with environments 0-2 and one attempt each; b with 1-3, the same attempt, and for 2 another one."""
    catalogs = []
    for name, numbers in (("a", range(3)), ("b 'quoted", range(1, 4))):
        catalog = open_catalog(tmp_path / f"{name}.duckdb", create=True)
        with catalog.writer() as writer:
            environments = [build.environment(number) for number in numbers]
            writer.add_environments(environments, [f"{name}/{environment.name}" for environment in environments])
            for environment in environments:
                repeats = [0, 1] if name != "a" and environment.name == "task-002" else [0]
                if environment.name == "task-002" and name == "a":
                    repeats = [0, 2]
                writer.add_results(
                    [build.result(environment.id, repeat=repeat, size=9000) for repeat in repeats],
                    deltas=[build.delta()],
                )
                probes = (ProbeRecord(environment.id, "control", 1, "survived"),)
                writer.replace_judgements({environment.id: JudgedRecord("sound", (), (name,), probes)})
                writer.add_plans([PlanRecord(environment.id, "control", 1, "planned", name)])
                writer.add_mark(environment.id, "sound", f"from {name}")
            writer.add_subset(SubsetRecord(f"s-{name}", "filter", 0, 0.3, {}, "", [SubsetMember("x", True, 1)]))
        catalogs.append(catalog)
    return catalogs


def test_merging_unites_and_drops_only_what_is_outdated(two, build):
    a, b = two
    merged = merge(a.path, b.path)
    assert (merged.environments, merged.attempts, merged.unscored) == (1, 2, 1)
    frame = a.environments().set_index("name")
    assert dict(frame.attempts) == {"task-000": 1, "task-001": 1, "task-002": 3, "task-003": 1}
    assert set(frame.index[frame.verdict == "sound"]) == {"task-000", "task-001", "task-003"}
    assert set(frame.mark) == {"sound"}
    assert a.environment(build.environment(3).id) == build.environment(3)
    assert a.delta(build.delta().digest) == build.delta()
    assert a.sql("SELECT count(*) AS n FROM mark").n[0] == 6
    assert set(a.sql("FROM subset").id) == {"s-a", "s-b 'quoted"}
    assert {plan[0].reason for plan in a.plans().values()} == {"a", "b 'quoted"}
    assert a.results([build.environment(2).id])[build.environment(2).id][1].attempt.repeat == 1
    assert len(b.ids()) == 3


def test_merging_again_changes_nothing(two):
    a, b = two
    merge(a.path, b.path)
    before = upkeep.info(a).rows
    assert merge(a.path, b.path).attempts == 0
    assert upkeep.info(a).rows == before


def test_merging_into_a_new_catalog_leaves_both_alone(two, tmp_path):
    a, b = two
    hashes = a.content_hash(), b.content_hash()
    merge(a.path, b.path, tmp_path / "c.duckdb")
    merge(b.path, a.path, tmp_path / "d.duckdb")
    c, d = open_catalog(tmp_path / "c.duckdb"), open_catalog(tmp_path / "d.duckdb")
    assert c.content_hash() == d.content_hash()
    assert c.results() == d.results()
    assert (a.content_hash(), b.content_hash()) == hashes
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.duckdb", "b 'quoted.duckdb", "c.duckdb", "d.duckdb"]


def test_what_was_spooled_is_merged_too(two, build):
    a, b = two
    with Spool(b.path, "r", 0) as spool:
        spool.append(build.result(build.environment(3).id, repeat=7))
    assert merge(a.path, b.path).attempts == 3


def test_refusals(two, tmp_path):
    a, b = two
    with pytest.raises(RiverError, match="are one file"):
        merge(a.path, a.path)
    with pytest.raises(RiverError, match="exists; name a file that does not"):
        merge(a.path, b.path, b.path)
    with pytest.raises(RiverError, match="there is no catalog"):
        merge(a.path, tmp_path / "nope.duckdb")
    with pytest.raises(RiverError, match=r"the folder .* does not exist"):
        merge(a.path, b.path, tmp_path / "no" / "c.duckdb")


def test_vacuum_keeps_what_is_used_and_drops_the_rest(two, build):
    a, _ = two
    content, results, files = a.content_hash(), a.results(), upkeep.info(a).rows["file"]
    with a.writer() as writer:
        writer.add_deltas([build.delta(bytes(5_000_000) + b"unused")])
        writer.forget_attempts([a.results([build.environment(0).id])[build.environment(0).id][0].attempt.id])
    before, after = upkeep.vacuum(a.path)
    assert after <= before
    assert upkeep.info(a).rows["file"] == files - 1  # every kept delta was unused: no attempt names one
    assert a.content_hash() == content
    del results[build.environment(0).id]
    assert a.results() == results
    with a.writer() as writer:
        writer.add_mark(a.ids()[0], None)
    assert not a.path.with_name(a.path.name + ".vacuum").exists()


def test_vacuum_needs_a_catalog(tmp_path):
    with pytest.raises(RiverError, match="there is no catalog"):
        upkeep.vacuum(tmp_path / "x.duckdb")
