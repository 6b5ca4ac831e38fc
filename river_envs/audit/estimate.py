"""What an audit would do: attempts and time, without a sandbox."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from river_envs.audit.options import AuditOptions
from river_envs.audit.run import CHUNK, chosen, unfinished
from river_envs.probes.base import NotApplicable, Survey
from river_envs.probes.reference import FIRST
from river_envs.probes.registry import probes

if TYPE_CHECKING:
    from river_envs.catalog import Catalog

UNKNOWN_SEC = 0.6
"""Assumed for one attempt while the catalog holds none: a small pytest verifier and its sandbox."""


@dataclass(frozen=True)
class Estimate:
    """``attempts`` per probe over ``environments`` that have something left to do; ``recorded`` of them exist already.

    ``seconds`` assumes ``seconds_per_attempt`` (measured on this catalog when ``measured``) and leaves image builds
    out.
    """

    environments: int
    attempts: dict[str, int]
    recorded: int
    seconds_per_attempt: float
    measured: bool
    jobs: int

    @property
    def remaining(self) -> int:
        """Attempts still to run."""
        return max(sum(self.attempts.values()) - self.recorded, 0)

    @property
    def seconds(self) -> float:
        """Expected wall time."""
        return self.remaining * self.seconds_per_attempt / self.jobs


def estimate(catalog: Catalog, options: AuditOptions) -> Estimate:
    """Plan every unfinished environment as if its image held nothing; what the image holds changes a few attempts."""
    targets = unfinished(catalog, chosen(catalog, options.only), options.effort)
    counts: Counter[str] = Counter()
    recorded = 0
    for start in range(0, len(targets), CHUNK):
        chunk = targets[start : start + CHUNK]
        surveys, results = catalog.surveys(chunk), catalog.results(chunk)
        recorded += sum(len(found) for found in results.values())
        for environment in catalog.load(chunk):
            for probe in probes():
                planned = probe.plan(environment, surveys.get(environment.id, Survey()))
                if not isinstance(planned, NotApplicable):
                    counts[probe.id] += FIRST if probe.family == "reference" else len(planned)
    mean = catalog.sql("SELECT avg(seconds) AS mean FROM attempt WHERE status = 'graded'")["mean"].iloc[0]
    measured = bool(mean is not None and mean == mean)
    return Estimate(
        len(targets), dict(counts), recorded, float(mean) + 0.03 if measured else UNKNOWN_SEC, measured, options.workers
    )
