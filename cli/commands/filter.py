"""``river-envs filter``: keep the best share of a catalog, with a reason for every environment."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from river_cli.options import CatalogOption, JsonOption, note, print_json

if TYPE_CHECKING:
    from river_envs.catalog import Catalog
    from river_envs.selection.choose import Decision
    from river_envs.selection.manifest import Header


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("filter")(filter_catalog)


def filter_catalog(
    keep: Annotated[float, typer.Option("--keep", help="Stay strictly under this share of all environments.")] = 0.3,
    tier: Annotated[
        str, typer.Option("--tier", help="sound: nothing else; resisted: fill the places that sound leaves.")
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
    from river_envs.catalog import open_catalog
    from river_envs.environment import RiverError
    from river_envs.selection.candidates import candidates
    from river_envs.selection.choose import choose, why_nothing
    from river_envs.selection.export import check_destination

    if output is None and not dry_run:
        raise RiverError("Say where the subset goes with -o DIR, or look at it first with --dry-run.")
    opened = open_catalog(catalog)
    if output is not None:
        check_destination(output, force)
    decisions = choose(candidates(opened), keep, tier, seed)  # type: ignore[arg-type]  # choose refuses other tiers
    if not any(decision.kept for decision in decisions):
        raise RiverError(why_nothing(decisions, keep))
    header = _header(opened, keep, tier, seed)
    if output is not None and not dry_run:
        _write(opened, output, header, decisions, force, quiet=json)
    _show(header, decisions, None if dry_run else output, json)


def _header(catalog: Catalog, keep: float, tier: str, seed: int) -> Header:
    import platform
    from datetime import UTC, datetime

    import duckdb

    from river_envs import __version__
    from river_envs.selection.manifest import Header

    return Header(
        keep=keep,
        tier=tier,  # type: ignore[arg-type]
        seed=seed,
        catalog=catalog.path.name,
        catalog_hash=catalog.content_hash(),
        command=shlex.join(["river-envs", *sys.argv[1:]]),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"river-envs": __version__, "python": platform.python_version(), "duckdb": duckdb.__version__},
    )


def _write(
    catalog: Catalog, output: Path, header: Header, decisions: Sequence[Decision], force: bool, quiet: bool
) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from river_envs.formats.writer import write_harbor
    from river_envs.selection.candidates import subset_record
    from river_envs.selection.export import export

    def record() -> None:
        with catalog.writer() as writer:
            writer.add_subset(subset_record(header, decisions, output.name))

    number = sum(decision.kept for decision in decisions)
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with nullcontext() if quiet else Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("writing environments", total=number) if progress else None
        export(
            output, header, decisions, catalog.load, write_harbor, force=force, record=record,
            progress=(lambda written: progress.update(task, completed=written)) if progress else lambda written: None,
        )


def _show(header: Header, decisions: Sequence[Decision], output: Path | None, json: bool) -> None:
    from river_envs.selection.choose import counts
    from river_envs.selection.manifest import rows

    kept = sum(decision.kept for decision in decisions)
    if json:
        print_json({
            "environments": len(decisions),
            "kept": kept,
            "keep_fraction": kept / len(decisions),
            "keep": header.keep,
            "tier": header.tier,
            "seed": header.seed,
            "catalog_hash": header.catalog_hash,
            "grounds": counts(decisions),
            "output": str(output) if output else None,
            "decisions": rows(decisions) if output is None else None,
        })
        return
    from rich.console import Console

    from river_envs.report.tables import decision_table, subset_table
    from river_envs.report.text import percent_below

    console = Console()
    console.print(subset_table([decision for decision in decisions if decision.kept], limit=15))
    console.print(decision_table(counts(decisions)))
    console.print(f"{kept:,} of {len(decisions):,} kept ({percent_below(kept, len(decisions))}).", highlight=False)
    if output is None:
        note("Nothing was written (--dry-run).")
    else:
        written = f"Written to {output}: environments/, manifest.parquet, manifest.json, README.md"
        console.print(written, highlight=False, markup=False, soft_wrap=True)
