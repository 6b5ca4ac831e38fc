import pytest

from river_envs import open_catalog
from river_envs.catalog import (
    Estimate,
    ImageRecord,
    InputRow,
    JudgedRecord,
    Known,
    PlanRecord,
    ProbeRecord,
    ScoreRecord,
    SubsetMember,
    SubsetRecord,
    SurveyRecord,
)
from river_envs.environment import File, RiverError
from river_envs.outcome import Status
from river_envs.probes.base import Finding, Survey
from river_envs.sandbox.base import Base


def judged(environment_id, verdict="defective"):
    finding = Finding(
        environment_id, "accepts-wrong", "existence-only", "rollout-visible", "touch", "paid for an empty file",
        "compare", ("a1",), {"path": "/app/x"},
    )
    return JudgedRecord(
        verdict, ("existence-only",) if verdict == "defective" else (), ("because",),
        (ProbeRecord(environment_id, "touch", 1, "hit"),), (finding,) if verdict == "defective" else (),
        ScoreRecord(quality=Estimate(0.5, 0.1, 0.9)),
    )


def test_environments_come_back_with_their_contents(catalog, build):
    environments = [build.environment(number) for number in range(3)]
    hostile = build.environment(9, name=build.hostile, instruction=build.hostile, unsupported=("compose",))
    with catalog.writer() as writer:
        added = writer.add_environments([*environments, hostile], ["a", "b", "c", "d"])
    assert added == ["ingested"] * 3 + ["unsupported"]
    everything = [*environments, hostile]
    assert catalog.load([environment.id for environment in everything]) == everything
    assert catalog.environment(hostile.id).id == hostile.id
    assert catalog.ids() == sorted(environment.id for environment in everything)
    frame = catalog.environments()
    assert list(frame["id"]) == catalog.ids()
    assert set(frame["status"]) == {"supported", "unsupported"}
    with pytest.raises(RiverError, match="there is no environment 'nope'"):
        catalog.load(["nope"])


def test_contents_are_stored_once(filled):
    assert filled.sql("SELECT count(*) AS n FROM file WHERE size = 8").n[0] == 1
    assert filled.file(File("x", b"\xff\x00shared").sha256) == b"\xff\x00shared"
    with pytest.raises(RiverError, match="holds no file"):
        filled.file("0" * 64)


def test_duplicates_and_unchanged_inputs(catalog, build):
    one, two = build.environment(1), build.environment(2)
    with catalog.writer() as writer:
        assert writer.add_environments([one, one, two], ["a", "b", "c"], ["1", "2", "3"]) == [
            "ingested", "duplicate", "ingested",
        ]
    with catalog.writer() as writer:
        assert writer.add_environments([one, one, two], ["a", "b", "d"]) == ["unchanged", "unchanged", "duplicate"]
    assert catalog.known_sources()["c"] == Known("3", two.id, "ingested", "")
    assert catalog.environments().set_index("id").origins.to_dict() == {one.id: 2, two.id: 2}


def test_known_sources_remember_the_last_word(catalog, build):
    one = build.environment(1)
    with catalog.writer() as writer:
        run = writer.start_run("ingest corpus")
        writer.add_environments([one], ["a"], ["1"])
        bad = InputRow("bad", "2", "rejected", None, "no tests")
        writer.add_inputs(run, [InputRow("a", "1", "ingested", one.id), bad])
    with catalog.writer() as writer:
        run = writer.start_run("ingest corpus")
        writer.add_inputs(run, [InputRow("a", "1", "unchanged", one.id), InputRow("bad", "2", "unchanged")])
    assert catalog.known_sources() == {
        "a": Known("1", one.id, "ingested", ""), "bad": Known("2", None, "rejected", "no tests"),
    }
    seen = catalog.sql("SELECT result, seen FROM ingest_view ORDER BY input").itertuples(index=False)
    assert list(seen) == [("ingested", 2), ("rejected", 2)]


def test_an_error_rolls_everything_back(catalog, build):
    def fail():
        with catalog.writer() as writer:
            writer.add_environments([build.environment(1)], ["a"])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert catalog.ids() == []
    with catalog.writer() as writer:
        writer.add_environments([build.environment(1)], ["a"])
        assert len(catalog.ids()) == 1  # the writing thread sees what it wrote


