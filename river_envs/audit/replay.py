"""Replay a finding: run the attempts that prove it again, each in a fresh sandbox, and say whether they say the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from river_envs.audit.attempt import Grade, Workplace, run_attempt
from river_envs.audit.options import AuditOptions
from river_envs.environment import Environment, RiverError
from river_envs.outcome import Outcome, Status
from river_envs.probes.base import Finding, Restore, Result, Solve
from river_envs.sandbox.base import Backend, BuildFailed, Delta, Image

_TELLING = frozenset({Status.GRADED, Status.VERIFIER_TIMEOUT})
"""Beside a pass, running out of time is a disagreement; any other lack of a grade is none."""


@dataclass(frozen=True)
class Replayed:
    """One attempt, then and now."""

    recorded: Result
    outcome: Outcome
    effective: bool = True

    @property
    def same(self) -> bool:
        """Whether the verifier said the same again."""
        return (self.outcome.status, self.outcome.passed) == (
            self.recorded.outcome.status,
            self.recorded.outcome.passed,
        )


@dataclass(frozen=True)
class Replay:
    """A finding and its attempts run again. ``power`` is the chance that as many gradings would show a disagreement
    at the
    recorded pass rate (for ``unstable`` findings; 1.0 otherwise)."""

    finding: Finding
    runs: tuple[Replayed, ...]

    @property
    def reproduced(self) -> bool:
        """Whether the finding holds again: the same word on each attempt, or, for instability, passed among them and
        another word (refused, out of time).
        """
        if self.finding.claim == "unstable":
            words = {(run.outcome.passed, run.effective) for run in self.runs if run.outcome.status in _TELLING}
            return len(words) > 1 and any(run.outcome.passed and run.effective for run in self.runs)
        return all(run.same for run in self.runs)

    @property
    def power(self) -> float:
        """See the class docstring: 1 − rᴺ − (1−r)ᴺ."""
        if self.finding.claim != "unstable":
            return 1.0
        told = [run.recorded for run in self.runs if run.recorded.outcome.status in _TELLING]
        graded = [result.paid for result in told]
        rate = sum(graded) / len(graded) if graded else 0.0
        return 1 - rate ** len(graded) - (1 - rate) ** len(graded)


def replay(
    finding: Finding,
    environment: Environment,
    recorded: Sequence[Result],
    backend: Backend,
    options: AuditOptions,
    grade: Callable[[Image, Environment], Grade],
    delta: Callable[[str], Delta],
) -> Replay:
    """Run the attempts of ``finding`` again. Raises RiverError when the catalog does not hold them, or when they
    compare gradings with and without a network and none is allowed.
    """
    wanted = _proof(finding, recorded)
    if finding.cause == "network-dependent" and not options.network:
        raise RiverError(f"finding {finding.id} compares a state with and without a network: replay it with --network")
    try:
        image = backend.build(environment.image, timeout_sec=environment.limits.build_timeout_sec)
    except BuildFailed as error:
        failed = Outcome(Status.BUILD_FAILED, detail=str(error), log=error.log)
        return Replay(finding, tuple(Replayed(result, failed) for result in wanted))
    allowed = options.network and environment.network != "none"
    place = Workplace(backend, image, grade(image, environment), allowed, options.memory_mb, options.disk_mb)
    start = _start(recorded, delta)
    runs = []
    for result in wanted:
        again, _ = run_attempt(place, environment, result.attempt, start if _restores(result) else None)
        runs.append(Replayed(result, again.outcome, again.effective))
    return Replay(finding, tuple(runs))


def as_script(
    finding: Finding, environment: Environment, recorded: Sequence[Result], delta: Callable[[str], Delta]
) -> str:
    """The proof as a shell script that needs only Docker. Raises RiverError when attempts are gone."""
    from river_envs.audit.script import replay_script

    return replay_script(finding, environment, _proof(finding, recorded), _start(recorded, delta))


def _proof(finding: Finding, recorded: Sequence[Result]) -> list[Result]:
    by_id = {result.attempt.id: result for result in recorded}
    missing = [identifier for identifier in finding.attempts if identifier not in by_id]
    if missing:
        raise RiverError(f"finding {finding.id} rests on attempts that are gone: {', '.join(missing)}; audit again")
    return [by_id[identifier] for identifier in finding.attempts]


def _restores(result: Result) -> bool:
    return any(isinstance(action, Restore) for action in result.attempt.actions)


def _start(recorded: Sequence[Result], delta: Callable[[str], Delta]) -> Delta | None:
    """The delta that restoring attempts began with: of the first passing run of the reference, of the first refused one
    where none passed.
    """
    ordered = sorted(recorded, key=lambda result: result.attempt.repeat)
    solved = [r for r in ordered if r.delta and r.graded and r.attempt.actions == (Solve(),)]
    first = next((result for result in solved if result.passed), solved[0] if solved else None)
    return delta(first.delta) if first is not None and first.delta else None
