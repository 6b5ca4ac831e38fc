"""``river-envs mark``: a person's word on an environment, kept beside the machine's."""

from __future__ import annotations

from typing import Annotated

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, print_json
from river_envs.environment import RiverError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mark")(mark)


def mark(
    environment: Annotated[str, typer.Argument(help="An id, the beginning of one, a name, or its last part.")],
    sound: Annotated[bool, typer.Option("--sound", help="You looked: it pays an honest reward.")] = False,
    exclude: Annotated[bool, typer.Option("--exclude", help="Never keep it.")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Take the standing mark back.")] = False,
    note: Annotated[str, typer.Option(help="Why, for everyone who reads the catalog.")] = "",
    who: Annotated[str | None, typer.Option(help="Who says so (default: the user's name).")] = None,
    catalog: CatalogOption = DEFAULT_CATALOG,
    json: JsonOption = False,
) -> None:
    """Overrule the machine, visibly: the mark is kept and shown everywhere, and never counts as detection."""
    from river_envs.catalog import open_catalog
    from river_envs.catalog.records import MarkKind
    from river_envs.report.text import one_line

    if sound + exclude + clear != 1:
        raise RiverError("give one of --sound, --exclude or --clear")
    kind: MarkKind | None = "sound" if sound else "exclude" if exclude else None
    opened = open_catalog(catalog)
    id = opened.find(environment)
    with opened.writer() as writer:
        writer.add_mark(id, kind, note, who)
    if json:
        print_json({"id": id, "mark": kind, "note": note})
    else:
        said = f"marked {kind}" if kind else "no longer marked"
        print(f"{id} is {said}{': ' + one_line(note) if note else ''}")
