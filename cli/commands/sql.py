"""``river-envs sql``: ask the catalog anything, change nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, note
from river_envs.environment import RiverError

if TYPE_CHECKING:
    import pandas as pd

ROWS = 200
"""How many rows a table on the terminal shows."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sql")(sql)


def sql(
    query: Annotated[str, typer.Argument(help='One SELECT, for example "FROM environments_view LIMIT 5".')],
    catalog: CatalogOption = DEFAULT_CATALOG,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON array of objects.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")] = False,
) -> None:
    """Print the rows of one SELECT. SHOW TABLES lists the tables and views, DESCRIBE NAME their columns."""
    from river_envs.catalog import open_catalog
    from river_envs.report.text import visible

    if json and csv:
        raise RiverError("--json and --csv exclude each other; choose one")
    frame = open_catalog(catalog).sql(query).map(_text)
    if json:
        print(frame.to_json(orient="records", date_format="iso", default_handler=str, force_ascii=False))
    elif csv:
        text = frame.to_csv(index=False)
        sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
    else:
        _print(frame)


def _text(value: Any) -> Any:
    """Blobs as text where they are text, else in hexadecimal; everything else as it is."""
    if not isinstance(value, bytes | bytearray):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()


def _print(frame: pd.DataFrame) -> None:
    """A table of at most ROWS rows; where standard output is no terminal, every column keeps its whole width."""
    from rich.console import Console
    from rich.table import Table

    from river_envs.report.tables import cell

    console = Console() if sys.stdout.isatty() else Console(width=10_000)
    table = Table(highlight=False)
    for name in frame.columns:
        numeric = frame[name].dtype.kind in "iuf"
        table.add_column(cell(str(name)), justify="right" if numeric else "left", overflow="fold")
    for row in frame.head(ROWS).itertuples(index=False):
        table.add_row(*(cell(_shown(value)) for value in row))
    console.print(table)
    if len(frame) > ROWS:
        note(f"{ROWS} of {len(frame):,} rows; --json and --csv print all")


def _shown(value: Any) -> str:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value is None or value != value or str(value) in ("<NA>", "NaT"):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
