"""Audit one environment: put every probe to its verifier, controls first, and record each step as it is done.

What was recorded before is not done again: the plan is a pure function of the environment and its survey, so that a
run killed at any moment is taken up by planning anew and leaving out the attempts that have a result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from river_envs.audit.attempt import Grade, Workplace, run_attempt
from river_envs.audit.options import EFFORTS, AuditOptions
from river_envs.audit.survey import survey as look
from river_envs.catalog.records import ImageRecord, PlanRecord, PlanStatus, SurveyRecord
from river_envs.environment import Environment
from river_envs.outcome import RETRIED, Outcome, Status
from river_envs.probes.base import (
    PLAIN,
    RANKING,
    Attempt,
    Background,
    Finding,
    NotApplicable,
    Probe,
    Result,
    Solve,
    Step,
    Survey,
)
from river_envs.probes.registry import probes
from river_envs.sandbox.base import Backend, BuildFailed, Delta, Image, SandboxError

RESERVE = 10
"""Attempts beyond the effort's that are kept for probes that something in this environment points to."""

Record = Result | PlanRecord | SurveyRecord | ImageRecord


class Sink(Protocol):
    """Where records go as they are made: the spool of one worker."""

    def append(self, record: Record, *, delta: Delta | None = None) -> None:
        """Keep one record, with the delta that it names; both are safe once this returns."""
        ...


class Stopped(Exception):
    """The run was asked to stop; raised between attempts."""


@dataclass(frozen=True)
class History:
    """What is recorded of one environment from earlier runs."""

    results: Mapping[str, Result] = field(default_factory=dict)
    survey: Survey | None = None
    deltas: Callable[[str], Delta] | None = None


