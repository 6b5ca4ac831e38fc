"""``river-envs score``: conclude again from what is recorded."""

from __future__ import annotations

from typing import Annotated

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score")(score)


def score(
    catalog: CatalogOption = DEFAULT_CATALOG,
    only: Annotated[str | None, typer.Option(help="A condition on environments_view, or an id or name.")] = None,
    json: JsonOption = False,
) -> None:
    """Compute findings, verdicts and scores again from the recorded attempts; no sandbox is needed."""
    from river_envs.catalog import open_catalog
    from river_envs.scoring.run import score_catalog

    opened = open_catalog(catalog)
    verdicts = score_catalog(opened, only)
    if json:
        print_json(dict(verdicts))
        return
    from river_cli.summary import print_summary

    print_summary(opened)
