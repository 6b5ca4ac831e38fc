"""``river-envs export``: a subset in the form that another tool reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from river_cli.options import CatalogOption, JsonOption, note, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export")(export_command)


def export_command(
    form: Annotated[str, typer.Option("--as", help="harbor, hf, open-instruct, or ids.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The directory to write to.")],
    subset: Annotated[str | None, typer.Argument(help="A subset's directory or id; the latest by default.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier export in the directory.")] = False,
    catalog: CatalogOption = Path("river.duckdb"),
    json: JsonOption = False,
) -> None:
    """Write the kept environments of a subset as a Harbor dataset, a Hugging Face dataset, open-instruct's, or ids.

    What a form cannot hold is named with a reason and counted.
    """
    from river_cli.progress import stages
    from river_envs.catalog import open_catalog
    from river_envs.exports.forms import export_subset
    from river_envs.exports.subsets import is_subset, read_subset, recorded_subset
    from river_envs.report.text import one_line

    opened = open_catalog(catalog)
    folder = Path(subset) if subset else None
    found = read_subset(folder) if folder and is_subset(folder) else recorded_subset(opened, subset)
    with stages(json) as report:
        done = export_subset(
            opened, found, form, output, force=force,  # type: ignore[arg-type]  # a form that does not exist is refused
            progress=lambda written, total: report("environments", written, total),
        )
    if json:
        names = ("id", "name", "reason")
        print_json({
            "form": done.form, "written": done.written, "output": str(output),
            "left_out": [dict(zip(names, row, strict=True)) for row in done.left_out],
        })  # fmt: skip
        return
    note(f"{done.written:,} environments written to {output} as {done.form}")
    for _, name, reason in done.left_out[:20]:
        note(f"left out: {one_line(name)}: {one_line(reason)}")
    if done.left_out:
        note(f"{len(done.left_out):,} left out in all; export.json lists them")
