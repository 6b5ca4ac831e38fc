"""``river-envs score``: conclude again from what is recorded."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, print_json

if TYPE_CHECKING:
    from river_envs.catalog import Catalog
    from river_envs.scoring.sensitivity import Moved


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score")(score)


def score(
    catalog: CatalogOption = DEFAULT_CATALOG,
    only: Annotated[str | None, typer.Option(help="A condition on environments_view, or an id or name.")] = None,
    json: JsonOption = False,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="Show how the ranking moves under other realism weights and costs.")
    ] = False,
) -> None:
    """Compute findings, verdicts and scores again from the recorded attempts; no sandbox is needed."""
    from river_envs.catalog import open_catalog
    from river_envs.scoring.run import score_catalog

    opened = open_catalog(catalog)
    verdicts = score_catalog(opened, only)
    moved = _moved(opened) if sensitivity else ()
    if json:
        print_json({**verdicts, "sensitivity": [asdict(row) for row in moved]} if sensitivity else dict(verdicts))
        return
    from rich.console import Console

    from river_cli.summary import print_summary
    from river_envs.report.calibration import sensitivity_table

    print_summary(opened)
    if sensitivity:
        Console().print(sensitivity_table(moved))


def _moved(catalog: Catalog) -> tuple[Moved, ...]:
    from river_envs.scoring.model import model_of
    from river_envs.scoring.sensitivity import sensitivity

    return sensitivity(catalog.evidence(), model_of(catalog))
