"""The closing tables of audit, score and demo."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from river_envs.catalog import Catalog


def print_summary(catalog: Catalog) -> None:
    """Verdicts and causes of the whole catalog, on standard output."""
    from rich.console import Console

    from river_envs.report.summary import summarise

    console = Console()
    for table in summarise(catalog).tables():
        console.print(table)
