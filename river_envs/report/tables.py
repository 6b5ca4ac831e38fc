"""The terminal tables that audit, filter, demo and report share.

Every function returns a rich renderable from plain values; nothing here reads a catalog. Cells are ``Text``, never
markup, and pass ``one_line``: what an environment wrote can neither style nor move anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from river_envs.causes import CAUSES
from river_envs.report.text import one_line, percent
from river_envs.selection.gates import GROUNDS

if TYPE_CHECKING:
    from river_envs.selection.choose import Decision

VERDICTS: dict[str, str] = {
    "sound": "a trusted reference passes, doing nothing scores 0, every planned probe survived",
    "resisted": "no trusted reference, but doing nothing scores 0 and every planned probe survived",
    "defective": "an executed attempt proves that the verifier pays or refuses wrongly",
    "unverified": "a control is missing or failed to run, or the plan did not finish",
    "unsupported": "needs something that cannot be run yet",
    "not-audited": "ingested, not audited yet",
}
"""What each state of an environment means, in the order in which tables and the page show them."""

STYLES = {
    "sound": "green",
    "resisted": "cyan",
    "defective": "red",
    "unverified": "yellow",
    "unsupported": "bright_black",
    "not-audited": "bright_black",
    "kept": "green",
}

WIDEST = 36
"""Character cells that an environment's name may take."""


def cell(value: object, style: str = "", limit: int = 200) -> Text:
    """One safe table cell; ``None`` shows as a dash."""
    return Text("–" if value is None else one_line(str(value), limit), style=style)


def verdict_table(counts: Mapping[str, int]) -> Table:
    """How many environments ended in each state; states nobody is in are left out, but the verdicts always show."""
    table = _table("Verdicts")
    _columns(table, "verdict", ">environments", ">share", "~meaning")
    whole = sum(counts.values())
    for verdict, meaning in VERDICTS.items():
        number = counts.get(verdict, 0)
        if number or verdict in ("sound", "resisted", "defective", "unverified"):
            table.add_row(cell(verdict, STYLES[verdict]), cell(f"{number:,}"), cell(percent(number, whole)),
                          cell(meaning, "dim"))
    table.add_section()
    table.add_row(cell("all", "bold"), cell(f"{whole:,}", "bold"), cell(""), cell(""))
    return table


def cause_table(counts: Mapping[str, int]) -> Table:
    """How many environments have each cause, in the order of the one table of causes."""
    table = _table("What was found")
    _columns(table, "cause", "claim", ">environments", "~what was seen")
    known = [name for name in CAUSES if counts.get(name)]
    for name in [*known, *sorted(set(counts) - set(CAUSES))]:
        cause = CAUSES.get(name)
        table.add_row(cell(name, "red"), cell(cause.claim if cause else None), cell(f"{counts[name]:,}"),
                      cell(cause.seen if cause else None, "dim"))
    return table


def decision_table(counts: Mapping[str, int]) -> Table:
    """What the filter did: one row per ground, in the order of ``GROUNDS``."""
    table = _table("The subset")
    _columns(table, "decision", ">environments", ">share", "~meaning")
    whole = sum(counts.values())
    for ground, meaning in GROUNDS.items():
        if counts.get(ground):
            table.add_row(cell(ground, STYLES.get(ground, "")), cell(f"{counts[ground]:,}"),
                          cell(percent(counts[ground], whole)), cell(meaning, "dim"))
    return table


def subset_table(decisions: Sequence[Decision], limit: int = 20) -> Table:
    """The first ``limit`` decisions with their reasons; the caption says how many are not shown."""
    table = _table("Decisions")
    _columns(table, ">rank", "~environment", "decision", "tier", ">quality", "~reason")
    for decision in decisions[:limit]:
        quality = decision.candidate.quality
        table.add_row(
            cell(decision.rank),
            cell(decision.candidate.name, limit=60),
            cell("kept" if decision.kept else "dropped", "green" if decision.kept else "red"),
            cell(decision.tier),
            cell(None if quality is None else f"{quality:.3f}"),
            cell(decision.reason, "dim"),
        )
    if len(decisions) > limit:
        table.caption = Text(f"{len(decisions) - limit:,} more in the manifest", style="dim")
    return table


def _table(title: str) -> Table:
    return Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)


def _columns(table: Table, *names: str) -> None:
    """Columns by name; ``>`` in front aligns right, ``~`` marks those that wrap when the terminal is narrow."""
    for name in names:
        right, wraps = name.startswith(">"), name.startswith("~")
        table.add_column(
            Text(name.lstrip(">~")),
            justify="right" if right else "left",
            no_wrap=not wraps,
            overflow="fold" if wraps else "ellipsis",
            max_width=WIDEST if name == "~environment" else None,
        )
