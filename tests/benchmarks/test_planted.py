"""Detection on planted worlds: what is kept out of tuning stays pinned, and the whole way runs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import planted
from benchmarks.detection import Row
from benchmarks.worlds import held_out


def row(family: str, cause: str = "", form: str = "", verdict: str = "sound") -> Row:
    return Row(f"{family}-{cause}-{form}", family, not cause, cause, True, verdict, (), 9, 1.0, form)


def test_held_out_forms_are_chosen_by_name_alone():
    forms = planted.held_forms()
    assert {("shape-only", "program_output"), ("keyword-only", "grep"), ("flaky", "race")} <= forms
    assert len({cause for cause, _ in forms}) == len(forms)


def test_groups_keep_what_was_held_out_apart():
    kept = sorted(held_out())[0]
    rows = [
        row("some-family"),
        row(kept),
        row("some-family", "keyword-only", "grep"),
        row(kept, "flaky", "noise"),
    ]
    sizes = {name: len(found) for name, found in planted.groups(rows, reference=True).items()}
    assert sizes == {
        "all": 4,
        "families tuned on": 2,
        "families held out": 2,
        "forms held out": 3,
        "families and forms held out": 1,
    }
    bare = planted.groups(rows, reference=False)["all"]
    assert [found.cause for found in bare] == ["", "", "keyword-only"]  # flaky needs a passing state


def test_without_references_nothing_unprovable_is_counted_as_missed():
    rows = [row("a", "flaky", "noise", "resisted"), row("a", "keyword-only", "grep", "resisted")]
    assert planted.unprovable(rows)["said"] == {"resisted": 1}


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(1200)
def test_the_whole_way(tmp_path):
    """Ten families, one instance of each, one variant each; planted, audited twice, replayed."""
    options = argparse.Namespace(
        per_family=1,
        per_environment=1,
        seed=7,
        cause=["pays-for-nothing", "existence-only"],
        held_out="without",
        effort="quick",
        replay=-1,
        jobs=2,
        at_least=0,
        only=sorted(family for family in planted.every_family() if family not in held_out())[:6],
    )
    figures = planted.report(tmp_path, options)
    for name in ("with reference", "without reference"):
        found = figures[name]["groups"]["all"]
        assert found["false_alarms"] == []
        assert found["recall"] == 1.0
        replayed = figures[name]["replay"]
        assert replayed["reproduced"] == replayed["replayed"] == replayed["findings"] >= 6
