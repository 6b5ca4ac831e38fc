"""What the commands that run attempts share: opening a backend, watching progress, reading a length of time."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_envs.environment import RiverError

if TYPE_CHECKING:
    from river_envs.audit.options import AuditOptions, AuditReport
    from river_envs.catalog import Catalog

BackendOption = Annotated[
    str, typer.Option("--backend", help="bubblewrap, docker, or auto: the first that works here.")
]


class Effort(StrEnum):
    """How many attempts an environment is worth."""

    QUICK = "quick"
    STANDARD = "standard"
    DEEP = "deep"


EffortOption = Annotated[Effort, typer.Option("--effort", help="About 8, 25 or 80 attempts for each environment.")]
NetworkOption = Annotated[
    bool, typer.Option("--network", help="Allow a network to attempts on environments that declare one.")
]


def seconds(text: str) -> float:
    """Seconds from 90, 90s, 30m or 2h. Raises RiverError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text.strip())
    if not match:
        raise RiverError(f"--budget={text!r} is no length of time; write it like 90s, 30m or 2h")
    return float(match.group(1)) * {"": 1, "s": 1, "m": 60, "h": 3600}[match.group(2)]


@contextmanager
def workshop(backend: str, aliases: dict[str, str] | None = None) -> Iterator[tuple[Any, Any]]:
    """An open backend and the factory of its grading; closed at the end."""
    from river_envs.audit.grading import grading
    from river_envs.images.options import default_build_options
    from river_envs.sandbox import open_backend

    opened = open_backend(backend, default_build_options(aliases=aliases or {}))
    try:
        yield opened, grading
    finally:
        opened.close()


def watched(
    catalog: Catalog, options: AuditOptions, backend: str, command: str, *, aliases: dict[str, str] | None = None
) -> AuditReport:
    """Run the audit with a live line of progress on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    from river_envs.audit.options import Progress
    from river_envs.audit.run import Run

    columns = (
        TextColumn("[bold]audit"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with workshop(backend, aliases) as (opened, grading):
        console = Console(stderr=True)
        if not console.is_terminal:
            lines = _Lines()
            return Run(catalog, opened, options, grading, lines, command)()
        with Bars(*columns, console=console, transient=True) as bars:
            task = bars.add_task("audit", total=None, rate="")

            def show(progress: Progress) -> None:
                rate = f"{progress.attempts / max(progress.seconds, 0.001):.1f} attempts/s"
                bars.update(task, total=progress.environments, completed=progress.finished, rate=rate)

            return Run(catalog, opened, options, grading, show, command)()


class _Lines:
    """Progress for a log file: a line every few seconds."""

    def __init__(self, every_sec: float = 10.0) -> None:
        self.every_sec = every_sec
        self.last = 0.0

    def __call__(self, progress: Any) -> None:
        if progress.seconds - self.last >= self.every_sec:
            self.last = progress.seconds
            rate = progress.attempts / max(progress.seconds, 0.001)
            left = (progress.environments - progress.finished) * progress.seconds / max(progress.finished, 1)
            print(
                f"audit: {progress.finished}/{progress.environments} environments, {progress.attempts} attempts"
                f" ({rate:.1f}/s), about {left:.0f} s left",
                file=sys.stderr,
            )
