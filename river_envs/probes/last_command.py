"""Mutant: the reference without its last command."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes.base import Attempt, NotApplicable, Survey
from river_envs.probes.solution_cut import SolutionCut, commands_of


class LastCommand(SolutionCut):
    """Everything but the last step.

    What it does: runs the reference's script without its last command in a fresh sandbox and grades what is there then.

    What a hit proves: nothing by itself; a survivor counts towards the score.

    What it cannot show: whether the last command mattered: it may only print what was done.

    Seen in the wild: restarting a service, setting a mode or committing as the last, untested step.
    """

    id = "last-command"
    name = "The last command is left out"
    order = 96

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One cut."""
        pieces = commands_of(environment.reference)
        if survey.reference is None or len(pieces) < 2:
            return NotApplicable("there is no passing reference of several commands")
        return [self.cut(environment, pieces, len(pieces) - 1, 0)]
