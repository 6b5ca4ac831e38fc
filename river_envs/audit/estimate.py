"""What an audit would do: attempts and time, without a sandbox."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from river_envs.audit.options import EFFORTS, AuditOptions
from river_envs.audit.run import CHUNK, chosen, forgotten, to_forget, unfinished
from river_envs.environment import Environment
from river_envs.probes.base import NotApplicable, Result, Survey
from river_envs.probes.reference import FIRST
from river_envs.probes.registry import probes

if TYPE_CHECKING:
    from river_envs.catalog import Catalog

UNKNOWN_SEC = 0.6
"""Assumed for one attempt while the catalog holds none: a small pytest verifier and its sandbox."""


@dataclass(frozen=True)
class Estimate:
    """``attempts`` left per probe over ``environments`` that have something left to do; for these, ``recorded`` ones
    exist already.

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
        return sum(self.attempts.values())

    @property
    def seconds(self) -> float:
        """Expected wall time."""
        return self.remaining * self.seconds_per_attempt / self.jobs


def _left(
    environment: Environment, survey: Survey, known: Sequence[Result], options: AuditOptions
) -> dict[str, int]:
    """Attempts without a result for each probe that the effort may pay for; probes with none are left out.

    With ``again`` none counts as recorded, with ``retry`` those without a grade do not; a sandbox error never does.
    """
    kept = [result for result in known if not forgotten(result, options)]
    done = {result.attempt.id for result in kept}
    levels, effort = list(EFFORTS), options.effort
    left, spent = {}, 0
    for probe in probes():
        controls = probe.family in {"control", "reference"}
        beyond = spent >= EFFORTS[effort] or levels.index(probe.worth(environment)) > levels.index(effort)
        planned = NotApplicable("beyond the effort") if beyond and not controls else probe.plan(environment, survey)
        if isinstance(planned, NotApplicable):
            continue
        if probe.family == "reference":
            own = [r for r in kept if (r.attempt.probe, r.attempt.version) == (probe.id, probe.version)]
            left[probe.id] = max(FIRST - len(own), 0)
        else:
            left[probe.id] = sum(attempt.id not in done for attempt in planned)
        spent += 0 if controls else len(planned)
    return {name: count for name, count in left.items() if count}


def estimate(catalog: Catalog, options: AuditOptions) -> Estimate:
    """Plan every unfinished environment as if its image held nothing; what the image holds changes a few attempts."""
    ids = chosen(catalog, options.only)
    again = {result.attempt.environment_id for result in to_forget(catalog, ids, options)}
    targets = sorted({*unfinished(catalog, ids, options.effort), *again})
    counts: Counter[str] = Counter()
    recorded = 0
    for start in range(0, len(targets), CHUNK):
        chunk = targets[start : start + CHUNK]
        surveys, results = catalog.surveys(chunk), catalog.results(chunk)
        recorded += sum(len(found) for found in results.values())
        for environment in catalog.load(chunk):
            known = results.get(environment.id, ())
            counts.update(_left(environment, surveys.get(environment.id, Survey()), known, options))
    mean = catalog.sql("SELECT avg(seconds) AS mean FROM attempt WHERE status = 'graded'")["mean"].iloc[0]
    measured = bool(mean is not None and mean == mean)
    return Estimate(
        len(targets), dict(counts), recorded, float(mean) + 0.03 if measured else UNKNOWN_SEC, measured, options.workers
    )
