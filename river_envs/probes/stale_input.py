"""Mutant: the input in place of the output."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import edits, wording
from river_envs.probes import instruction as text
from river_envs.probes.base import Survey
from river_envs.probes.edits import Edit, Target, declared
from river_envs.probes.mutants import Mutant


class StaleInput(Mutant):
    """A copy of the input where the output should be.

    What it does: puts the content of a named input of the image (same suffix first) in place of a declared output of
    the reference's state, and grades.

    What a hit proves: nothing by itself; a survivor counts towards the score with its distance.

    What it cannot show: tasks whose output may equal the input (copies, restorations); there it is not asked.

    Seen in the wild: sorting and cleaning tasks that only compare the set of lines.
    """

    id = "stale-input"
    name = "The input in place of the output"
    order = 96
    effort = "deep"
    most = 1
    without = "no input was read that could stand in place of an output"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """Inputs that were read whole, best fit by suffix."""
        if wording.may_be_copied(environment.instruction):
            return
        named = text.inputs(environment.instruction, survey.listing, survey.workdir)
        whole = {peek.path: peek.text for peek in survey.peeks if peek.whole and peek.path in named}
        for target in declared(found):
            suffix = posixpath.splitext(target.path)[1]
            for path in sorted(whole, key=lambda path: (posixpath.splitext(path)[1] != suffix, path)):
                if path != target.path:
                    yield edits.edit(target, whole[path], f"the content of {path}")
