import json

import duckdb
import pytest
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.catalog import JudgedRecord, LeadRecord, open_catalog, upkeep
from river_envs.catalog.merge import merge
from river_envs.scoring.run import score_catalog


def judged(id_, hostile="", number=1):
    return JudgedRecord("resisted", leads=tuple(
        LeadRecord(id_, "sleep", ("flaky",), "tests/t.py", line, f"the tests wait: {hostile}") for line in range(number)
    ))


def shown(*arguments):
    done = CliRunner().invoke(build_app(), list(arguments), env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_leads_are_stored_counted_and_replaced(filled):
    first, second = filled.ids()[:2]
    for number in (2, 1):
        with filled.writer() as writer:
            writer.replace_judgements({name: judged(name, number=number) for name in (first, second)})
    frame = filled.leads()
    assert list(frame.environment_id) == [first, second]
    assert frame.loc[0, ["rule", "path", "line", "verdict"]].tolist() == ["sleep", "tests/t.py", 0, "resisted"]
    counts = filled.environments().set_index("id").leads
    assert (counts[first], counts.sum()) == (1, 2)


def test_a_catalog_without_the_table_is_migrated_and_scored_again(filled):
    with duckdb.connect(str(filled.path)) as held:  # as the release before left it
        held.execute("DROP VIEW leads_view; DROP VIEW environments_view; DROP TABLE lead; DROP TABLE signature")
        held.execute("DELETE FROM river_schema WHERE version > 1; DELETE FROM river_views")
    upkeep.vacuum(filled.path)
    again = open_catalog(filled.path)
    assert again.leads().empty
    score_catalog(again)
    before = again.leads()
    score_catalog(again)
    assert again.leads().equals(before)


def test_merging_carries_leads_with_the_verdicts_they_came_with(tmp_path, build):
    catalogs = []
    for name, numbers in (("a", (0, 1)), ("b", (1, 2))):
        catalog = open_catalog(tmp_path / f"{name}.duckdb", create=True)
        with catalog.writer() as writer:
            environments = [build.environment(number) for number in numbers]
            writer.add_environments(environments, [f"{name}/{environment.name}" for environment in environments])
            writer.replace_judgements({environment.id: judged(environment.id) for environment in environments})
        catalogs.append(catalog)
    a, b = catalogs
    merge(a.path, b.path)
    assert sorted(a.leads().environment_id) == sorted(build.environment(number).id for number in range(3))
    merge(a.path, b.path)
    assert len(a.leads()) == 3


@pytest.mark.parametrize("number", [3, 40])
def test_show_prints_them_bounded_and_harmless(filled, build, number):
    id_ = filled.ids()[0]
    with filled.writer() as writer:
        writer.replace_judgements({id_: judged(id_, build.hostile, number)})
    text = shown("show", id_, "-c", str(filled.path))
    assert "Leads" in text
    assert "\x1b[31mred" not in text
    assert text.count("the tests wait") == min(number, 15)
    assert ("more with --full" in text) == (number > 15)
    assert shown("show", id_, "--full", "-c", str(filled.path)).count("the tests wait") == number
    assert len(json.loads(shown("show", id_, "--json", "-c", str(filled.path)))["leads"]) == number
