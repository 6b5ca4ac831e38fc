"""``river-envs ingest``: read environments into a catalog and account for every input."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, note, print_json
from river_envs.environment import RiverError

if TYPE_CHECKING:
    from river_envs.formats.ingest import IngestReport, InputResult

RESULTS = ("ingested", "unchanged", "duplicate", "unsupported", "rejected")
SHOWN = 20
"""Rejected and unsupported inputs named on the screen; all of them are in the catalog and in ``--json``."""


def register(app: typer.Typer) -> None:
    """Add the command to ``app``."""
    app.command("ingest")(ingest)


def ingest(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Task directories, folders of them, parquet files, archives."),
    ],
    format: Annotated[
        str,
        typer.Option(help="auto, harbor, tmax, tmax-parquet, open-instruct or terminal-bench-1."),
    ] = "auto",
    catalog: CatalogOption = DEFAULT_CATALOG,
    json: JsonOption = False,
    max_file_mb: Annotated[
        int, typer.Option("--max-file-mb", min=1, help="Reject an environment with a file larger than this.")
    ] = 64,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and report; write no catalog.")] = False,
) -> None:
    """Read environments into a catalog: Harbor, TMax, TMax-15K, open-instruct and Terminal-Bench 1, mixed and nested.

    Every input ends as ingested, unchanged, duplicate, unsupported or rejected, and is named with the reason.
    """
    from river_envs.formats.base import MIB, Bounds
    from river_envs.formats.ingest import ingest as read_into
    from river_envs.formats.ingest import preview

    bounds = Bounds(file_bytes=max_file_mb * MIB, environment_bytes=max(4 * max_file_mb, 256) * MIB)
    with _Counter(quiet=json) as counter:
        if dry_run:
            report = preview(paths, format, counter.count, bounds)
        else:
            from river_envs.catalog import open_catalog

            report = read_into(open_catalog(catalog, create=True), paths, format, counter.count, bounds)
    if json:
        print_json(_document(report, None if dry_run else catalog))
    else:
        _print(report, None if dry_run else catalog)
    if not report.found:
        places = ", ".join(map(str, paths))
        if report.items:
            raise RiverError(f"no environment could be read below {places}: see the reasons above")
        raise RiverError(f"no environment was found below {places}: see `river-envs ingest --help` for the formats")


class _Counter:
    """Counts on standard error while inputs are read: a live line on a terminal, nothing where nobody watches."""

    def __init__(self, quiet: bool) -> None:
        from rich.console import Console

        self._counts: Counter[str] = Counter()
        self._console = Console(stderr=True)
        self._status = None if quiet or not self._console.is_terminal else self._console.status("reading …")

    def count(self, result: InputResult) -> None:
        self._counts[result.result] += 1
        if self._status and self._counts.total() % 50 == 1:
            parts = ", ".join(f"{number:,} {word}" for word, number in self._counts.items())
            self._status.update(f"{self._counts.total():,} inputs: {parts}")

    def __enter__(self) -> _Counter:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()


def _print(report: IngestReport, catalog: Path | None) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from river_envs.report.text import one_line

    table = Table(box=None, pad_edge=False)
    for name in (*RESULTS, "inputs"):
        table.add_column(name, justify="right")
    table.add_row(*(f"{report.counts[name]:,}" for name in RESULTS), f"{len(report.items):,}")
    console = Console()
    console.print(table)
    named = [item for item in report.items if item.result in ("rejected", "unsupported")]
    for item in named[:SHOWN]:
        line = f"{item.result}  {one_line(item.where, 160)}  {one_line(item.reason, 200)}"
        console.print(escape(line), highlight=False, soft_wrap=True)
    if len(named) > SHOWN:
        where = "in table ingest_input of the catalog" if catalog else "with --json"
        console.print(f"… and {len(named) - SHOWN:,} more {where}", highlight=False)
    note(f"{report.seconds:.1f} s" + (f", catalog {catalog}" if catalog else ", nothing written (--dry-run)"))


def _document(report: IngestReport, catalog: Path | None) -> dict[str, object]:
    return {
        **{name: report.counts[name] for name in RESULTS},
        "inputs": len(report.items),
        "seconds": round(report.seconds, 3),
        "catalog": str(catalog) if catalog else None,
        "run": report.run_id,
        "items": [
            {"input": item.where, "result": item.result, "environment": item.environment_id, "name": item.name,
             "reason": item.reason}
            for item in report.items
            if item.result not in ("unchanged", "ingested")
        ],
    }
