"""``river-envs probes``: which questions are put to a verifier, and what each can show."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer

from river_cli.options import JsonOption, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("probes")(probes)


def probes(
    identifier: Annotated[str | None, typer.Argument(metavar="[ID]", help="Explain this probe.")] = None,
    json: JsonOption = False,
) -> None:
    """List the probes, or explain one."""
    from river_envs.probes import registry

    chosen = [registry.probe(identifier)] if identifier else list(registry.probes())
    rows = [
        {
            "id": probe.id,
            "name": probe.name,
            "family": probe.family,
            "trigger": probe.trigger,
            "version": probe.version,
            "documentation": inspect.cleandoc(probe.__doc__ or ""),
        }
        for probe in chosen
    ]
    if json:
        print_json(rows)
    elif identifier:
        row = rows[0]
        print(f"{row['id']}: {row['name']} ({row['family']}, {row['trigger']}, version {row['version']})")
        print(f"\n{row['documentation']}")
    else:
        from rich.console import Console
        from rich.table import Table

        table = Table("id", "name", "family", "trigger", "version")
        for row in rows:
            table.add_row(*(str(row[key]) for key in ("id", "name", "family", "trigger", "version")))
        Console().print(table)
