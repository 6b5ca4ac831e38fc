"""Names on the command line: in full, or the last part where only one environment is called so."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.catalog import JudgedRecord
from river_envs.environment import RiverError
from river_envs.probes.base import Finding


@pytest.fixture
def named(catalog, build):
    """mini/stock, mini/orders, other/orders and stock-take."""
    names = ("mini/stock", "mini/orders", "other/orders", "stock-take")
    with catalog.writer() as writer:
        environments = [replace(build.environment(number), name=name) for number, name in enumerate(names)]
        writer.add_environments(environments, list(names))
    return catalog


def called(catalog, name):
    return catalog.sql("SELECT id FROM environment WHERE name = ?", [name]).id[0]


def finding(environment_id, probe):
    return Finding(environment_id, "accepts-wrong", "shape-only", "rollout-visible", probe, "seen", "mend", ("a",))


def run(*arguments):
    return CliRunner().invoke(build_app(), list(arguments), catch_exceptions=False)


def test_a_last_part_that_is_unique_names_an_environment(named):
    assert named.find("stock") == called(named, "mini/stock")
    assert named.ids("stock") == [called(named, "mini/stock")]
    assert named.find("mini/orders") == called(named, "mini/orders")


def test_one_that_several_have_is_refused_with_their_names(named):
    with pytest.raises(RiverError, match=r"'orders' names 2 environments, give an id: .*mini/orders"):
        named.find("orders")
    for text in ("tock", "take", "/stock", "%", ""):
        with pytest.raises(RiverError, match="no environment is called"):
            named.find(text)


def test_a_full_name_goes_before_a_last_part(named, build):
    with named.writer() as writer:
        writer.add_environments([replace(build.environment(9), name="stock")], ["later"])
    assert named.find("stock") == called(named, "stock")


def test_commands_take_it(named):
    path = str(named.path)
    assert json.loads(run("show", "stock", "-c", path, "--json").stdout)["name"] == "mini/stock"
    assert json.loads(run("mark", "stock", "--sound", "-c", path, "--json").stdout)["id"] == called(named, "mini/stock")


def test_a_finding_is_named_by_an_environment_that_has_no_other(named):
    one, several = called(named, "mini/stock"), called(named, "mini/orders")
    probes = {one: ("a",), several: ("a", "b")}
    with named.writer() as writer:
        writer.replace_judgements({
            id_: JudgedRecord("defective", findings=tuple(finding(id_, probe) for probe in found))
            for id_, found in probes.items()
        })
    assert named.finding("stock") == finding(one, "a")
    assert named.finding(finding(one, "a").id[:6]) == finding(one, "a")
    with pytest.raises(RiverError, match=r"'mini/orders' has 2 findings, give one: .*shape-only"):
        named.finding("mini/orders")
    with pytest.raises(RiverError, match="'stock-take' has no finding"):
        named.finding("stock-take")
    with pytest.raises(RiverError, match="there is no finding 'zzz'"):
        named.finding("zzz")


def test_planting_chooses_among_sound_ones(named, tmp_path):
    with pytest.raises(RiverError, match=r"no environment of .* that --only='stock' chooses ended sound"):
        run("plant", "-c", str(named.path), "--only", "stock", "-o", str(tmp_path / "out"))
    with pytest.raises(RiverError, match="name it with --catalog"):
        run("plant", str(tmp_path), "--only", "stock", "-o", str(tmp_path / "out"))
