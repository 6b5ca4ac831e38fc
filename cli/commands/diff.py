"""``river-envs diff``: what differs between two subsets, or between two audits."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_cli.options import CatalogOption, JsonOption, print_json

if TYPE_CHECKING:
    from river_envs.exports.difference import Difference
    from river_envs.exports.subsets import Subset


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("diff")(diff_command)


def diff_command(
    first: Annotated[str, typer.Argument(help="A subset's directory or id, or a catalog.")],
    second: Annotated[str, typer.Argument(help="The other one.")],
    threshold: Annotated[float, typer.Option("--threshold", help="Least change of quality and P(sound) shown.")] = 0.05,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit status 1 where something differs.")] = False,
    limit: Annotated[int, typer.Option("--limit", help="Rows of each table; 0 means all.")] = 20,
    catalog: CatalogOption = Path("river.duckdb"),
    json: JsonOption = False,
) -> None:
    """Compare two subsets, or two audits: what only one of them keeps and why, changed verdicts, causes and scores."""
    from river_envs.exports.difference import difference

    found = difference(_read(first, catalog), _read(second, catalog), threshold)
    if json:
        print_json({**asdict(found), "same": found.same})
    else:
        _print(found, limit or None)
    if exit_code and not found.same:
        raise typer.Exit(1)


def _read(text: str, catalog: Path) -> Subset:
    from river_envs.catalog import open_catalog
    from river_envs.exports.audits import judged
    from river_envs.exports.subsets import is_subset, read_subset, recorded_subset

    path = Path(text)
    if path.is_file():
        return judged(open_catalog(path))
    if path.is_dir() or is_subset(path):
        return read_subset(path)
    return recorded_subset(open_catalog(catalog), text)


def _print(found: Difference, limit: int | None) -> None:
    from rich.console import Console
    from rich.table import Table

    from river_envs.report.text import one_line

    console = Console()
    say: Any = lambda text: console.print(text, highlight=False, markup=False, soft_wrap=True)  # noqa: E731
    say(f"A {one_line(found.first)}: {found.kept[0]:,} kept")
    say(f"B {one_line(found.second)}: {found.kept[1]:,} kept, {found.both:,} of them in A too")
    if found.distance is not None:
        say(f"distance between their domains: {found.distance:.3f}")
    alone = (("kept in A only", "in B", found.only_first), ("kept in B only", "in A", found.only_second))
    for title, other, rows in alone:
        if rows:
            table = Table("id", "name", other, title=f"{title} ({len(rows):,})", title_justify="left")
            for member, there in rows[:limit]:
                table.add_row(member.id, one_line(member.name), one_line(there.reason) if there else "not there")
            console.print(table)
    if found.changes:
        table = Table("id", "name", "what", "A", "B", title=f"judged otherwise ({len(found.changes):,})",
                      title_justify="left")  # fmt: skip
        for change in found.changes[:limit]:
            table.add_row(change.id, one_line(change.name), change.what, change.before, change.after)
        console.print(table)
    if found.same:
        say("no difference")
