"""``river-envs probes``: which questions are put to a verifier, and what each can show."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated

import typer

from river_cli.options import JsonOption, note, print_json
from river_envs.environment import RiverError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("probes")(probes)


def probes(
    identifier: Annotated[str | None, typer.Argument(metavar="[ID]", help="Explain this probe.")] = None,
    docs: Annotated[
        Path | None, typer.Option("--docs", metavar="DIR", help="Write the reference into this folder, in Markdown.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the probes, explain one, or write the whole reference as Markdown pages."""
    from river_envs.probes import registry
    from river_envs.probes.documentation import causes

    if docs is not None:
        _write(docs)
        return
    chosen = [registry.probe(identifier)] if identifier else list(registry.probes())
    rows = [
        {
            "id": probe.id,
            "name": probe.name,
            "family": probe.family,
            "trigger": probe.trigger,
            "version": probe.version,
            "effort": probe.effort,
            "order": probe.order,
            "causes": causes(probe),
            "documentation": inspect.cleandoc(probe.__doc__ or ""),
        }
        for probe in chosen
    ]
    if json:
        print_json(rows)
    elif identifier:
        row = rows[0]
        print(f"{row['id']}: {row['name']} ({row['family']}, {row['trigger']}, version {row['version']})")
        print(f"\n{row['documentation']}")
    else:
        from rich.console import Console
        from rich.table import Table

        table = Table("id", "name", "family", "trigger", "version")
        for row in rows:
            table.add_row(*(str(row[key]) for key in ("id", "name", "family", "trigger", "version")))
        Console().print(table)


def _write(folder: Path) -> None:
    """One page per probe and the index; a page that no probe stands behind any more is named, not removed."""
    from river_envs.probes.documentation import pages
    from river_envs.probes.registry import probes

    made = pages(probes())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in made.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise RiverError(f"--docs={str(folder)!r} cannot be written: {error.strerror}; name another folder") from error
    note(f"wrote {len(made)} pages into {folder}")
    for path in sorted(folder.glob("*.md")):
        if path.name not in made:
            note(f"no probe stands behind {path}: remove it")
