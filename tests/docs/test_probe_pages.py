"""The committed probe reference is the one that the code generates."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.causes import CAUSES
from river_envs.probes.base import SECTIONS
from river_envs.probes.documentation import page, pages, sections
from river_envs.probes.registry import probe, probes

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "probes"


def test_the_committed_pages_are_those_of_the_code():
    committed = {path.name: path.read_text(encoding="utf-8") for path in COMMITTED.glob("*.md")}
    made = pages(probes())
    changed = sorted(name for name in made.keys() | committed.keys() if made.get(name) != committed.get(name))
    assert not changed, "write them again with: river-envs probes --docs docs/probes"


def test_a_page_says_who_the_probe_is_and_what_it_can_show():
    text = page(probe("untouched"))
    assert text.startswith("# ")
    for expected in ("`untouched`", "control", "rollout-visible", "`pays-for-nothing`", *SECTIONS):
        assert expected in text
    assert all(sections(probe("untouched")).values())


def test_every_link_of_the_index_leads_to_a_page():
    made = pages(probes())
    assert all(f"({name})" in made["README.md"] for name in made if name != "README.md")


def test_the_causes_that_can_be_proved_have_a_page_that_names_them():
    said = pages(probes())["README.md"]
    assert len([cause for cause in CAUSES if cause in said]) >= 20


def test_the_command_writes_them_and_names_what_is_left_over(tmp_path: Path):
    (tmp_path / "gone.md").write_text("old")
    done = CliRunner().invoke(build_app(), ["probes", "--docs", str(tmp_path)])
    assert done.exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == {*pages(probes()), "gone.md"}
    assert "gone.md" in done.output
