"""``river-envs filter``: keep the best share of a catalog, with a reason for every environment."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_cli.options import CatalogOption, JsonOption, note, print_json

if TYPE_CHECKING:
    from river_envs.selection.compare import Choice
    from river_envs.selection.explain import Explanation
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
    budget: Annotated[int | None, typer.Option("--budget", help="At most so many, whatever the share is.")] = None,
    quota: Annotated[
        str, typer.Option("--quota", help="Keep the corpus' mix of these, as in domain,verifier_kind,task_complexity.")
    ] = "",
    purity: Annotated[
        float | None,
        typer.Option("--purity", help="Leave places empty so that this share of the kept is expected to be sound."),
    ] = None,
    cap_fixture: Annotated[
        int | None, typer.Option("--cap-fixture", help="At most so many that work on the same files.")
    ] = None,
    dedupe: Annotated[bool, typer.Option("--dedupe/--no-dedupe", help="Drop near-duplicates of better ones.")] = True,
    diversity: Annotated[
        float, typer.Option("--diversity", help="Weight of what stands for many others beside quality; 0: none.")
    ] = 0.5,
    decontaminate: Annotated[
        list[Path] | None,
        typer.Option("--decontaminate", help="A benchmark (catalog or tasks) to share no passage with; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Decides between environments that rank equal.")] = 0,
    explain: Annotated[
        str | None, typer.Option("--explain", help="Write nothing; say why this environment is kept or dropped.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Write nothing; compare with random, stratified and quality-only choices.")
    ] = False,
    labels: Annotated[
        Path | None, typer.Option("--labels", help="For --compare: a file that says which are truly sound.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier subset in the directory.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Decide and show, write nothing.")] = False,
    catalog: CatalogOption = Path("river.duckdb"),
    json: JsonOption = False,
) -> None:
    """Keep the best environments: sound ones first, resisted ones only below them, defective ones never.

    Near-duplicates of better ones leave; where there are more than places, those that stand for many others go first.
    Writes the kept environments as Harbor directories with a manifest that gives a reason for every environment, kept
    or dropped, and a dataset card. Exit status 2 when nothing qualifies; then nothing is written.
    """
    from river_cli.progress import stages
    from river_envs.catalog import open_catalog
    from river_envs.environment import RiverError
    from river_envs.selection.export import check_destination
    from river_envs.selection.request import Request
    from river_envs.selection.run import filter_catalog

    looking = dry_run or compare or explain is not None
    if output is None and not looking:
        raise RiverError("Say where the subset goes with -o DIR, or look at it first with --dry-run.")
    if labels is not None and not compare:
        raise RiverError("--labels is for --compare only: the filter itself never sees labels.")
    request = Request(
        keep, tier, seed, budget, tuple(name.strip() for name in quota.split(",") if name.strip()),  # type: ignore[arg-type]
        cap_fixture, purity, diversity, dedupe,
    )
    if output is not None:
        check_destination(output, force)
    opened = open_catalog(catalog)
    wanted = opened.find(explain) if explain is not None else None
    with stages(json) as report:
        filtered = filter_catalog(
            opened,
            request,
            None if looking else output,
            decontaminate=decontaminate or (),
            command=shlex.join(["river-envs", *sys.argv[1:]]),
            force=force,
            progress=report,
        )
    if wanted is not None:
        _explained(filtered, wanted, json)
    elif compare:
        _compared(filtered, opened, labels, json)
    elif json:
        _print_json(filtered)
    else:
        _print_tables(filtered)


def _explained(filtered: Filtered, id: str, json: bool) -> None:
    from rich.console import Console

    from river_envs.report.text import one_line
    from river_envs.selection.explain import explain
    from river_envs.selection.manifest import rows

    found: Explanation = explain(filtered.decisions, id, filtered.request)
    if json:
        print_json({**rows([found.decision])[0], "place": found.place, "changes": list(found.changes)})
        return
    console, decision = Console(), found.decision
    word = "kept" if decision.kept else "dropped"
    for line in (
        f"{one_line(decision.candidate.name)} ({decision.id}): {word}, {decision.ground}",
        f"  why    {one_line(decision.reason, 500)}",
        f"  place  {one_line(found.place)}",
        *(f"  change {one_line(change)}" for change in found.changes),
    ):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _compared(filtered: Filtered, catalog: Any, labels: Path | None, json: bool) -> None:
    from river_envs.scoring.labels import read_labels
    from river_envs.selection.compare import compare

    truth = read_labels(labels, catalog).sound if labels is not None else {}
    choices = compare(filtered.decisions, filtered.request, filtered.signatures, truth)
    if json:
        print_json([asdict(choice) for choice in choices])
    else:
        _choice_table(choices)


def _choice_table(choices: tuple[Choice, ...]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("choice", "kept", "truly sound", "domain distance", "duplicates", "mean P(sound) or quality")
    for choice in choices:
        sound = "" if choice.truly_sound is None else f"{choice.truly_sound:.1%}"
        worth = "" if choice.mean_worth is None else f"{choice.mean_worth:.3f}"
        alike = f"{choice.duplicates:g}"
        table.add_row(choice.name, f"{choice.environments:,}", sound, f"{choice.distance:.3f}", alike, worth)
    Console().print(table)


def _print_json(filtered: Filtered) -> None:
    from river_envs.selection.manifest import rows

    header = filtered.header
    print_json({
        "environments": filtered.environments,
        "kept": filtered.kept,
        "keep_fraction": filtered.keep_fraction,
        "expected_sound": filtered.expected_sound,
        "keep": header.keep,
        "tier": header.tier,
        "seed": header.seed,
        "options": header.options,
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
    if filtered.expected_sound is not None:
        console.print(f"Expected share of truly sound ones among them: {filtered.expected_sound:.1%}.", highlight=False)
    if filtered.output is None:
        note("Nothing was written (--dry-run).")
    else:
        written = f"Written to {filtered.output}: environments/, manifest.parquet, manifest.json, README.md"
        console.print(written, highlight=False, markup=False, soft_wrap=True)