def test_results_round_trip_and_known_ids_are_ignored(filled, build):
    one, two = filled.ids()[:2]
    kept = build.delta()
    results = [build.result(one, repeat=number, size=5000) for number in range(3)]
    lost = build.result(two, status=Status.SANDBOX_ERROR)
    with filled.writer() as writer:
        assert writer.add_results([*results, lost, results[0]], run_id="r", backend="bubblewrap", deltas=[kept]) == 4
        assert writer.add_results([build.result(one, reward=1.0, size=5000)]) == 0
    assert filled.results() == {one: results, two: [lost]}
    assert filled.results([two]) == {two: [lost]}
    assert filled.delta(kept.digest) == kept
    assert filled.has_delta(kept.digest)
    with pytest.raises(RiverError, match="holds no delta"):
        filled.delta("nope")
    frame = filled.attempts()
    assert set(frame["status"]) == {"graded", "sandbox-error"}
    assert frame["reward"].isna().sum() == 1
    row = filled.sql("SELECT facts, rewards, log, actions, receipt FROM attempt WHERE passed IS NOT NULL").iloc[0]
    assert '"tuple"' in row.facts
    assert '"reward"' in row.rewards
    assert list(filled.sql("SELECT status, reason FROM failures_view").iloc[0]) == ["sandbox-error", "the sandbox died"]
    assert filled.sql("SELECT count(*) AS n FROM test_result").n[0] == 8
    with filled.writer() as writer:
        assert writer.forget_attempts([lost.attempt.id]) == 1
    assert filled.results([two]) == {}


def test_plans_surveys_and_images_keep_the_last_word(filled):
    one = filled.ids()[0]
    base = Base("ubuntu:22.04", "host", "host", True)
    with filled.writer() as writer:
        writer.add_plans([PlanRecord(one, "touch", 1, "planned"), PlanRecord(one, "copy", 1, "not-applicable", "none")])
        writer.add_plans([PlanRecord(one, "touch", 1, "not-run", "budget")])
        writer.add_surveys([SurveyRecord(one, Survey(workdir="/a")), SurveyRecord(one, Survey(workdir="/b"))])
        writer.add_images([ImageRecord(one, "build-failed", "bubblewrap", log="apt 404", bases=(base,), notes=("n",))])
    assert filled.plans() == {
        one: [PlanRecord(one, "copy", 1, "not-applicable", "none"), PlanRecord(one, "touch", 1, "not-run", "budget")]
    }
    assert filled.surveys([one]) == {one: Survey(workdir="/b")}
    assert filled.images()[one][0].bases == (base,)
    assert filled.sql("SELECT stage, reason FROM failures_view").iloc[0].tolist() == ["image", "apt 404"]


def test_judgements_replace_what_was_concluded_before(filled):
    one, two = filled.ids()[:2]
    with filled.writer() as writer:
        writer.replace_judgements({one: judged(one), two: judged(two, "sound")})
    with filled.writer() as writer:
        writer.replace_judgements({one: judged(one)})
    assert filled.findings_of() == {one: list(judged(one).findings)}
    finding = judged(one).findings[0]
    assert filled.finding(finding.id[:6]) == finding
    with pytest.raises(RiverError, match="no finding 'zz'"):
        filled.finding("zz")
    frame = filled.environments().set_index("id")
    assert list(frame.loc[one, "causes"]) == ["existence-only"]
    assert frame.loc[one, "quality"] == 0.5
    assert frame.loc[two, "verdict"] == "sound"
    assert filled.verdicts().verdict.notna().sum() == 2
    assert filled.sql("SELECT cause, environments FROM causes_view").values.tolist() == [["existence-only", 1]]
    assert filled.sql("SELECT sum(environments), sum(defective) FROM domains_view").values.tolist() == [[5, 1]]
    assert len(filled.findings()) == 1


def test_marks_stand_until_they_are_taken_back(filled):
    one = filled.ids()[0]
    before = filled.content_hash()
    with filled.writer() as writer:
        writer.add_mark(one, "exclude", "leaks", "ada")
    assert filled.environments(f"id = '{one}'").mark[0] == "exclude"
    assert filled.content_hash() != before
    with filled.writer() as writer:
        writer.add_mark(one, None)
    assert filled.environments(f"id = '{one}'").mark.isna()[0]
    assert filled.content_hash() == before
    assert filled.sql("SELECT count(*) AS n FROM mark").n[0] == 2


def test_subsets(filled):
    ids = filled.ids()
    members = [SubsetMember(ids[1], True, 1, "sound", "", 0.9), SubsetMember(ids[0], False, reason="defective")]
    subset = SubsetRecord("s1", "river-envs filter", 7, 0.3, {"tier": "sound"}, filled.content_hash(), members)
    with filled.writer() as writer:
        writer.add_subset(subset)
        writer.add_subset(subset)
    frame = filled.subset()
    assert list(frame.environment_id) == [ids[1], ids[0]]
    assert list(frame.reason) == ["", "defective"]
    assert len(filled.subset("s1")) == 2
    assert filled.subset("none").empty


