"""Options and printing that every command shares."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

DEFAULT_CATALOG = Path("river.duckdb")

CatalogOption = Annotated[
    Path, typer.Option("--catalog", "-c", help="The catalog, a DuckDB file.", envvar="RIVER_CATALOG")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, nothing else.")]


def print_json(value: Any) -> None:
    """One JSON document on one line of standard output."""
    json.dump(value, sys.stdout, ensure_ascii=False, default=str)
    sys.stdout.write("\n")


def note(text: str) -> None:
    """A remark for the person at the terminal: standard error, so that standard output stays parseable."""
    print(text, file=sys.stderr)
