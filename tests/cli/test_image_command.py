"""``river-envs image``."""

import json

import pytest
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.environment import RiverError

runner = CliRunner()


@pytest.fixture
def image(tmp_path):
    def image(*arguments):
        result = runner.invoke(build_app(), ["image", *map(str, arguments), "--store", str(tmp_path / "store")])
        if isinstance(result.exception, RiverError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    return image


def test_aliases_are_kept_and_taken_back(image):
    image("alias", "docker.io/library/ubuntu:22.04", "host")
    image("alias", "debian", "mine")
    listed = json.loads(image("list", "--json"))
    assert listed["aliases"] == {"ubuntu:22.04": "host", "debian:latest": "mine:latest"}
    image("alias", "debian", "debian")
    assert list(json.loads(image("list", "--json"))["aliases"]) == ["ubuntu:22.04"]
    assert "alias of host" in image("list")


@pytest.mark.sandbox
def test_importing_listing_and_pruning(image, tmp_path):
    root = tmp_path / "rootfs" / "etc"
    root.mkdir(parents=True)
    (root / "x").write_text("x")
    made = json.loads(image("import", "mine", root.parent, "--json"))
    assert made["name"] == "mine:latest"
    listed = json.loads(image("list", "--json"))
    assert [base["name"] for base in listed["bases"]] == ["mine:latest"]
    assert [layer["id"] for layer in listed["layers"]] == [made["layer"]]
    assert json.loads(image("prune", "--json")) == {"freed_bytes": 0, "leftovers": 0}


def test_a_missing_source_is_one_sentence(image, tmp_path):
    with pytest.raises(RiverError, match="does not exist"):
        image("import", "x", tmp_path / "none")
