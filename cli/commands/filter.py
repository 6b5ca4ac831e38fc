"""``river-envs filter``: keep the best share of a catalog, with a reason for every environment."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from river_cli.options import CatalogOption, JsonOption, note, print_json

if TYPE_CHECKING:
    from river_envs.selection.run import Filtered


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("filter")(filter_command)


def filter_command(
    keep: Annotated[float, typer.Option("--keep", help="Stay strictly under this share of all environments.")] = 0.3,
    tier: Annotated[
        str, typer.Option("--tier", help="sound: nothing else; resisted: fill the places that sound ones leave.")
    ] = "resisted",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The directory to write the subset to.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Decides between environments that rank equal.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier subset in the directory.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Decide and show, write nothing.")] = False,
    catalog: CatalogOption = Path("river.duckdb"),
    json: JsonOption = False,
) -> None:
    """Keep the best environments: sound ones first, resisted ones only below them, defective ones never.

    Writes the kept environments as Harbor directories with a manifest that gives a reason for every environment, kept
    or dropped, and a dataset card. Exit status 2 when nothing qualifies; then nothing is written.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from river_envs.catalog import open_catalog
    from river_envs.environment import RiverError
    from river_envs.selection.export import check_destination
    from river_envs.selection.run import filter_catalog

    if output is None and not dry_run:
        raise RiverError("Say where the subset goes with -o DIR, or look at it first with --dry-run.")
    if output is not None:
        check_destination(output, force)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    watched = console.is_terminal and not json  # elsewhere a bar leaves an empty line behind
    bar = Progress(*columns, console=console, transient=True) if watched else nullcontext()
    with bar as shown:
        task = shown.add_task("writing environments", total=None) if shown else None
        filtered = filter_catalog(
            open_catalog(catalog),
            keep,
            None if dry_run else output,
            tier=tier,  # type: ignore[arg-type]  # a tier that does not exist is refused there
            seed=seed,
            command=shlex.join(["river-envs", *sys.argv[1:]]),
            force=force,
            progress=lambda written, total: shown.update(task, completed=written, total=total) if shown else None,
        )
    if json:
        _print_json(filtered)
    else:
        _print_tables(filtered)


def _print_json(filtered: Filtered) -> None:
    from river_envs.selection.manifest import rows

    header = filtered.header
    print_json({
        "environments": filtered.environments,
        "kept": filtered.kept,
        "keep_fraction": filtered.keep_fraction,
        "keep": header.keep,
        "tier": header.tier,
        "seed": header.seed,
        "catalog_hash": header.catalog_hash,
        "grounds": filtered.grounds,
        "output": str(filtered.output) if filtered.output else None,
        "decisions": None if filtered.output else rows(filtered.decisions),
    })


def _print_tables(filtered: Filtered) -> None:
    from rich.console import Console

    from river_envs.report.tables import decision_table, subset_table
    from river_envs.report.text import percent_below

    console = Console()
    console.print(subset_table([decision for decision in filtered.decisions if decision.kept], limit=15))
    console.print(decision_table(filtered.grounds))
    share = percent_below(filtered.kept, filtered.environments)
    console.print(f"{filtered.kept:,} of {filtered.environments:,} kept ({share}).", highlight=False)
    if filtered.output is None:
        note("Nothing was written (--dry-run).")
    else:
        written = f"Written to {filtered.output}: environments/, manifest.parquet, manifest.json, README.md"
        console.print(written, highlight=False, markup=False, soft_wrap=True)
