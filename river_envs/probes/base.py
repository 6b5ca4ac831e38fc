"""What a probe is: one question put to a verifier.

A probe never grades and never writes the catalog. ``plan`` turns (environment, survey) into attempts to run; the audit
runs them; ``judge`` reads the attempts that were recorded and says what they prove. Both are pure: the same input
gives the same answer on any machine, so that a verdict can be computed again from the catalog without a sandbox.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal

from river_envs.environment import Environment, digest
from river_envs.outcome import Outcome, Status
from river_envs.probes.actions import Action as Action
from river_envs.probes.actions import Copy as Copy
from river_envs.probes.actions import Put as Put
from river_envs.probes.actions import Remove as Remove
from river_envs.probes.actions import Restore as Restore
from river_envs.probes.actions import Run as Run
from river_envs.probes.actions import Solve as Solve
from river_envs.probes.actions import Watch as Watch
from river_envs.probes.actions import describe as describe
from river_envs.sandbox.base import Base, Delta, Listing

Family = Literal["control", "reference", "adversarial", "mutant", "equivalent", "determinism", "isolation"]
Trigger = Literal["rollout-visible", "feedback-learnable", "grading-runtime", "privileged"]
RANKING: Final = frozenset({"rollout-visible", "feedback-learnable", "grading-runtime"})
"""Triggers whose findings count against an environment; the others are reported beside the verdict."""
Effort = Literal["quick", "standard", "deep"]
Claim = Literal["accepts-wrong", "rejects-right", "unstable", "leaks-answer", "broken"]


@dataclass(frozen=True)
class Attempt:
    """One execution to be done: start fresh, do ``actions`` in order, grade.

    ``arm`` tells the role: ``probe`` (what the probe is about), ``altered`` or ``benign`` (its controls). ``repeat``
    numbers equal attempts. ``question`` is one sentence saying what passing would mean. ``facts`` are plain values
    that ``judge`` needs again.
    """

    environment_id: str
    probe: str
    version: int
    arm: str = "probe"
    repeat: int = 0
    actions: tuple[Action, ...] = ()
    question: str = ""
    facts: dict[str, Any] = field(default_factory=dict, hash=False)
    conditions: tuple[tuple[str, str], ...] = ()
    """What the verifier runs under beside the ordinary (a variable, a clock, a number of processors), by name."""

    @property
    def id(self) -> str:
        """Identity: the same environment, probe version and actions give the same id on any machine."""
        return digest(
            self.environment_id,
            self.probe,
            self.version,
            self.arm,
            self.repeat,
            [describe(action) for action in self.actions],
            *([self.conditions] if self.conditions else []),
        )[:16]


@dataclass(frozen=True)
class Step:
    """The receipt of one action: what was done, whether it took effect, and a short, bounded account of what was
    seen.
    """

    action: dict[str, Any]
    done: bool
    exit_code: int | None = None
    output: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Result:
    """An attempt that was run: its receipt and the verifier's outcome. ``delta`` is the digest of a kept delta."""

    attempt: Attempt
    outcome: Outcome
    receipt: tuple[Step, ...] = ()
    delta: str | None = None
    in_place: bool = True  # graded in the sandbox where the actions ran

    @property
    def effective(self) -> bool:
        """Whether every action took effect: without that, a pass or a failure proves nothing."""
        return all(step.done for step in self.receipt)

    @property
    def graded(self) -> bool:
        """Whether the verifier gave a reward."""
        return self.outcome.status is Status.GRADED

    @property
    def passed(self) -> bool:
        """Whether a reward was given and it counts as a pass."""
        return self.outcome.passed is True

    @property
    def paid(self) -> bool:
        """Whether it was rewarded for just what its actions say."""
        return self.passed and self.effective


@dataclass(frozen=True)
class Peek:
    """What stands in a small text file of the image: all of it when ``whole``, else its beginning."""

    path: str
    text: str
    whole: bool = True


@dataclass(frozen=True)
class Survey:
    """What the audit saw in the built image before any probe: a listing of the places where tasks live, and what
    some small text files there hold (``audit/survey.py`` bounds both).
    """

    listing: tuple[Listing, ...] = ()
    workdir: str = "/"
    reference: Delta | None = None
    """The delta of a reference that passed. Not stored with the survey: the audit fills it in before it plans."""
    in_place: bool = False
    """Whether that delta passes only where the reference ran (processes matter). Filled in like ``reference``."""
    peeks: tuple[Peek, ...] = ()

    def peek(self, path: str) -> Peek | None:
        """What was read of ``path``, or None when it was not read."""
        return next((peek for peek in self.peeks if peek.path == path), None)


@dataclass(frozen=True)
class NotApplicable:
    """A probe that cannot say anything about this environment, and why. It never counts as survived."""

    reason: str


