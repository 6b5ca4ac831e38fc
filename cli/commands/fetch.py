"""``river-envs fetch``: download a public corpus, pinned to one commit."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from river_cli.options import JsonOption, note, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("fetch")(fetch_command)


def fetch_command(
    name: Annotated[str | None, typer.Argument(help="tmax-15k, or another of --list, or OWNER/NAME.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The directory; by default corpora/NAME.")
    ] = None,
    revision: Annotated[
        str | None, typer.Option("--revision", help="A commit; by default the one fetched before, or the current one.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show the known corpora and stop.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Ask for commit and licence, download nothing.")] = False,
    json: JsonOption = False,
) -> None:
    """Download a public corpus from the Hugging Face hub, resumable, pinned by commit in fetched.json."""
    from river_envs.environment import RiverError
    from river_envs.formats.public import CORPORA, corpus, fetch, plan

    if listed:
        if json:
            print_json([asdict(one) for one in CORPORA])
            return
        for one in CORPORA:
            print(f"{one.name:<24} {one.repository:<32} {one.about}")
        return
    if name is None:
        raise RiverError("Say which corpus, for example: river-envs fetch tmax-15k; --list shows them.")
    wanted = corpus(name)
    folder = output or Path("corpora") / wanted.name
    planned = plan(wanted, folder, revision)
    note(f"{planned.repository} at {planned.revision[:12]}, licence: {planned.licence}")
    if not dry_run:
        fetch(wanted, planned, folder)
        note(f"fetched into {folder}; go on with: river-envs ingest {folder}")
    if json:
        print_json({**asdict(planned), "downloaded": not dry_run})
