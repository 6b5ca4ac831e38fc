"""What a run of the audit may do, and what it says while it runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from river_envs.probes.base import Effort


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0))


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
