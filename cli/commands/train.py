"""``river-envs train``: the RL stage."""

from __future__ import annotations

import typer

from river_envs.environment import RiverError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("train")(train)


def train() -> None:
    """Train on a subset with TRL (needs the extra ``train``)."""
    raise RiverError(
        "training is not part of this version; install `river-envs[train]` of a version that lists it in its changelog"
    )
