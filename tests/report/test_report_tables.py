import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from river_envs.report.tables import cause_table, decision_table, subset_table, verdict_table
from river_envs.selection.choose import choose, counts
from river_envs.selection.gates import Candidate
from river_envs.selection.request import Request

HOSTILE = "[red]x[/red]\x1b[2J\nsecond\u202e line [bold"


def printed(renderable, width=120):
    console = Console(width=width, record=True, file=io.StringIO(), color_system=None)
    console.print(renderable)
    return console.export_text()


def decisions():
    return choose(
        [
            Candidate("a", HOSTILE, "sound", quality=0.98765),
            Candidate("b", "漢字" * 40, "resisted"),
            Candidate("c", "plain", "defective", ("pays-for-nothing",)),
        ],
        Request(1.0),
    )


def test_verdicts_sum_up():
    text = printed(verdict_table({"sound": 6, "defective": 3, "not-audited": 1}))
    rows = {line.split()[0]: line.split()[1:3] for line in text.splitlines() if line.split()}
    assert rows["sound"] == ["6", "60.0"]
    assert rows["unverified"] == ["0", "0.0"]
    assert rows["not-audited"] == ["1", "10.0"]
    assert rows["all"] == ["10"]
    assert "unsupported" not in text


def test_causes_follow_the_one_table_and_unknown_ones_show():
    text = printed(cause_table({"zz-new": 1, "flaky": 2, "pays-for-nothing": 1_000, "existence-only": 0}))
    assert text.index("pays-for-nothing") < text.index("flaky") < text.index("zz-new")
    assert "1,000" in text
    assert "the untouched image is rewarded" in text
    assert "existence-only" not in text


def test_decisions():
    text = printed(decision_table(counts(decisions())))
    assert "kept" in text
    assert "66.7 %" in text


def test_what_an_environment_wrote_cannot_act():
    text = printed(subset_table(decisions()), 140)
    assert "[red]x[/red]\\x1b[2J" in text
    assert "second\\u202e" in text
    assert "[bold" in text
    assert "\x1b" not in text
    assert "0.988" in text


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_tables_fit_the_terminal(width):
    for table in (subset_table(decisions()), verdict_table({"sound": 1}), cause_table({"flaky": 1})):
        assert max(cell_len(line) for line in printed(table, width).splitlines()) <= width


def test_the_rest_is_announced():
    assert "2 more in the manifest" in printed(subset_table(decisions(), limit=1))
