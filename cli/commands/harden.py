"""``river-envs harden``: a repaired copy of an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, note, print_json
from river_cli.workshop import BackendOption, NetworkOption, workshop


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("harden")(harden)


def harden(
    environment: Annotated[str, typer.Argument(help="An id, the beginning of one, a name, or its last part.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the copy; it must be empty or missing.")],
    catalog: CatalogOption = DEFAULT_CATALOG,
    backend: BackendOption = "auto",
    network: NetworkOption = False,
    json: JsonOption = False,
) -> None:
    """Write a copy without its proven leaks and with hardened tests, and run the exploits on it again.

    Exit status 1 when an exploit still pays or the reference does not pass.
    """
    from river_envs.audit import harden as room
    from river_envs.audit.harness import HarnessAudit
    from river_envs.audit.options import AuditOptions
    from river_envs.catalog import open_catalog
    from river_envs.environment import RiverError
    from river_envs.formats.writer import write_harbor

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RiverError(f"{out} is not empty: name a new directory for the copy")
    opened = open_catalog(catalog)
    found = opened.environment(opened.find(environment))
    findings = opened.findings_of([found.id]).get(found.id, [])
    recorded = opened.results([found.id]).get(found.id, [])
    with workshop(backend) as (opened_backend, grading):
        options = AuditOptions(network=network)
        audit = HarnessAudit(opened_backend, options, grading(opened_backend, options))
        made = room.harden(audit, found, findings, recorded)
    write_harbor(made.environment, out)
    if json:
        print_json(
            {
                "environment": found.id,
                "copy": made.environment.id,
                "path": str(out),
                "changes": [vars(change) for change in made.changes],
                "checks": [vars(check) for check in made.checks],
                "left": list(made.left),
                "proved": made.proved,
            }
        )
    else:
        _print(made, out)
    if not made.proved:
        note("the copy is written, but it is not proved: see what was not as it should be")
        raise typer.Exit(1)


def _print(made: object, out: Path) -> None:
    from rich.console import Console
    from rich.text import Text

    from river_envs.audit.harden import Hardened
    from river_envs.report.text import one_line

    assert isinstance(made, Hardened)
    console = Console(highlight=False)
    console.print(Text(f"{out}: {made.environment.id}", "bold"))
    for change in made.changes:
        suffix = f" (finding {change.finding})" if change.finding else ""
        console.print(Text(f"  changed: {one_line(change.what, 200)}{suffix}"))
    for left in made.left:
        console.print(Text(f"  left:    {one_line(left, 300)}", "yellow"))
    for check in made.checks:
        style = "green" if check.ok else "red"
        mark = "shown" if check.ok else "NOT SO"
        console.print(Text(f"  {mark}:   {one_line(check.what, 200)} ({one_line(check.seen, 160)})", style))
