"""``river-envs calibrate``: from labels to the probability that an environment is sound."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, note, print_json
from river_envs.environment import RiverError

if TYPE_CHECKING:
    from river_envs.scoring.labelled import Labelled
    from river_envs.scoring.model import Model


class Combine(StrEnum):
    """How several sources of labels become one (``scoring/agreement.py``)."""

    WORST = "worst"
    DAWID_SKENE = "dawid-skene"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(calibrate)


def calibrate(
    labels: Annotated[
        list[Path] | None,
        typer.Option("--labels", help="CSV, JSON or parquet: name, id or path, and sound or cause; can be repeated."),
    ] = None,
    catalog: CatalogOption = DEFAULT_CATALOG,
    prior: Annotated[
        float | None, typer.Option(help="The share of sound environments in your corpus; else that of the labels.")
    ] = None,
    combine: Annotated[
        Combine, typer.Option(help="How several label files become one; worst: sound only where all of them say so.")
    ] = Combine.WORST,
    json: JsonOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Fit and measure; write nothing.")] = False,
) -> None:
    """Fit how likely each environment is sound, measure that on families left out, and rank by it.

    Without --labels, the default model is corrected to --prior. Verdicts never change; the numbers of all environments
    are computed again.
    """
    from river_envs.catalog import open_catalog
    from river_envs.scoring.calibrate import calibrate as fitted
    from river_envs.scoring.labelled import labelled
    from river_envs.scoring.model import default_model, with_prior
    from river_envs.scoring.run import rescore

    opened = open_catalog(catalog)
    found: Labelled | None = None
    figures: Mapping[str, Any] = {}
    if labels:
        found = labelled(opened, labels, combine.value)
        about = {"labels": [source.source for source in found.sources], "combined": combine.value}
        made = fitted(found.rows, about)
        model, figures = made.model, made.figures
    else:
        shipped = default_model()
        if shipped is None or prior is None:
            wanted = "this release ships no default model" if shipped is None else "or --prior P for the default model"
            raise RiverError(f"calibrate needs --labels FILE ({wanted})")
        model = shipped
    model = with_prior(model, prior)
    ranked = None
    if not dry_run:
        with opened.writer() as writer:
            writer.set_calibration(model.as_json())
        ranked = rescore(opened)
    if json:
        print_json({"model": model.as_json(), "figures": figures, "ranked": ranked, **_counted(found)})
        return
    _print(model, figures, found)
    note("nothing was written" if ranked is None else f"the model is in {catalog}; {ranked} environments ranked by it")


def _counted(found: Labelled | None) -> dict[str, Any]:
    if found is None:
        return {}
    from dataclasses import asdict

    return {
        "labelled": len(found.rows),
        "not_judged": found.unjudged,
        "sources": [
            {"source": source.source, "labels": len(source.sound), "not_in_catalog": source.missing,
             "blank": source.blank, "share_sound": sum(source.sound.values()) / len(source.sound)}
            for source in found.sources
        ],
        "agreement": asdict(found.agreement) if found.agreement else None,
    }  # fmt: skip


def _print(model: Model, figures: Mapping[str, Any], found: Labelled | None) -> None:
    from rich.console import Console

    from river_envs.report.calibration import figure_tables, model_table

    console = Console(highlight=False)
    for source in found.sources if found else ():
        console.print(f"{source.source}: {len(source.sound)} labels used, {source.missing} not in the catalog,"
                      f" {source.blank} blank", markup=False)  # fmt: skip
    if found and found.unjudged:
        console.print(f"{found.unjudged} labelled environments were not judged: run river-envs audit or score")
    if found and found.agreement:
        told = found.agreement
        kappa = "kappa cannot be told" if told.kappa is None else f"kappa {told.kappa:.2f}"
        console.print(f"{told.shared} environments are labelled by all, {told.alike} of them alike; {kappa}")
    for table in figure_tables(figures):
        console.print(table)
    console.print(model_table(model))
    console.print(f"base rate of the labels {model.base_rate:.3f} sound, prior {model.prior:.3f}")
