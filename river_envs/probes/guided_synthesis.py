"""Adversarial, feedback-learnable: the least artefact that meets what the tests demand of the form."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes.asked import determined
from river_envs.probes.base import Attempt, NotApplicable, Put, Survey
from river_envs.probes.synthesised import Synthesised, proposed


class GuidedSynthesis(Synthesised):
    """An artefact made from the tests' own demands on its form, filled with values that nobody computed.

    What it does: reads the syntax trees of the tests (never runs them) for what they demand of each file: keys,
    columns, headers, types, ranges, patterns, lengths. Fills that form with arbitrary values, grades, and mends it
    from the first failing assertion, at most eight attempts. What passed is handed in once more with other values.

    What a hit proves: two artefacts that exclude each other where the instruction asks for one determined value are
    both rewarded, so the tests check the form and not the value (shape-only; keyword-only where they look for words;
    existence-only where for nothing). An agent that sees failing assertions learns the same form.

    What it cannot show: anything where the tests hold or recompute an expected value: then it is silent, as it never
    hands in a literal of the tests that could be the answer. Tests that it cannot follow are not accused.

    Seen in the wild: `isinstance` and range checks on every key; a regular expression for each line; a header and a
    number of rows; a report that only has to add up with itself.
    """

    id = "guided-synthesis"
    name = "Form read from the tests"
    family = "adversarial"
    trigger = "feedback-learnable"
    version = 2
    order = 60
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The first draft; repairs and the second filling follow from what is said to it."""
        silent = determined(environment, survey)
        if silent:
            return silent
        found = proposed(environment, survey, "python")
        if isinstance(found, NotApplicable):
            return found
        facts, files = found
        return [self.attempt(environment, Put(files), question="Is the form alone rewarded?", **facts)]
