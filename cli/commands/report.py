"""``river-envs report``: the catalog as one HTML page that works offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from river_cli.options import CatalogOption, JsonOption, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report)


def report(
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")] = Path("report.html"),
    catalog: CatalogOption = Path("river.duckdb"),
    json: JsonOption = False,
) -> None:
    """Write one self-contained HTML page: verdicts, causes, domains, every finding with its proof, the subset.

    The page loads nothing from the network, shows texts of environments as text only, and can be sent round as it is.
    """
    from river_envs.catalog import open_catalog
    from river_envs.report.page import write_page
    from river_envs.report.summary import summarise

    opened = open_catalog(catalog)
    made = write_page(opened, output)
    summary = summarise(opened)
    if json:
        print_json({"report": str(made), **summary.as_json()})
        return
    from rich.console import Console

    console = Console()
    for table in summary.tables():
        console.print(table)
    console.print(f"Report: {made}", highlight=False, markup=False, soft_wrap=True)
