"""Adversarial: the asked form, filled with values that no right answer can have."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes.asked import asked, determined, filled, hand_in, row_scripts
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Result, Survey
from river_envs.probes.filling import impossible
from river_envs.probes.judging import accepted


class ImpossibleValues(Probe):
    """The stated form with values that are wrong by construction.

    What it does: reads from the prose which keys, columns or lines each output is to have and fills them with a name
    that stands nowhere, counts beyond any input, the checksum of nothing, a date in 1583; one row for each row of an
    input where the prose asks for that. Grades.

    What a hit proves: only the form is checked (shape-only). Every value is wrong, whatever the inputs hold.

    What it cannot show: verifiers that check ranges or known names but not the values; the contradiction asks those.
    Silent where the instruction asks for no determined value or leaves values free.

    Seen in the wild: checks of keys and types only, of the header only, of a regular expression per line.
    """

    id = "impossible-values"
    name = "Impossible values in the asked form"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 36

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt; with rows by input where the form asks for them."""
        silent = determined(environment, survey)
        if silent:
            return silent
        outputs = asked(environment, survey)
        fields = [field for output in outputs if output.form for field in output.form.fields]
        if not any(field.type not in {"boolean", "time"} for field in fields):
            return NotApplicable("the prose states no form with a value that could be impossible")
        contents, scripts = filled(outputs, impossible, 3), row_scripts(outputs, impossible)
        return [
            self.attempt(
                environment,
                *hand_in(environment, survey, contents, scripts),
                question="Are values rewarded that no right answer can have?",
                answers=contents,
            )
        ]

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A reward is shape-only."""
        message = "The asked form is rewarded with values that no right answer can have."
        advice = "Compare each value with the one that follows from the inputs."
        return accepted(self, environment, results, background, "accepts-wrong", "shape-only", message, advice)
