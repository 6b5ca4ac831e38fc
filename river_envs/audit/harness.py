"""Holes of the harness: found once for each image and way of starting the tests, with the proof that hardening closes
them.

Environments share a hole when they stand on the same bases and start their tests with the same script. One of each such
group is put to the isolation probes; then its hardened form is put to those that paid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from river_envs.audit.attempt import Grade, Workplace, run_attempt
from river_envs.audit.hardening import harden_tests, look
from river_envs.audit.options import AuditOptions
from river_envs.environment import Environment, RiverError, digest
from river_envs.formats.writer import harbor_tests
from river_envs.probes.base import (
    Action,
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Restore,
    Result,
    Solve,
    Survey,
)
from river_envs.probes.registry import probes
from river_envs.sandbox.base import Backend, BuildFailed, Delta, Image, SandboxError

Grading = Callable[[Image, Environment], Grade]
CANDIDATES = 3
"""Environments of a group that are tried until one has a control that scores 0."""


@dataclass(frozen=True)
class Hole:
    """One isolation probe on one group. ``closed`` says whether hardening closes an open hole (None: not tried)."""

    probe: str
    status: str
    reason: str = ""
    closed: bool | None = None

    @property
    def open(self) -> bool:
        """Whether the tamper was rewarded."""
        return self.status == ProbeStatus.HIT


@dataclass(frozen=True)
class Group:
    """Environments that share bases and test script."""

    bases: tuple[str, ...]
    script: str
    environments: tuple[Environment, ...]


@dataclass(frozen=True)
class HarnessReport:
    """What was found for one group, on ``representative``.

    ``hardened`` is the script that closes what can be closed; ``reference`` tells whether the reference passes below
    it (None where there is none). ``problem`` says why a group could not be asked.
    """

    group: Group
    representative: str = ""
    holes: tuple[Hole, ...] = ()
    hardened: str = ""
    kill: bool = True
    reference: bool | None = None
    problem: str = ""


def groups(environments: Iterable[Environment]) -> list[Group]:
    """The environments that can be run, by bases and normalised test script; largest group first."""
    found: dict[tuple[tuple[str, ...], str], list[Environment]] = {}
    for environment in environments:
        if not environment.unsupported:
            found.setdefault((bases(environment), script_digest(environment)), []).append(environment)
    made = [Group(key[0], key[1], tuple(members)) for key, members in found.items()]
    return sorted(made, key=lambda group: (-len(group.environments), group.bases, group.script))


def bases(environment: Environment) -> tuple[str, ...]:
    """The bases that the recipe names."""
    recipe = environment.image
    named = re.findall(r"^\s*(?:FROM\s+(?:--\S+\s+)*|From:\s*)(\S+)", recipe.text, re.MULTILINE | re.IGNORECASE)
    return tuple(dict.fromkeys(named)) or (recipe.docker_image or "",)


def script_digest(environment: Environment) -> str:
    """A digest of how the tests are started: the script without comments, white space and names of test files."""
    verifier = environment.verifier
    files = harbor_tests(environment)
    entry = verifier.entry if verifier.protocol == "harbor" else "test.sh"
    text = next((file.content for file in files if file.path == entry), b"").decode("utf-8", "replace")
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines())
    kept = [re.sub(r"[\w./-]*\btest_\w+\.py\b", "TEST", line) for line in lines if line and not line.startswith("#")]
    return digest(verifier.protocol, kept)[:12]


@dataclass
class HarnessAudit:
    """Asks one group after the other on one backend."""

    backend: Backend
    options: AuditOptions
    grade: Grading
    reports: list[HarnessReport] = field(default_factory=list)

    def ask(self, group: Group) -> HarnessReport:
        """Put the isolation probes to the first environment of the group whose control scores 0."""
        problem = ""
        ranked = sorted(group.environments, key=lambda environment: environment.reference is None)
        for environment in ranked[:CANDIDATES]:
            try:
                report = self._ask(group, environment)
            except (BuildFailed, SandboxError) as error:
                report = HarnessReport(group, environment.name, problem=str(error))
            if not report.problem:
                return report
            problem = problem or report.problem
        return HarnessReport(group, problem=problem)

    def _ask(self, group: Group, environment: Environment) -> HarnessReport:
        place = self.place(environment)
        background = Background((self._run(place, environment, _control(environment)),), (), place.image.bases)
        if not background.zero:
            outcome = background.untouched[0].outcome
            return HarnessReport(group, environment.name, problem=f"the control did not score 0: {outcome.status}")
        judged = {probe: self._judge(place, environment, probe, background) for probe in isolation()}
        holes = [Hole(probe.id, str(found.status), found.reason) for probe, found in judged.items()]
        report = HarnessReport(group, environment.name, tuple(holes))
        if not any(hole.open for hole in holes):
            return report
        return self._hardened(report, place, environment)

    def _hardened(self, report: HarnessReport, place: Workplace, environment: Environment) -> HarnessReport:
        """Run the open holes again below the hardened script, which the reference must still pass."""
        try:
            hardened, kill, passes = self.harden(place, environment)
        except RiverError as error:
            return HarnessReport(report.group, report.representative, report.holes, problem=str(error))
        script = next(file for file in hardened.verifier.files if file.path == hardened.verifier.entry)
        again = self.place(hardened)
        control = Background((self._run(again, hardened, _control(hardened)),), (), again.image.bases)
        holes = []
        for probe, hole in zip(isolation(), report.holes, strict=True):
            closed = None
            if hole.open and control.zero:
                found = self._judge(again, hardened, probe, control)
                closed = found.status is ProbeStatus.SURVIVED
            holes.append(Hole(hole.probe, hole.status, hole.reason, closed))
        text = script.content.decode("utf-8", "replace")
        return HarnessReport(report.group, report.representative, tuple(holes), text, kill, passes)

    def harden(self, place: Workplace, environment: Environment) -> tuple[Environment, bool, bool | None]:
        """The hardened environment, whether it ends the agent's processes, and whether the reference passes (None where
        there is no reference that passes plainly). Processes are left alone where the reference needs its own.
        """
        with place.backend.start(place.image, limits=place.limits(environment)) as sandbox:
            tools = look(sandbox, environment)
        if environment.reference is None or not self._run(place, environment, solving(environment)).passed:
            return harden_tests(environment, tools), True, None
        for kill in (True, False):
            hardened = harden_tests(environment, tools, kill=kill)
            if self._run(self.place(hardened), hardened, solving(hardened)).passed:
                return hardened, kill, True
        return harden_tests(environment, tools), True, False

    def place(self, environment: Environment) -> Workplace:
        """Where attempts on ``environment`` run. Raises BuildFailed, SandboxError."""
        image = self.backend.build(environment.image, timeout_sec=environment.limits.build_timeout_sec)
        allowed = self.options.network and environment.network != "none"
        grade = self.grade(image, environment)
        return Workplace(self.backend, image, grade, allowed, self.options.memory_mb, self.options.disk_mb)

    def _judge(self, place: Workplace, environment: Environment, probe: Probe, background: Background) -> Judgement:
        return ask(place, environment, probe, Survey(), background)

    def _run(self, place: Workplace, environment: Environment, attempt: Attempt) -> Result:
        return run_attempt(place, environment, attempt, None)[0]


def ask(
    place: Workplace,
    environment: Environment,
    probe: Probe,
    survey: Survey,
    background: Background,
    start: Delta | None = None,
) -> Judgement:
    """Put one probe to one environment, as the audit would, without recording it."""
    planned = probe.plan(environment, survey)
    if isinstance(planned, NotApplicable):
        return Judgement(ProbeStatus.NOT_APPLICABLE, planned.reason)
    results: list[Result] = []
    while planned:
        for attempt in planned:
            restores = any(isinstance(action, Restore) for action in attempt.actions)
            results.append(run_attempt(place, environment, attempt, start if restores else None)[0])
            if probe.enough(results):
                return probe.judge(environment, results, background)
        done = {result.attempt.id for result in results}
        planned = [found for found in probe.more(environment, results, background) if found.id not in done]
    return probe.judge(environment, results, background)


def isolation() -> tuple[Probe, ...]:
    """The probes of the isolation family, in order."""
    return tuple(probe for probe in probes() if probe.family == "isolation")


def solving(environment: Environment) -> Attempt:
    """The reference, run and graded in place."""
    return _attempt(environment, "reference", (Solve(),), "Does the reference pass?")


def _control(environment: Environment) -> Attempt:
    return _attempt(environment, "untouched", (), "Is the untouched image rewarded?")


def _attempt(environment: Environment, probe: str, actions: Sequence[Action], question: str) -> Attempt:
    return Attempt(environment.id, probe, 1, actions=tuple(actions), question=question)
