"""``river-envs doctor``: what works on this machine, as this user, and what to do about the rest."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from river_cli.options import JsonOption, print_json

if TYPE_CHECKING:
    from river_envs.sandbox.base import Check

StoreOption = Annotated[
    str | None, typer.Option("--store", help="The image cache (default: ~/.cache/river-envs).", envvar="RIVER_STORE")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Try what sandboxes need here: namespaces, limits, the host base, Docker. Status 1 when no backend works."""
    from river_envs.sandbox.base import BackendOptions
    from river_envs.sandbox.doctor import examine

    report = examine(BackendOptions(store=store))
    if as_json:
        checks = [{"backend": backend, **asdict(check)} for backend, group in report.checks.items() for check in group]
        print_json({"usable": report.usable, "checks": checks})
    else:
        _print(report.checks)
        if report.usable:
            print(f"\nUsable: {', '.join(report.usable)}.")
        else:
            print("\nNo backend works here: see the remedies above.")
    raise typer.Exit(0 if report.usable else 1)


def _print(groups: dict[str, list[Check]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("", "", "What", "Seen", "What to do"):
        table.add_column(column, overflow="fold")
    for backend, checks in groups.items():
        for number, check in enumerate(checks):
            mark = "[green]ok[/]" if check.ok else "[red]no[/]"
            texts = (escape(text) for text in (check.name, check.detail, check.remedy))
            table.add_row(escape(backend) if number == 0 else "", mark, *texts)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 140
    console.print(table)
