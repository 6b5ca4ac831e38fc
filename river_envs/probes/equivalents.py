"""What every equivalent probe shares: a state that means the same as one that passes, and what its rejection proves.

Each rewriting carries its proof of equivalence (the same parsed value, the same syntax tree, a sentence of the
instruction that frees the form); one that cannot be proved is not made. A rejection accuses only when it is repeated
and the same files, put again with the bytes that the reference left, are rewarded (the benign control: it has the same
owner, times and way of writing).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from river_envs.environment import Environment, File
from river_envs.outcome import RETRIED
from river_envs.probes import edits, forms
from river_envs.probes.base import (
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
)
from river_envs.probes.edits import Target
from river_envs.probes.judging import hit

_LARGEST = 1 << 18


@dataclass(frozen=True)
class Rewriting:
    """Files in another form: the targets, their new files, what was done and why it means the same."""

    targets: tuple[Target, ...]
    files: tuple[File, ...]
    what: str
    proof: str


class Equivalent(Probe):
    """A probe that rewrites the reference's state without changing what it means."""

    family = "equivalent"
    trigger = "rollout-visible"
    version = 1
    effort: ClassVar[Effort] = "standard"
    without: ClassVar[str] = "the reference leaves nothing that can be rewritten in this way"
    outputs_only: ClassVar[bool] = False
    """Whether sentences that describe an input say nothing of the form that is asked about."""

    @abstractmethod
    def closed(self, instruction: str) -> str:
        """Why the instruction may fix this form, or "" where it leaves it open."""

    @abstractmethod
    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """The rewritings to try."""

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt for each rewriting."""
        if survey.reference is None:
            return NotApplicable("there is no state of a passing reference to rewrite")
        instruction = environment.instruction
        reason = self.closed(forms.of_outputs(instruction, survey) if self.outputs_only else instruction)
        if reason:
            return NotApplicable(reason)
        found = edits.targets(environment, survey)
        made = [one for one in self.rewrite(environment, survey, found) if one.files]
        attempts = [self._attempt(environment, survey, one, index) for index, one in enumerate(made) if _small(one)]
        return attempts or NotApplicable(self.without)

    def _attempt(self, environment: Environment, survey: Survey, made: Rewriting, index: int) -> Attempt:
        readable = all(target.kind != "binary" for target in made.targets)
        originals = [[t.path.strip("/"), t.text, t.mode] for t in made.targets] if readable else []
        return self.attempt(
            environment,
            edits.begin(survey),
            Put(made.files),
            repeat=index,
            question=f"Is the reference's state still rewarded with {made.what}?",
            what=made.what,
            proof=made.proof,
            paths=[f"/{file.path}" for file in made.files],
            originals=originals,
            in_place=survey.in_place,
        )

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """For the first rejection: the same again, and the same files with their own bytes."""
        rejected = _rejected(results)
        if rejected is None:
            return ()
        base = rejected.attempt
        files = tuple(File(path, content.encode(), mode) for path, content, mode in base.facts["originals"])
        control = (base.actions[0], Put(files)) if files else base.actions[:1]
        return [
            Attempt(base.environment_id, self.id, self.version, arm, base.repeat, actions, base.question, base.facts)
            for arm, actions in (("again", base.actions), ("benign", control))
        ]

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Over-specific where a rejection is proved."""
        if not background.zero:
            return Judgement(ProbeStatus.ERROR, "the untouched image did not score 0")
        tried = [result for result in results if result.attempt.arm == "probe"]
        told = [result for result in tried if result.graded and result.effective]
        if not tried:
            return Judgement(ProbeStatus.NOT_RUN, "no attempt was run")
        if not told:
            lost = next((result for result in tried if result.outcome.status in RETRIED), None)
            if lost is not None:
                return Judgement(ProbeStatus.ERROR, f"{lost.outcome.status}: {lost.outcome.detail}")
            return Judgement(ProbeStatus.NOT_APPLICABLE, f"the verifier gave no grade: {tried[0].outcome.status}")
        rejected = _rejected(results)
        proof = _proof(results, rejected) if rejected else ()
        if rejected is None or not proof:
            doubt = "; a rejection was not repeated" if rejected else ""
            return Judgement(ProbeStatus.SURVIVED, f"{len(told)} equivalent states were graded{doubt}")
        return self.accuse(environment, rejected, proof)

    def accuse(self, environment: Environment, rejected: Result, proof: Sequence[Result]) -> Judgement:
        """The finding."""
        facts = rejected.attempt.facts
        failing = failing_test(rejected)
        return hit(
            self,
            environment,
            "rejects-right",
            "over-specific-form",
            proof,
            f"The reference's state is rejected with {facts['what']}, which means the same"
            + (f" (first failing test: {failing})." if failing else "."),
            "Compare what the file means (the parsed value), or state the form in the instruction.",
            what=facts["what"],
            proof=facts["proof"],
            paths=facts["paths"],
            failing=failing,
        )


def _small(made: Rewriting) -> bool:
    return sum(len(target.content) for target in made.targets) <= _LARGEST


def _rejected(results: Sequence[Result]) -> Result | None:
    """The first rewriting that was graded and not rewarded."""
    return next((r for r in results if r.attempt.arm == "probe" and r.graded and r.effective and not r.passed), None)


def _proof(results: Sequence[Result], rejected: Result) -> tuple[Result, ...]:
    """The attempts that prove the rejection; none where one of them is missing or says otherwise."""
    same = {
        result.attempt.arm: result
        for result in results
        if result.attempt.repeat == rejected.attempt.repeat and result.graded and result.effective
    }
    again, benign = same.get("again"), same.get("benign")
    return (rejected, again, benign) if again and benign and not again.passed and benign.passed else ()


def failing_test(result: Result) -> str:
    """The name of the first test that failed."""
    return next((test.name for test in result.outcome.tests if test.outcome in {"failed", "error"}), "")
