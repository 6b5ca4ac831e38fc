"""Adversarial, feedback-learnable: the least artefact that meets what a shell script checks of the form."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes.asked import determined
from river_envs.probes.base import Attempt, NotApplicable, Put, Survey
from river_envs.probes.synthesised import Synthesised, proposed


class GuidedShell(Synthesised):
    """An artefact made from what the verifier's shell script checks, filled with values that nobody computed.

    What it does: reads the scripts as bash does (never runs them) for what they demand of each file: `[ -f F ]`, `grep`
    patterns, `jq` paths and types, numbers of lines, Python in here documents. Fills that form with arbitrary values,
    grades, mends it from what failed, and hands in what passed once more with other values.

    What a hit proves: two artefacts that exclude each other where the instruction asks for one determined value are
    both rewarded, so the script checks the form and not the value (existence-only, shape-only or keyword-only).

    What it cannot show: anything where the script holds, compares or recomputes an expected value: then it is silent.
    Functions of the script are not followed.

    Seen in the wild: `grep -q 'Total: [0-9]*' report.txt`; `jq -e '.count | type == "number"'`; `wc -l` at least three.
    """

    id = "guided-shell"
    name = "Form read from the test script"
    family = "adversarial"
    trigger = "feedback-learnable"
    version = 2
    order = 61
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The first draft; repairs and the second filling follow from what is said to it."""
        silent = determined(environment, survey)
        if silent:
            return silent
        found = proposed(environment, survey, "shell")
        if isinstance(found, NotApplicable):
            return found
        facts, files = found
        return [self.attempt(environment, Put(files), question="Is the form alone rewarded?", **facts)]
