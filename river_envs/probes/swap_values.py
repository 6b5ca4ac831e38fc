"""Mutant: two keys have changed their values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from river_envs.environment import Environment
from river_envs.probes import edits
from river_envs.probes.base import Survey
from river_envs.probes.documents import changed
from river_envs.probes.edits import Edit, Target
from river_envs.probes.mutants import Mutant
from river_envs.probes.values import values


class SwapValues(Mutant):
    """The right values under the wrong keys.

    What it does: swaps the values of two keys (settings, columns of one row) of a declared output of the reference's
    state, where both are numbers or both texts, and grades.

    What a hit proves: the instruction determines both values, each under its quoted key, and the state is rewarded
    twice with the two swapped, while the right one is rewarded too (unchecked-requirement).

    What it cannot show: whether one of the two alone is compared; the probes for single values ask that.

    Seen in the wild: `all(str(value) in text for value in EXPECTED)`.
    """

    id = "swap-values"
    name = "Two keys have each other's value"
    order = 94
    most = 1
    without = "the reference leaves no output with two values of one kind"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """Pairs of values of one file, the most telling first."""
        for one, other in combinations(values(environment, survey, found), 2):
            first, second = sorted((one.spot, other.spot), key=lambda spot: spot.start)
            alike = first.number == second.number and first.text != second.text and first.key != second.key
            if one.target is not other.target or not alike or not first.key or not second.key:
                continue
            swapped = changed(changed(one.target.text, second, first.text), first, second.text)
            both = one.stated if one.stated and other.stated else ""
            yield edits.edit(
                one.target, swapped, f"{first.key} and {second.key} have each other's value", stated=both, key=first.key
            )
