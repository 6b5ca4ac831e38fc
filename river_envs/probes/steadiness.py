"""What the determinism probes share: one state that passes, graded again under a condition.

The first grading under a condition is the only one when it passes. When it fails, the state is graded again under the
condition and twice without it (the benign arm), and, where the condition belongs to the machine that work and grading
share (a time zone, a locale, processors), the reference also works under it: tests that agree with work done on the
same machine are steady. A clock is never shared: work is graded after it was done.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from river_envs.environment import Environment
from river_envs.outcome import Status
from river_envs.probes import leads
from river_envs.probes.base import (
    Action,
    Attempt,
    Background,
    Effort,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Restore,
    Result,
    Solve,
    Survey,
)
from river_envs.probes.judging import hit
from river_envs.verify.conditions import unseen

Setting = tuple[tuple[str, str], ...]
TWICE = 2


def power(gradings: int, rate: float = 0.5) -> float:
    """The chance that ``gradings`` of a state that passes at ``rate`` disagree: 1 − rᴺ − (1−r)ᴺ."""
    return 1 - rate**gradings - (1 - rate) ** gradings if gradings else 0.0


class Steadiness(Probe):
    """A state of the reference under each of ``settings``. Subclasses say under what, and what a difference is."""

    further: ClassVar[tuple[Setting, ...]] = ()
    """Settings that are tried as well where a lead points there."""
    cause: ClassVar[str]
    condition: ClassVar[str]
    """In words, after "graded": "with the clock ahead"."""
    advice: ClassVar[str]
    whole: ClassVar[bool] = False
    """Whether the work, too, must fail under the condition."""
    pointers: ClassVar[frozenset[str]] = frozenset()
    """Leads that make this probe worth its attempts at the standard effort, and ask for ``further``."""
    neutral: ClassVar[Setting] = ()
    """The setting that changes nothing but comes with the same means: the second benign grading has it."""

    @property
    @abstractmethod
    def settings(self) -> tuple[Setting, ...]:
        """Under what the state is graded, one after the other; a class attribute."""

    def worth(self, environment: Environment) -> Effort:
        """Standard where a static lead points here."""
        pointed = self.effort == "deep" and bool(leads.names(environment) & self.pointers)
        return "standard" if pointed else self.effort

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One grading for each setting."""
        if environment.reference is None:
            return NotApplicable("no reference: without a state that passes, nothing shows that grades differ")
        if survey.reference is None and not survey.in_place:
            return NotApplicable("no passing state of the reference is at hand")
        more = self.further if leads.names(environment) & self.pointers else ()
        return [self._under(environment, setting, 0, survey.in_place) for setting in (*self.settings, *more)]

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """After the first failure: again under the condition, twice without it, and the work under it."""
        failed = next((result for result in results if fails(result)), None)
        if failed is None or self._blind(environment, failed.attempt.conditions):
            return ()
        setting = failed.attempt.conditions
        in_place = any(isinstance(action, Solve) for action in failed.attempt.actions)
        start: Action = Solve() if in_place else Restore()
        plainly = "Does the same state pass plainly?"
        benign = [
            Attempt(environment.id, self.id, self.version, "benign", repeat, (start,), plainly, {}, under)
            for repeat, under in enumerate(((), self.neutral))
        ]
        again = [self._under(environment, setting, 1, in_place)]
        if self.whole and not in_place:
            again += [self._under(environment, setting, repeat, True, arm="whole") for repeat in range(TWICE)]
        return [*again, *benign]

    def _under(
        self, environment: Environment, setting: Setting, repeat: int, in_place: bool, arm: str = "under"
    ) -> Attempt:
        question = f"Is right work rejected when it is graded {self.condition}?"
        action: Action = Solve() if in_place else Restore()
        return Attempt(environment.id, self.id, self.version, arm, repeat, (action,), question, {}, setting)

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A state that passes plainly and fails under the condition, each time, is graded differently."""
        known = (*background.reference, *results)
        plain = [result for result in known if result.graded and not result.attempt.conditions]
        under = [result for result in results if result.attempt.arm == "under"]
        if not under:
            return Judgement(ProbeStatus.NOT_RUN, "no attempt was run")
        broken = next((result for result in under if result.outcome.status is Status.SANDBOX_ERROR), None)
        if broken is not None:
            return Judgement(ProbeStatus.ERROR, f"{broken.outcome.status}: {broken.outcome.detail}")
        settings = list(dict.fromkeys(result.attempt.conditions for result in under if fails(result)))
        if not settings:
            return self._steady(under, plain)
        judged = [self._differs(environment, setting, results) for setting in settings]
        return next((one for one in judged if one.status is ProbeStatus.HIT), judged[0])

    def _differs(self, environment: Environment, setting: Setting, results: Sequence[Result]) -> Judgement:
        """What failures under one setting prove. ``more`` follows up one of several, whichever order is judged here."""
        shown = ", ".join(f"{name}={value}" for name, value in setting)
        if blind := self._blind(environment, setting):
            reason = f"differs with {shown}, but {blind} would not see that: no proof"
            return Judgement(ProbeStatus.SURVIVED, reason)
        against = [r for r in results if r.attempt.conditions == setting and r.attempt.arm in {"under", "whole"}]
        benign = [result for result in results if result.attempt.arm == "benign"]
        restored = any(result.attempt.actions == (Restore(),) for result in against)
        needed = TWICE * (2 if self.whole and restored else 1)
        if len(against) < needed or len(benign) < TWICE or not all(fails(result) for result in against):
            return Judgement(ProbeStatus.SURVIVED, f"failed once with {shown}, not each time, or not when done so too")
        if not all(result.paid for result in benign):
            return Judgement(ProbeStatus.SURVIVED, "the state did not pass plainly either: see the reference probe")
        return hit(
            self,
            environment,
            "unstable",
            self.cause,
            [*benign, *against],
            f"The same work passes plainly and is rejected when it is graded {self.condition} ({shown}),"
            f" {len(benign)} and {len(against)} times.",
            self.advice,
            conditions=[list(pair) for pair in setting],
        )

    def _steady(self, under: Sequence[Result], plain: Sequence[Result]) -> Judgement:
        """No disagreement: how much that is worth."""
        graded = [result for result in under if result.graded]
        if not graded:
            outcome = under[0].outcome
            return Judgement(ProbeStatus.NOT_APPLICABLE, f"no grade {self.condition}: {outcome.status}")
        if all(_unheard(result) for result in graded):
            return Judgement(ProbeStatus.NOT_APPLICABLE, f"no program of this verifier can be run {self.condition}")
        gradings = len(graded) + len(plain)
        return Judgement(
            ProbeStatus.SURVIVED,
            f"no disagreement in {gradings} gradings ({len(graded)} {self.condition}); a state that passes half"
            f" the time shows one with probability {power(gradings):.3f}",
        )

    def _blind(self, environment: Environment, setting: Setting) -> str:
        """A program that takes part and would not see the setting; the work takes part where it is done anew or run."""
        work = self.whole or leads.runs_programs(environment)
        return unseen(
            setting, leads.programs(environment, solution=work), leads.texts(environment, solution=work)
        )


def fails(result: Result) -> bool:
    """Whether a right state was graded and rejected, under a condition that something saw."""
    return result.graded and not result.paid and not _unheard(result)


def _unheard(result: Result) -> bool:
    """Whether the receipt says that no program was shown the condition."""
    return any("(seen by 0 programs)" in note for note in result.outcome.substitutions)
