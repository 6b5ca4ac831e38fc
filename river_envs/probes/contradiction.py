"""Adversarial: two fillings of the asked form that exclude each other."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import wording
from river_envs.probes.asked import as_reference, asked, determined, filled, hand_in, row_scripts
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Result, Survey
from river_envs.probes.informed import informed
from river_envs.probes.proofs import contradicted, kept, second


class Contradiction(Probe):
    """Two answers that cannot both be right, in the stated form, with ordinary values.

    What it does: fills the form that the prose states with small counts, shares below one, and names, addresses and
    dates that stand in the inputs, and grades; if that is rewarded, the same form with other values in every place.

    What a hit proves: the instruction asks for one determined value in each place and two different ones are both
    rewarded, so a wrong one is (shape-only). No single reward proves anything here: it might be luck.

    What it cannot show: verifiers that compare any value. Silent where values are free, or where a stated threshold
    makes several answers right (the degenerate metric asks those).

    Seen in the wild: range checks (`0 <= percent <= 100`), enumerations, types.
    """

    id = "contradiction"
    name = "Two answers that exclude each other"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 37
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The first filling; the second is kept in its facts."""
        silent = determined(environment, survey)
        if silent:
            return silent
        if wording.has_metric(environment.instruction):
            return NotApplicable("answers are judged by a threshold: several may be right")
        outputs = asked(environment, survey)
        if not any(output.form for output in outputs):
            return NotApplicable("the prose states no form of an output")
        prose = text.prose(environment.instruction)
        inputs = text.inputs(environment.instruction, survey.listing, survey.workdir)
        pair = []
        for salt in (1, 2):
            values = informed(survey, inputs, salt)
            contents = filled(outputs, values, salt, prose)
            pair.append((contents, hand_in(environment, survey, contents, row_scripts(outputs, values))))
        (contents, actions), (others, other_actions) = pair
        if any(contents[path] == others[path] for path in contents) or as_reference(contents, survey):
            return NotApplicable("the form has no place for a value that could differ")
        return [
            self.attempt(
                environment,
                *actions,
                question="Are two answers that exclude each other both rewarded?",
                answers=contents,
                other=kept(other_actions),
                other_answers=others,
            )
        ]

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The other filling, once the first was rewarded."""
        return second(self, environment, results, "Is another answer, which excludes the first, rewarded as well?")

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: one reward proves nothing."""
        return False

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Both rewarded: shape-only."""
        message = "Two answers in the asked form that exclude each other are both rewarded."
        advice = "Compare each value with the one that follows from the inputs."
        return contradicted(self, environment, results, background, message, advice)
