"""``river-envs catalog``: look after the catalog file itself."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, note, print_json

commands = typer.Typer(no_args_is_help=True, help="Look after the catalog file: info, merge, vacuum.")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(commands, name="catalog")


@commands.command("info")
def info(catalog: CatalogOption = DEFAULT_CATALOG, json: JsonOption = False) -> None:
    """Say what the catalog holds: rows per table, verdicts, size, schema version, content hash."""
    from river_envs.catalog import open_catalog, upkeep
    from river_envs.report.text import visible

    found = upkeep.info(open_catalog(catalog))
    if json:
        print_json(asdict(found))
        return
    print(f"{visible(found.path)}: {found.size / 1e6:.1f} MB, schema version {found.schema_version}")
    print(f"content hash {found.content_hash}")
    for name, count in found.rows.items():
        print(f"  {name:<18}{count:>10,}")
    for verdict, count in found.verdicts.items():
        print(f"  verdict {verdict:<10}{count:>10,}")
    if found.spooled:
        print(f"  {found.spooled} spool files wait to be absorbed; river-envs audit or score does it")


@commands.command("merge")
def merge(
    first: Annotated[Path, typer.Argument(help="The catalog that grows.")],
    second: Annotated[Path, typer.Argument(help="The catalog that is taken in; it stays as it is.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a new one; leave FIRST alone.")] = None,
    json: JsonOption = False,
) -> None:
    """Join two catalogs. Equal ids unite, marks stay, and what gained attempts is to be scored again."""
    from river_envs.catalog.merge import merge as join

    merged = join(first, second, output)
    if json:
        print_json({**asdict(merged), "catalog": str(output or first)})
        return
    print(f"{output or first}: {merged.environments:,} environments and {merged.attempts:,} attempts were new")
    if merged.unscored:
        again = f"river-envs score -c {output or first}"
        note(f"{merged.unscored:,} environments gained attempts; conclude again with: {again}")


@commands.command("vacuum")
def vacuum(catalog: CatalogOption = DEFAULT_CATALOG, json: JsonOption = False) -> None:
    """Bring the catalog up to date, drop contents that nothing refers to, and write it anew without gaps."""
    from river_envs.catalog import upkeep

    before, after = upkeep.vacuum(catalog)
    if json:
        print_json({"before": before, "after": after})
    else:
        print(f"{catalog}: {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB after")
