"""What every mutant probe shares: small wrong edits of a state that passes, and what their survival means.

A survivor is a score, never an accusation by itself: three quarters of the tasks of a well-known benchmark have one.
It accuses only when the edit breaks a sentence of the instruction beyond doubt (``Edit.stated``), is rewarded twice,
its cruder form is rewarded too, the file stayed as it was edited until the end of the grading, and the unedited state
is rewarded (the benign control).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from river_envs.environment import Environment, File
from river_envs.outcome import RETRIED
from river_envs.probes import edits
from river_envs.probes.base import (
    Action,
    Attempt,
    Background,
    Effort,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Put,
    Result,
    Survey,
    Watch,
)
from river_envs.probes.edits import Edit, Target
from river_envs.probes.judging import hit

_LARGEST_FAR = 1 << 16


class Mutant(Probe):
    """A probe that edits the reference's state. Subclasses say which edits, best first.

    ``most`` of them are run, and up to ``led`` where a static lead points at them: the verifier does not name what they
    change.
    """

    family = "mutant"
    trigger = "rollout-visible"
    version = 1
    effort: ClassVar[Effort] = "standard"
    most: ClassVar[int] = 2
    led: ClassVar[int] = 3
    without: ClassVar[str] = "the reference leaves nothing that can be edited in this way"

    @abstractmethod
    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """The edits, the most telling first; None stands for one that changes nothing."""

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt for each of the first edits."""
        if survey.reference is None:
            return NotApplicable("there is no state of a passing reference to edit")
        found = edits.targets(environment, survey)
        chosen: dict[tuple[str, bytes | None, int], Edit] = {}
        for change in self.edits(environment, survey, found):
            if change is not None and len(chosen) < (self.led if change.lead and change.stated else self.most):
                chosen.setdefault((change.path, change.content, change.mode), change)
        if not chosen:
            return NotApplicable(self.without)
        return [self._mutate(environment, survey, change, index) for index, change in enumerate(chosen.values())]

    def _mutate(self, environment: Environment, survey: Survey, change: Edit, index: int) -> Attempt:
        watched = () if change.undone else (Watch((change.path,)),)
        far = change.far if change.far is not None and len(change.far) <= _LARGEST_FAR else None
        return self.attempt(
            environment,
            *edits.actions(survey, change),
            *watched,
            repeat=index,
            question=f"Is the reference's state still rewarded with {change.path} changed: {change.what}?",
            path=change.path,
            what=change.what,
            key=change.key,
            distance=change.distance,
            stated=change.stated if change.far is None or far is not None else "",
            far=far,
            mode=change.mode,
            in_place=survey.in_place,
        )

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """For the first survivor that may accuse: the same again, its cruder form, and the unedited state."""
        suspect = _suspect(results)
        if suspect is None:
            return ()
        base, facts = suspect.attempt, suspect.attempt.facts
        start: Action = base.actions[0]
        if facts["far"] is None:
            follow = [self._again(base, base.actions, "again")]
        else:
            put = Put((File(facts["path"].strip("/"), facts["far"].encode(), facts["mode"]),))
            follow = [self._again(base, (start, put, Watch((facts["path"],))), "far")]
        return [*follow, self._again(base, (edits.unedited(start),), "benign")]

    def _again(self, base: Attempt, actions: Sequence[Action], arm: str) -> Attempt:
        return Attempt(
            base.environment_id, self.id, self.version, arm, base.repeat, tuple(actions), base.question, base.facts
        )

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """How many survived, and an accusation where one is proved."""
        if not background.zero:
            return Judgement(ProbeStatus.ERROR, "the untouched image did not score 0")
        mutants = [result for result in results if result.attempt.arm == "probe"]
        if not mutants:
            return Judgement(ProbeStatus.NOT_RUN, "no attempt was run")
        told = [result for result in mutants if result.graded and result.effective]
        if not told:
            return ungraded(mutants)
        alive = [result for result in told if result.passed]
        suspect = _suspect(results)
        proof = _proof(results, suspect) if suspect else ()
        if suspect and proof:
            return self._accuse(environment, suspect, proof)
        said = f"; rewarded: {'; '.join(_short(result) for result in alive)}" if alive else ""
        return Judgement(ProbeStatus.SURVIVED, f"{len(told) - len(alive)} of {len(told)} mutants were rejected{said}")

    def _accuse(self, environment: Environment, suspect: Result, proof: Sequence[Result]) -> Judgement:
        facts = suspect.attempt.facts
        return hit(
            self,
            environment,
            "accepts-wrong",
            "unchecked-requirement",
            proof,
            f"A stated requirement is not checked: the reference's state is still rewarded with {facts['path']} changed"
            f" ({facts['what']}).",
            "Assert on what the instruction states here.",
            stated=facts["stated"],
            path=facts["path"],
            what=facts["what"],
            distance=facts["distance"],
            in_place=facts["in_place"],
        )


def _suspect(results: Sequence[Result]) -> Result | None:
    """The first rewarded mutant that breaks a stated requirement."""
    return next(
        (
            result
            for result in results
            if result.attempt.arm == "probe" and result.paid and result.attempt.facts["stated"]
        ),
        None,
    )


def _proof(results: Sequence[Result], suspect: Result) -> tuple[Result, ...]:
    """The attempts that prove the survival of ``suspect``; none where one of them is missing or says otherwise."""
    same = {
        result.attempt.arm: result
        for result in results
        if result.attempt.repeat == suspect.attempt.repeat and result.paid
    }
    second = same.get("again") or same.get("far")
    return (suspect, second, same["benign"]) if second and "benign" in same else ()


def ungraded(results: Sequence[Result]) -> Judgement:
    """Nothing can be said: the sandbox failed (an error), or the verifier gave no grade or the edits did not last."""
    broken = next((result for result in results if result.outcome.status in RETRIED), None)
    if broken is not None:
        return Judgement(ProbeStatus.ERROR, f"{broken.outcome.status}: {broken.outcome.detail}")
    silent = next((result for result in results if not result.graded), None)
    if silent is not None:
        return Judgement(ProbeStatus.NOT_APPLICABLE, f"the verifier gave no grade: {silent.outcome.status}")
    return Judgement(ProbeStatus.NOT_APPLICABLE, "the edited files did not stay as they were edited")


def _short(result: Result) -> str:
    facts = result.attempt.facts
    return f"{facts['path']}, {facts['what']} (distance {facts['distance']:g})"
