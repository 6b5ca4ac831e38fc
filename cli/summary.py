"""The closing tables of audit, score and demo."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from river_envs.catalog import Catalog


def print_summary(catalog: Catalog) -> None:
    """Verdicts and causes of the whole catalog, on standard output."""
    from rich.console import Console

    from river_envs.report.tables import cause_table, verdict_table

    console = Console()
    console.print(verdict_table(verdicts(catalog)))
    causes = catalog.sql(
        "SELECT cause, count(DISTINCT environment_id) AS n FROM finding GROUP BY cause ORDER BY n DESC, cause"
    )
    if len(causes):
        console.print(cause_table(dict(zip(causes["cause"], causes["n"].astype(int), strict=True))))


def verdicts(catalog: Catalog) -> dict[str, int]:
    """How many environments have which verdict."""
    frame = catalog.sql("SELECT verdict, count(*) AS n FROM verdict GROUP BY verdict")
    return dict(zip(frame["verdict"], frame["n"].astype(int), strict=True))