PLAIN: Final = frozenset({"probe", "again"})
"""The arms in which a control is graded as it is; its other arms look for the reason of a refusal."""


@dataclass(frozen=True)
class Background:
    """What the controls showed in their plain gradings (``PLAIN``); every other probe is read against it.

    ``bases`` tells which base the image stood on. When one of them is the machine's own file system and nobody
    vouched for that (an alias is a vouching), what fails may lie with the machine: see ``vouched``.
    """

    untouched: tuple[Result, ...] = ()
    reference: tuple[Result, ...] = ()
    bases: tuple[Base, ...] = ()
    left: Delta | None = None
    """The delta that a refused reference left. Not recorded with the controls: the audit fills it in while it plans,
    and a judgement may not rest on it.
    """

    @property
    def vouched(self) -> bool:
        """Whether every base is the recipe's own or one that the user named in its place."""
        return all(base.origin != "host" for base in self.bases)

    @property
    def in_place(self) -> bool:
        """Whether the reference passes where it ran, and what it left in the file system does not: processes
        matter.
        """
        ended = {Status.GRADED, Status.VERIFIER_TIMEOUT}
        restored = [r for r in self.reference if r.outcome.status in ended and not r.in_place]
        return (
            bool(restored)
            and not any(result.passed for result in restored)
            and any(result.passed for result in self.reference if result.in_place)
        )

    @property
    def zero(self) -> bool:
        """Whether the untouched image was graded, each time, without a pass."""
        return bool(self.untouched) and all(result.graded and not result.passed for result in self.untouched)


class ProbeStatus(StrEnum):
    """How a probe ended."""

    HIT = "hit"
    SURVIVED = "survived"
    NOT_APPLICABLE = "not-applicable"
    NOT_RUN = "not-run"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """A claim about one environment, backed by attempts that were executed.

    ``message`` says what was seen, ``advice`` what to do about it. ``cause`` is a name from the one table
    (``causes.py``).
    """

    environment_id: str
    claim: Claim
    cause: str
    trigger: Trigger
    probe: str
    message: str
    advice: str
    attempts: tuple[str, ...]
    evidence: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        """Identity: environment, cause, probe and the attempts that prove it."""
        return digest(self.environment_id, self.cause, self.probe, sorted(self.attempts))[:12]


@dataclass(frozen=True)
class Judgement:
    """What the recorded attempts of one probe prove."""

    status: ProbeStatus
    reason: str = ""
    findings: tuple[Finding, ...] = ()


SECTIONS = ("What it does", "What a hit proves", "What it cannot show", "Seen in the wild")


class Probe(ABC):
    """One question put to a verifier. Subclasses live one to a file and say who they are in class attributes.

    A subclass without its attributes or without the four docstring sections (``SECTIONS``) fails at import.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    family: ClassVar[Family]
    trigger: ClassVar[Trigger]
    version: ClassVar[int]
    order: ClassVar[int]
    """Cheap and decisive first, and among adversarial probes the weakest artefact first: the audit stops at the first
    finding that counts, so that its cause is the most basic one. Controls 0, references 10, adversarial 20-59 (20 what
    exists, 30 words, 35 form, 40 leaks of the image, 45 programs and servers, 50 moved truth and reports), guided 60,
    equivalents 70, determinism 80, mutants 90, grading-runtime 100, isolation 110.
    """
    effort: ClassVar[Effort] = "quick"
    """The least effort at which the probe is planned."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if inspect.isabstract(cls):
            return
        for attribute in ("id", "name", "family", "trigger", "version", "order"):
            if not hasattr(cls, attribute):
                raise TypeError(f"probe {cls.__name__} has no {attribute}")
        missing = [section for section in SECTIONS if section not in (cls.__doc__ or "")]
        if missing:
            raise TypeError(f"probe {cls.__name__} does not document: {', '.join(missing)}")

    def worth(self, environment: Environment) -> Effort:
        """The least effort at which this probe is planned for ``environment``; a static lead may lower it."""
        return self.effort

    @abstractmethod
    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The attempts to run first, in order."""

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """Attempts that the results so far ask for; called until it returns nothing new. Default: none."""
        return ()

    def enough(self, results: Sequence[Result]) -> bool:
        """Whether the attempts still planned can be spared. Default: once an adversarial one was rewarded."""
        return self.family == "adversarial" and results[-1].paid

    @abstractmethod
    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """What the results prove. ``results`` holds this probe's attempts only, in plan order."""

    def attempt(
        self,
        environment: Environment,
        *actions: Action,
        arm: str = "probe",
        repeat: int = 0,
        question: str = "",
        **facts: Any,
    ) -> Attempt:
        """An attempt of this probe."""
        return Attempt(environment.id, self.id, self.version, arm, repeat, actions, question, facts)
