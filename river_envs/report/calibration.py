"""A calibration as tables for the terminal: how good the probabilities are, and what the model reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from river_envs.report.tables import cell

if TYPE_CHECKING:
    from river_envs.scoring.model import Model
    from river_envs.scoring.sensitivity import Moved


def figure_tables(figures: Mapping[str, Mapping[str, Any]]) -> Iterator[Table]:
    """Figures by group of rows, then for all rows the reliability curve and what decisions cost."""
    if not figures:
        return
    table = _table("On families left out", "rows", ">n", ">sound", ">Brier", ">skill", ">slope", ">intercept",
                   ">calibration error [95 %]")  # fmt: skip
    for name, row in figures.items():
        error = "{calibration_error:.3f} [{calibration_error_low:.3f}, {calibration_error_high:.3f}]".format_map(row)
        numbers = (_number(row[part]) for part in ("brier", "brier_skill", "slope", "intercept"))
        table.add_row(cell(name), str(row["rows"]), f"{row['share_sound']:.1%}", *numbers, error)
    yield table
    curve = _table("Reliability", ">environments", ">predicted sound", ">sound", ">90 % interval")
    for row in figures["all"]["reliability"]:
        interval = f"[{row['low']:.2f}, {row['high']:.2f}]"
        curve.add_row(str(row["rows"]), f"{row['predicted']:.3f}", f"{row['sound']:.3f}", interval)
    yield curve
    loss = _table("Expected loss of an environment (dropping a sound one costs 1)", ">keeping a defective one costs",
                  ">model", ">drop all", ">drop none", ">drop as many at random")  # fmt: skip
    for row in figures["all"]["expected_loss"]:
        numbers = (row[name] for name in ("model", "flag_all", "flag_none", "random"))
        loss.add_row(f"{row['cost']:g}", *(f"{number:.3f}" for number in numbers))
    yield loss


def model_table(model: Model) -> Table:
    """What speaks for and against an environment, and what was left out."""
    from river_envs.scoring.features import FEATURES

    coefficients = {term.name: term.coefficient for term in model.terms}
    table = _table("The model", "feature", ">coefficient", "meaning")
    for feature in FEATURES:
        weight = coefficients.get(feature.name)
        why = f"; left out: {model.dropped.get(feature.name, '')}" if weight is None else ""
        table.add_row(cell(feature.name), "–" if weight is None else f"{weight:+.3f}", cell(feature.meaning + why))
    return table


def sensitivity_table(moved: Sequence[Moved]) -> Table:
    """How the ranking moves under other weights."""
    table = _table("How the ranking moves", "instead", ">Kendall's tau", ">of the best 30 % the same")
    for row in moved:
        table.add_row(cell(row.name), _number(row.tau), "–" if row.overlap is None else f"{row.overlap:.1%}")
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column.lstrip(">"), justify="right" if column.startswith(">") else "left")
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
