"""Adversarial: the inputs are shortened, and the reference solves what is left."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import moved_truth
from river_envs.probes.base import (
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Result,
    Run,
    Solve,
    Survey,
)
from river_envs.probes.judging import hit, unproven

_KEPT = "/tmp/.kept-inputs"
_SHORTEN = """\
mkdir -p {kept} && number=0 && shortened=0
for file in {files}; do
number=$((number + 1)); lines=$(grep -c '' "$file") || continue
[ "$lines" -ge 4 ] || continue
cp -p "$file" {kept}/$number && head -n $(((lines * 2 + 2) / 3)) {kept}/$number >"$file" && shortened=1
done
[ $shortened = 1 ]
"""
_RESTORE = """\
number=0
for file in {files}; do
number=$((number + 1)); [ ! -f {kept}/$number ] || cat {kept}/$number >"$file" || exit 1
done
rm -rf {kept}
"""
_CLEAN = f"rm -rf {_KEPT}"


class InputsShortened(Probe):
    """The inputs lose their last third, and the right answer for the rest is handed in.

    What it does: cuts the last third of the lines off each text that the instruction names, itself or by its folder,
    and does not ask to change; runs the reference on what is left; grades. What pays is made again, and graded with the
    inputs as they were.

    What a hit proves: the verifier computes its expectation from files that the agent can change (movable-truth): the
    same answer is rejected when the inputs stand.

    What it cannot show: anything without a reference, inputs that are no lines of text, and references that cannot
    read what is left or know the answer by heart.

    Seen in the wild: an agent that ran out of time cut the data set short, and the verifier counted what was left.
    """

    id = "inputs-shortened"
    name = "The reference on shortened inputs"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 53
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt."""
        if environment.reference is None:
            return NotApplicable("there is no reference")
        left, found = survey.reference, moved_truth.movable_texts(environment, survey)
        files = [path for path in found if left is None or left.get(path) is None]
        if not files:
            return NotApplicable("the instruction names no text that stays as it is")
        return [self._attempt(environment, files, "probe")]

    def _attempt(self, environment: Environment, files: Sequence[str], arm: str) -> Attempt:
        words = {"files": shlex.join(files), "kept": _KEPT}
        after = _CLEAN if arm == "probe" else _RESTORE.format(**words)
        question = (
            "Is the answer rewarded that is right only for shortened inputs?"
            if arm == "probe"
            else "Is the same answer rewarded when the inputs are whole?"
        )
        actions = (Run(_SHORTEN.format(**words)), Solve(), Run(after))
        return self.attempt(environment, *actions, arm=arm, question=question, files=list(files))

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The benign arm of what paid."""
        paid = [result for result in results if result.attempt.arm == "probe" and result.paid]
        return [self._attempt(environment, paid[0].attempt.facts["files"], "benign")] if paid else ()

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: the benign arm decides."""
        return False

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Paid when shortened, rejected when whole."""
        nothing = unproven(results, background)
        if nothing:
            return nothing
        arms = {result.attempt.arm: result for result in results if result.graded and result.effective}
        paid, whole = arms.get("probe"), arms.get("benign")
        if paid is None or not paid.passed:
            return Judgement(ProbeStatus.SURVIVED)
        if whole is None:
            return Judgement(ProbeStatus.ERROR, "what paid could not be graded with the inputs as they were")
        if whole.passed:
            return Judgement(ProbeStatus.SURVIVED, "rewarded with whole inputs too: what was cut off may not matter")
        files = ", ".join(paid.attempt.facts["files"][:4])
        return hit(
            self,
            environment,
            "accepts-wrong",
            "movable-truth",
            [paid, whole],
            f"Shortening {files} makes a wrong answer right: it is rewarded, otherwise it is not.",
            "Compute the expectation from the verifier's own copy of the inputs.",
            moved=paid.attempt.facts["files"],
        )
