"""Mutant: a declared output is there and empty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import edits, orders, stated
from river_envs.probes.base import Survey
from river_envs.probes.edits import Edit, Target, declared
from river_envs.probes.mutants import Mutant


class EmptyOutput(Mutant):
    """All of the reference's work, one output without content.

    What it does: empties one declared output of the reference's state, those first that are named last in the
    instruction, and grades.

    What a hit proves: a file into which the instruction orders something to be written is empty and the state is
    rewarded, twice, while the whole state is rewarded too (unchecked-requirement).

    What it cannot show: files that hold something, but not what was asked; the other mutants ask those.

    Seen in the wild: `assert path.exists()` for the second of two outputs.
    """

    id = "empty-output"
    name = "A declared output is empty"
    order = 91
    most = 1
    without = "the reference leaves no further output that holds data"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """Each named output that holds something, the last one first; a lone output was emptied by other probes."""
        outputs = [target for target in declared(found) if target.named and target.fresh]
        for target in reversed(outputs) if len(found) > 1 else ():
            wanted = orders.filled(environment.instruction, target.path)
            if edits.unsure(environment, survey, found, target.path) or stated.marginal(target.path):
                wanted = ""
            yield edits.edit(target, b"", "emptied", stated=wanted)
