"""Adversarial: the template that the instruction prints, with its placeholders left in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import wording
from river_envs.probes.asked import Asked, asked, determined, hand_in
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Result, Survey
from river_envs.probes.judging import accepted


class PlaceholderTemplate(Probe):
    """The printed template is handed in as it stands.

    What it does: where the instruction shows a form with placeholders (`total=<N>`, `{name}: {count}`), writes it into
    the output with the placeholders left in (as strings, in JSON), and grades.

    What a hit proves: the fixed words of the template are all that is checked (shape-only): no value was given.

    What it cannot show: verifiers that want a number in the place; the fillings ask those.

    Seen in the wild: `assert "total=" in text`; line counts and prefixes as the only checks.
    """

    id = "placeholder-template"
    name = "The template with its placeholders"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 33
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt."""
        silent = determined(environment, survey)
        if silent:
            return silent
        if wording.makes_template(environment.instruction):
            return NotApplicable("the instruction may ask for a template")
        outputs = [output for output in asked(environment, survey) if _places(output)]
        if not outputs:
            return NotApplicable("the instruction prints no template of an output")
        contents = {output.path: _text(output) for output in outputs}
        return [
            self.attempt(
                environment,
                *hand_in(environment, survey, contents),
                question="Is the printed template rewarded without any value?",
                answers=contents,
            )
        ]

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A reward is shape-only."""
        message = "The template of the instruction is rewarded although no value was put into its places."
        advice = "Parse the values and compare them with those that follow from the inputs."
        return accepted(self, environment, results, background, "accepts-wrong", "shape-only", message, advice)


def _places(output: Asked) -> bool:
    """Whether the form is a printed template: words beside places, at least one of which was a placeholder."""
    form = output.form
    if form is None or form.kind not in {"lines", "text"} or not re.sub(r"\{\w+\}", "", form.template).strip(" :=,\t"):
        return False
    return any(field.shown for field in form.fields)


def _text(output: Asked) -> str:
    assert output.form is not None
    text = output.form.template
    for field in output.form.fields:
        place, shown = "{" + field.name + "}", field.shown or field.name
        bare = output.path.endswith(".json") and f'"{place}"' not in text
        text = text.replace(place, f'"{shown}"' if bare else shown)
    return text + "\n"
