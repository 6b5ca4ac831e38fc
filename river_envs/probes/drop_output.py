"""Mutant: a declared output is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import edits, stated
from river_envs.probes.base import Survey
from river_envs.probes.edits import Edit, Target
from river_envs.probes.mutants import Mutant


class DropOutput(Mutant):
    """All of the reference's work but one file.

    What it does: takes each declared output away from the reference's state, those first that the verifier does not
    name, and grades. What would leave nothing of the work is not tried: the control has answered that.

    What a hit proves: a file that the instruction orders in so many words is missing and the state is rewarded, twice,
    while the whole state is rewarded too (unchecked-requirement).

    What it cannot show: outputs that the verifier makes anew by running the delivered program; there a survivor only
    counts towards the score.

    Seen in the wild: reports and logs that are asked for beside the main answer and looked at by no test.
    """

    id = "drop-output"
    name = "A declared output is missing"
    order = 90
    most = 2
    without = "the reference leaves a single file: without it the image is untouched"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """Each fresh output that is not all of the work; files that the verifier does not name first."""
        if len(found) < 2:
            return
        fresh = [target for target in found if target.named and target.fresh]
        for target in sorted(fresh, key=lambda target: target.checked):
            wanted = "" if edits.unsure(environment, survey, found, target.path) else target.asked
            optional = stated.marginal(target.path)
            yield Edit(target.path, None, "removed", 1.0, stated="" if optional else wanted, lead=not target.checked)
