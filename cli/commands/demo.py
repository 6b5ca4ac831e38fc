"""``river-envs demo``: the whole path on the bundled corpus."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_cli.options import JsonOption, note, print_json
from river_cli.workshop import BackendOption, Effort, EffortOption
from river_envs.environment import RiverError

if TYPE_CHECKING:
    from river_envs.audit.options import AuditOptions

MARKER = ".river-demo"
ALIASES = {"river-mini/base:1": "host"}
"""The bundled corpus is written for a bare Debian with Python and pytest: the machine's own file system stands in
for it.
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where catalog, subset and report go.")] = Path(
        "river-demo"
    ),
    corpus: Annotated[Path | None, typer.Option(help="Another corpus than the bundled one.")] = None,
    keep: Annotated[float, typer.Option(help="Keep fewer than this share.")] = 0.3,
    effort: EffortOption = Effort.QUICK,
    backend: BackendOption = "auto",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Attempts at once; 0 means one per core.")] = 0,
    json: JsonOption = False,
) -> None:
    """Ingest the bundled corpus, audit every verifier, score, keep the best, write a report. No Docker, no network."""
    from river_envs.audit.options import AuditOptions

    root = corpus or Path(__file__).resolve().parents[2] / "catalogs" / "river-mini" / "environments"
    if not root.is_dir():
        raise RiverError(
            f"the corpus {str(root)!r} is not there; run the demo from a checkout, or name one with --corpus"
        )
    folder = _fresh(output)
    counts = _whole_path(root, folder, keep, AuditOptions(effort=effort.value, jobs=jobs), backend, show=not json)
    page = folder / "report.html"
    if json:
        print_json(counts)
    else:
        share = f"kept {counts['kept']} of {counts['ingested']} environments ({counts['keep_fraction']:.1%})"
        print(f"{share} in {folder / 'subset'}")
        print(f"report: {page.resolve()}")


def _fresh(output: Path) -> Path:
    """An empty folder for the demo; only a folder that an earlier demo made is emptied."""
    if output.exists():
        if not (output / MARKER).exists() and any(output.iterdir()):
            raise RiverError(f"{str(output)!r} exists and no demo made it; choose another folder with --output")
        shutil.rmtree(output)
    output.mkdir(parents=True)
    (output / MARKER).touch()
    return output


def _whole_path(
    root: Path, folder: Path, keep: float, options: AuditOptions, backend: str, *, show: bool
) -> dict[str, Any]:
    from river_cli.summary import print_summary
    from river_cli.workshop import watched
    from river_envs.catalog import open_catalog
    from river_envs.formats.ingest import ingest
    from river_envs.report.page import write_page
    from river_envs.report.summary import summarise
    from river_envs.scoring.run import score_catalog
    from river_envs.selection.request import Request
    from river_envs.selection.run import filter_catalog

    catalog = open_catalog(folder / "river.duckdb", create=True)
    command = " ".join(["river-envs", *sys.argv[1:]])
    note("ingest ...")
    taken = ingest(catalog, [root])
    note(f"audit {taken.ingested} environments ...")
    report = watched(catalog, options, backend, command, aliases=ALIASES)
    if report.interrupted:
        raise KeyboardInterrupt
    score_catalog(catalog)
    rate = report.attempts / max(report.seconds, 0.001)
    note(f"{report.attempts} attempts in {report.seconds:.1f} s ({rate:.1f} a second)")
    filter_catalog(catalog, Request(keep), folder / "subset", command=command)
    write_page(catalog, folder / "report.html")
    summary = summarise(catalog)
    if show:
        print_summary(catalog)
    return summary.as_json()
