"""``river-envs plant``: sound environments in, labelled defective variants out."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_cli.options import JsonOption, note, print_json
from river_cli.workshop import BackendOption
from river_envs.environment import RiverError

if TYPE_CHECKING:
    from river_envs.plant.corpus import Original, Tally


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plant")(plant)


def plant(
    output: Annotated[Path, typer.Option("--output", "-o", help="A new folder for the corpus and its labels.csv.")],
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Corpora or tasks; with a labels.csv only the sound.")
    ] = None,
    catalog: Annotated[
        Path | None, typer.Option("--catalog", "-c", help="Take the environments of a catalog that ended sound.")
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="With --catalog: a condition on environments_view, or an id or name.")
    ] = None,
    cause: Annotated[list[str] | None, typer.Option(help="Plant this cause only; can be repeated.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Other seeds give other forms of the same defects.")] = 0,
    per_environment: Annotated[
        int | None, typer.Option(min=1, help="At most so many variants of one environment, rare causes first.")
    ] = None,
    backend: BackendOption = "auto",
    json: JsonOption = False,
) -> None:
    """Make defective variants of sound environments, one cause each, and prove every defect by running it.

    Each original is audited first: untouched 0, reference 1. An environment that cannot carry a cause is counted
    with the reason, and so is a variant whose defect does not show.
    """
    from river_cli.commands.demo import ALIASES
    from river_cli.workshop import workshop
    from river_envs.audit.options import AuditOptions
    from river_envs.causes import CAUSES
    from river_envs.plant.corpus import PlantOptions, plant_corpus
    from river_envs.plant.workshop import Workshop

    if not paths and catalog is None:
        raise RiverError("name corpora to plant in, or a catalog with --catalog")
    if only is not None and catalog is None:
        raise RiverError("--only chooses among the environments of a catalog; name it with --catalog")
    options = PlantOptions(tuple(cause or CAUSES), seed, per_environment)

    def show(name: str, tally: Tally) -> None:
        note(f"plant: {name}: {sum(tally.planted.values())} variants of {tally.originals} originals so far")

    with workshop(backend, ALIASES) as (opened, grading):
        shop = Workshop(opened, grading(opened, AuditOptions()))
        tally = plant_corpus(_originals(paths or [], catalog, only), shop, options, output, show)
    if json:
        print_json(_as_json(tally, output))
    else:
        _print(tally, output)


def _originals(paths: list[Path], catalog: Path | None, only: str | None) -> Iterator[Original]:
    from river_envs.formats.base import Found
    from river_envs.formats.detect import read_all
    from river_envs.plant.corpus import Original

    for path in paths:
        labels = _labels(path)
        for item in read_all([path]):
            if not isinstance(item, Found):
                note(f"plant: left out {item.where}: {item.reason}")
                continue
            label = labels.get(item.environment.name) if labels else {"sound": "1", "family": item.environment.name}
            if label is not None and label.get("sound") == "1":
                yield Original(item.environment, label.get("family") or item.environment.name)
    if catalog is not None:
        from river_envs.catalog import open_catalog

        opened = open_catalog(catalog)
        sound = set(opened.ids("verdict = 'sound'"))
        chosen = [identifier for identifier in opened.ids(only) if identifier in sound]
        if not chosen:
            raise RiverError(f"no environment of {catalog} that --only={only!r} chooses ended sound" if only else
                             f"no environment of {catalog} ended sound")
        for environment in opened.iterate(chosen):
            yield Original(environment, environment.name)


def _labels(path: Path) -> dict[str, dict[str, str]] | None:
    """The labels beside or above a corpus, by name; None where there are none."""
    for folder in (path, path.parent):
        if (folder / "labels.csv").is_file():
            with open(folder / "labels.csv", newline="", encoding="utf-8") as handle:
                return {row["name"]: row for row in csv.DictReader(handle)}
    return None


def _as_json(tally: Tally, output: Path) -> dict[str, Any]:
    return {
        "output": str(output),
        "originals": tally.originals,
        "planted": dict(sorted(tally.planted.items())),
        "unsound": tally.unsound,
        "cannot": tally.cannot,
        "dropped": tally.dropped,
        "attempts": tally.attempts,
    }


def _print(tally: Tally, output: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    from river_envs.causes import CAUSES

    table = Table("cause", "planted", "cannot carry", "not shown", "most frequent reason")
    for cause in CAUSES:
        cannot = [reason for _, name, reason in tally.cannot if name == cause]
        dropped = [reason for _, name, reason in tally.dropped if name == cause]
        if tally.planted[cause] or cannot or dropped:
            common = Counter(cannot + dropped).most_common(1)
            reason = common[0][0][:100] if common else ""
            table.add_row(cause, str(tally.planted[cause]), str(len(cannot)), str(len(dropped)), reason)
    Console().print(table)
    for name, reason in tally.unsound:
        note(f"plant: left out {name}: {reason}")
    variants = sum(tally.planted.values())
    print(f"{tally.originals} sound originals and {variants} variants in {output} ({tally.attempts} attempts)")
