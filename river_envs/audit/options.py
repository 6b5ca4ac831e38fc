"""What a run of the audit may do, and what it says while it runs."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from river_envs.environment import RiverError
from river_envs.probes.base import Effort


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0))


MOST_JOBS: Final = 256
"""More attempts at once than any machine has cores for only lengthen each other."""

EFFORTS: Final[dict[Effort, int]] = {"quick": 8, "standard": 25, "deep": 80}
"""Attempts per environment, about: no probe after the controls is begun once so many were spent."""


@dataclass(frozen=True)
class AuditOptions:
    """``jobs`` attempts run at once (default: one per core; more only lengthen them). ``budget_sec`` stops starting new
    attempts after that many seconds. ``retry`` runs again what ended without a grade, ``again`` everything.

    ``network`` allows it to the environments that declare it. ``memory_mb`` and ``disk_mb`` cap what one attempt may
    use.
    """

    only: str | None = None
    effort: Effort = "standard"
    jobs: int = 0
    budget_sec: float | None = None
    pass_at: float = 1.0
    network: bool = False
    retry: bool = False
    again: bool = False
    memory_mb: int | None = None
    disk_mb: int = 1024
    tries: int = 3

    def __post_init__(self) -> None:
        """Refuse what cannot be meant. Raises RiverError."""
        if not math.isfinite(self.pass_at):
            raise RiverError(f"--pass-at={self.pass_at!r} is no reward; give a finite number such as 1.0")
        if not 0 <= self.jobs <= MOST_JOBS:
            raise RiverError(f"--jobs={self.jobs!r} is not between 0 (one per core) and {MOST_JOBS}")

    @property
    def workers(self) -> int:
        """How many attempts run at once."""
        return self.jobs or cores()


@dataclass(frozen=True)
class Progress:
    """A moment of a run, for whoever shows it. ``current`` is the environment that was finished last."""

    environments: int
    finished: int
    attempts: int
    errors: int
    seconds: float
    current: str = ""


@dataclass(frozen=True)
class AuditReport:
    """How a run ended. ``interrupted`` says why it stopped early ("" when it did not)."""

    run_id: str
    environments: int
    finished: int
    attempts: int
    errors: int
    seconds: float
    interrupted: str = ""


Show = Callable[[Progress], None]