@dataclass
class EnvironmentAudit:
    """One environment on one backend. ``check`` raises Stopped when no new attempt may start; ``counted`` hears of
    each attempt.
    """

    environment: Environment
    history: History
    backend: Backend
    sink: Sink
    options: AuditOptions
    grade: Callable[[Image], Grade]
    check: Callable[[], None]
    counted: Callable[[Result], None]
    results: dict[str, list[Result]] = field(default_factory=dict)
    image: Image | None = None
    solved: Delta | None = None
    left: Delta | None = None
    failure: Outcome | None = None
    blameless: bool = True
    decided: str = ""

    def run(self) -> None:
        """Build, look, probe. Raises Stopped when the run ends first; everything done until then is recorded."""
        self.check()
        self._build()
        seen = self._survey()
        for probe in probes():
            reason = self.decided or self._why_not(probe)
            if reason:
                self._note(probe, "not-run", reason)
                continue
            if self._beyond(probe):
                self._note(probe, "left-out", f"beyond effort {self.options.effort}")
                continue
            known = replace(seen, reference=self.solved, in_place=self.background.in_place)
            planned = probe.plan(self.environment, known)
            if isinstance(planned, NotApplicable):
                self._note(probe, "not-applicable", planned.reason)
                continue
            results = self._carry_out(probe, planned)
            self._note(probe, "planned", "")
            findings = probe.judge(self.environment, results, self.background).findings
            accusing = any(finding.trigger in RANKING for finding in findings)
            if accusing and not self._reference_may_tell(probe, findings):
                self.decided = f"{probe.id} decided: the verdict cannot change"

    def _build(self) -> None:
        began = time.monotonic()
        recipe, limits = self.environment.image, self.environment.limits
        record = ImageRecord(self.environment.id, "built", self.backend.name)
        try:
            self.image = self.backend.build(recipe, timeout_sec=limits.build_timeout_sec)
            record = replace(record, key=self.image.key, bases=self.image.bases, notes=self.image.notes)
        except BuildFailed as error:
            self.failure, self.blameless = (
                Outcome(Status.BUILD_FAILED, log=error.log[-65536:], detail=str(error)),
                error.blameless,
            )
            record = replace(record, status="build-failed", log=(error.log or str(error))[-65536:], notes=(str(error),))
        except SandboxError as error:
            self.failure = Outcome(Status.SANDBOX_ERROR, detail=str(error))
            record = replace(record, status="sandbox-error", notes=(str(error),))
        self.sink.append(replace(record, seconds=time.monotonic() - began))

    def _survey(self) -> Survey:
        if self.history.survey is not None or self.image is None:
            return self.history.survey or Survey()
        try:
            with self._place.backend.start(self._place.image, limits=self._place.limits(self.environment)) as sandbox:
                seen = look(sandbox, self.environment)
        except SandboxError as error:
            self.failure = Outcome(Status.SANDBOX_ERROR, detail=str(error))
            return Survey()
        self.sink.append(SurveyRecord(self.environment.id, seen))
        return seen

    @property
    def _place(self) -> Workplace:
        if self.image is None:
            raise SandboxError("the image was not built")
        allowed = self.options.network and self.environment.network != "none"
        return Workplace(
            self.backend, self.image, self.grade(self.image), allowed, self.options.memory_mb, self.options.disk_mb
        )

    @property
    def background(self) -> Background:
        """What the controls have shown so far."""
        bases = self.image.bases if self.image else ()
        untouched, reference = self.results.get("untouched", ()), self.results.get("reference", ())
        plain = tuple(result for result in reference if result.attempt.arm in PLAIN)
        return Background(tuple(untouched), plain, bases, self.left)

    def _why_not(self, probe: Probe) -> str:
        """Why a probe cannot change the verdict any more, or "" when it can."""
        if probe.family == "control":
            return ""
        background = self.background
        if self.failure is not None:
            return "there is no image to probe"
        if any(result.passed for result in background.untouched):
            return "the untouched image is rewarded: the verdict cannot change"
        if probe.family == "reference":
            return ""
        if not background.zero:
            return "the untouched image was not graded"
        if background.reference and not all(result.passed for result in background.reference if result.in_place):
            return "the reference does not pass: the verdict cannot change"
        return ""

    def _reference_may_tell(self, probe: Probe, findings: Sequence[Finding]) -> bool:
        """Whether a control without a reward is still to be read against the reference: a verifier that is slow, dies
        or writes nothing only where no work was done may well judge work.
        """
        broken = all(finding.claim == "broken" for finding in findings)
        return broken and probe.family == "control" and self.environment.reference is not None

    def _beyond(self, probe: Probe) -> bool:
        """Whether the chosen effort does not pay for this probe."""
        if probe.family in {"control", "reference"}:
            return False
        levels = list(EFFORTS)
        spent = sum(len(results) for name, results in self.results.items() if name not in {"untouched", "reference"})
        worth, effort = probe.worth(self.environment), self.options.effort
        paid = EFFORTS[effort] + (RESERVE if worth != probe.effort else 0)
        return levels.index(worth) > levels.index(effort) or spent >= paid

    def _carry_out(self, probe: Probe, planned: Sequence[Attempt]) -> list[Result]:
        results = self.results.setdefault(probe.id, [])
        while planned:
            for attempt in planned:
                results.append(self._result(attempt))
                if probe.enough(results):
                    return results
            seen = {result.attempt.id for result in results}
            planned = [a for a in probe.more(self.environment, results, self.background) if a.id not in seen]
        return results

    def _result(self, attempt: Attempt) -> Result:
        known = self.history.results.get(attempt.id)
        if known is not None:
            missing = (self.solved if known.passed else self.left) is None
            if known.delta and missing and self.history.deltas:
                self._keep(known, self.history.deltas(known.delta))
            return known
        result, delta = self._run(attempt)
        self.sink.append(result, delta=delta)
        self._keep(result, delta)
        self.counted(result)
        return result

    def _keep(self, result: Result, delta: Delta | None) -> None:
        """Keep the first delta that the reference left and that passed, and the first that was graded and did not."""
        if result.attempt.actions != (Solve(),):
            return
        if result.passed:
            self.solved = self.solved or delta
        elif result.graded:
            self.left = self.left or delta

    def _run(self, attempt: Attempt) -> tuple[Result, Delta | None]:
        """One attempt, tried again where the sandbox itself failed."""
        for left in reversed(range(self.options.tries)):
            self.check()
            if self.failure is not None:
                receipt = (Step({"build": self.environment.image.digest, "blameless": self.blameless}, False),)
                return Result(attempt, self.failure, receipt), None
            result, delta = run_attempt(self._place, self.environment, attempt, self.solved or self.left)
            if result.outcome.status not in RETRIED or not left:
                return result, delta
            time.sleep(0.2)
        raise AssertionError("unreachable: the last try returns")

    def _note(self, probe: Probe, status: PlanStatus, reason: str) -> None:
        self.sink.append(PlanRecord(self.environment.id, probe.id, probe.version, status, reason))
