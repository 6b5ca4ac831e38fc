"""``river-envs harness``: holes in the way tests are started."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, note, print_json
from river_cli.workshop import BackendOption, NetworkOption, workshop

if TYPE_CHECKING:
    from river_envs.audit.harness import HarnessReport


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("harness")(harness)


def harness(
    catalog: CatalogOption = DEFAULT_CATALOG,
    only: Annotated[str | None, typer.Option(help="A condition on environments_view, or an id or name.")] = None,
    backend: BackendOption = "auto",
    network: NetworkOption = False,
    most: Annotated[int | None, typer.Option("--most", min=1, help="Ask only the largest groups.")] = None,
    scripts: Annotated[Path | None, typer.Option(help="Write the hardened scripts into this folder.")] = None,
    json: JsonOption = False,
) -> None:
    """Find out what an agent that meddles with the tests could do, once for each image and test script.

    These holes never change a verdict. For each one that is open, the hardened way to run the tests is tried too.
    """
    from river_envs.audit.harness import HarnessAudit, groups
    from river_envs.audit.options import AuditOptions
    from river_envs.catalog import open_catalog

    opened = open_catalog(catalog)
    found = groups(opened.load(opened.ids(only)))
    asked = found[:most] if most else found
    reports = []
    with workshop(backend) as (opened_backend, grading):
        options = AuditOptions(only=only, network=network)
        audit = HarnessAudit(opened_backend, options, grading(opened_backend, options))
        for number, group in enumerate(asked, 1):
            note(f"harness: group {number} of {len(asked)}, {len(group.environments)} environments")
            reports.append(audit.ask(group))
    if scripts is not None:
        _write(reports, scripts)
    if json:
        print_json([_as_json(report) for report in reports])
        return
    for report in reports:
        _print(report)


def _write(reports: list[HarnessReport], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for report in reports:
        if report.hardened:
            path = folder / f"{report.group.script}.sh"
            path.write_text(report.hardened)
            path.chmod(0o755)
            note(f"wrote {path}")


def _as_json(report: HarnessReport) -> dict[str, Any]:
    group = report.group
    return {
        "bases": list(group.bases),
        "script": group.script,
        "environments": [environment.id for environment in group.environments],
        "representative": report.representative,
        "problem": report.problem,
        "holes": [
            {"hole": hole.probe, "status": hole.status, "open": hole.open, "closed": hole.closed}
            for hole in report.holes
        ],
        "reference_passes_hardened": report.reference,
        "ends_processes": report.kill,
        "hardened": report.hardened,
    }


def _print(report: HarnessReport) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from river_envs.report.tables import cell
    from river_envs.report.text import one_line

    console, group = Console(highlight=False), report.group
    shared = f"{len(group.environments)} environments on {', '.join(group.bases)}, test script {group.script}"
    console.print(Text(f"\n{one_line(shared, 300)}", "bold"))
    if report.problem:
        console.print(Text(f"  not asked: {one_line(report.problem, 400)}", "yellow"))
        return
    table = Table(box=None, title=cell(f"asked on {report.representative}"), title_justify="left")
    for column in ("hole", "now", "hardened"):
        table.add_column(column)
    for hole in report.holes:
        now = cell("open", "red") if hole.open else cell("closed" if hole.status == "survived" else hole.status)
        after = {None: "", True: "closed", False: "still open"}[hole.closed]
        table.add_row(cell(hole.probe), now, cell(after, "red" if hole.closed is False else "green"))
    console.print(table)
    if report.hardened:
        passes = {None: "there is none that passes", True: "passes", False: "fails"}[report.reference]
        processes = "ends the agent's processes" if report.kill else "leaves processes alone (the reference needs them)"
        console.print(Text(f"  the reference below the hardened script: {passes}; it {processes}"))