def test_the_content_hash_knows_no_time_and_no_order(tmp_path, build):
    hashes = []
    for order in (range(4), reversed(range(4))):
        catalog = open_catalog(tmp_path / f"{len(hashes)}.duckdb", create=True)
        for number in order:
            environment = build.environment(number)
            with catalog.writer() as writer:
                writer.add_environments([environment], ["x"])
                writer.replace_judgements({environment.id: judged(environment.id)})
        hashes.append(catalog.content_hash())
    assert hashes[0] == hashes[1]


def test_find_and_ids(filled, build):
    ids = filled.ids()
    assert filled.find(ids[0]) == ids[0]
    assert filled.find(ids[0][:8]) == ids[0]
    assert filled.find("task-003") == build.environment(3).id
    with pytest.raises(RiverError, match="no environment is called 'task-9'"):
        filled.find("task-9")
    with filled.writer() as writer:
        writer.add_environments([build.environment(7, name="task-003")], ["other"])
    with pytest.raises(RiverError, match=r"'task-003' names 2 environments.*task-003 \("):
        filled.find("task-003")
    assert filled.ids("domain = 'security'") == sorted(build.environment(number).id for number in (0, 3))
    assert filled.ids("task-001") == [build.environment(1).id]
    assert filled.ids("has_reference") == filled.ids()
    assert filled.ids(build.environment(1).id[:6]) == [build.environment(1).id]
    with pytest.raises(RiverError, match="the query failed"):
        filled.ids("no_such_column = 1")
    with pytest.raises(RiverError, match="no environment is called 'nothing'"):
        filled.ids("nothing")


def test_runs(filled):
    with filled.writer() as writer:
        run = writer.start_run("audit --jobs 2", {"jobs": 2}, {"river-envs": "0.1.0"})
        writer.finish_run(run, "interrupted")
    row = filled.sql("SELECT * FROM audit_run WHERE id = ?", [run]).iloc[0]
    assert (row.state, row.command) == ("interrupted", "audit --jobs 2")
    assert row.ended >= row.started


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM environment", "CREATE TABLE x (a INT)", "CREATE TEMP TABLE x AS SELECT 1",
        "COPY environment TO '/tmp/x'",
        "ATTACH '/tmp/x.duckdb'", "INSTALL httpfs", "LOAD httpfs", "SET threads = 1", "PRAGMA enable_profiling",
        "SELECT 1; SELECT 2", "", "EXPORT DATABASE '/tmp/x'", "CHECKPOINT", "EXPLAIN ANALYZE DELETE FROM environment",
        "SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM '/etc/passwd'", "SELEC 1", "SELECT * FROM nothing",
    ],
)
def test_sql_reads_the_catalog_and_nothing_else(filled, statement):
    with pytest.raises(RiverError):
        filled.sql(statement)
    assert len(filled.ids()) == 5


@pytest.mark.parametrize(
    "statement", ["DESCRIBE environment", "SHOW TABLES", "FROM environments_view", "EXPLAIN SELECT 1", "VALUES (1)",
                  "PIVOT environments_view ON domain USING count(*)", "SUMMARIZE attempt"],
)
def test_sql_answers_every_way_of_asking(filled, statement):
    assert not filled.sql(statement).empty or "attempt" in statement


def test_everything_can_be_read_inside_a_writer(filled, build):
    one = filled.ids()[0]
    kept = build.delta()
    with filled.writer() as writer:
        writer.add_results([build.result(one, size=9000)], deltas=[kept])
        assert filled.has_delta(kept.digest)
        assert filled.delta(kept.digest) == kept
        assert filled.results()[one][0].attempt.id
        assert filled.environment(one).id == one
        assert filled.find(one[:9]) == one
        assert len(filled.environments()) == 5
        writer.add_mark(one, "sound")
        assert filled.file(File("x", b"\xff\x00shared").sha256)
        writer.replace_judgements({one: judged(one)})
        assert filled.finding(judged(one).findings[0].id)
        assert filled.known_sources()
        writer.forget_attempts(["x"])
        for statement in ("DELETE FROM mark", "EXPLAIN ANALYZE DELETE FROM mark"):
            with pytest.raises(RiverError, match="writes nothing"):
                filled.sql(statement)
    assert filled.sql("SELECT count(*) AS n FROM mark").n[0] == 1
