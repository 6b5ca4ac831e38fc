"""Equivalent: the reference run twice in one sandbox."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes.base import (
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Result,
    Solve,
    Survey,
)


class ReferenceTwice(Probe):
    """Right work, done again on top of itself.

    What it does: runs the reference twice in one fresh sandbox and grades what is there then.

    What a hit proves: nothing. That the second run spoils the first is a lead: an agent that tries its script twice may
    lose the reward, and appending outputs, moved inputs or ports in use are often the reason.

    What it cannot show: whether the verifier or the reference is to blame.

    Seen in the wild: references that append to a report; migrations that refuse to run again.
    """

    id = "reference-twice"
    name = "The reference run twice"
    family = "equivalent"
    trigger = "rollout-visible"
    version = 1
    order = 76
    effort = "deep"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt."""
        if environment.reference is None or survey.reference is None:
            return NotApplicable("there is no passing reference")
        question = "Is the reference's work rewarded when it is done twice?"
        return [self.attempt(environment, Solve(), Solve(), question=question)]

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A lead at most."""
        if not results:
            return Judgement(ProbeStatus.NOT_RUN, "no attempt was run")
        result = results[0]
        if not result.graded or not result.effective:
            return Judgement(ProbeStatus.NOT_APPLICABLE, "the second run gave nothing that could be graded")
        said = "rewarded again" if result.passed else "lead: the reference's work is not rewarded when it is done twice"
        return Judgement(ProbeStatus.SURVIVED, said)
