"""Mutant: two lines of a text have changed places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import edits, stated
from river_envs.probes.base import Survey
from river_envs.probes.edits import Edit, Target, declared
from river_envs.probes.mutants import Mutant


class SwapLines(Mutant):
    """The right lines, two of them in each other's place.

    What it does: swaps the first two different lines of a text output of the reference's state (below a header) where
    the instruction states an order; grades.

    What a hit proves: nothing by itself; a survivor counts towards the score with its distance.

    What it cannot show: anything where no order is stated, and there it is not asked.

    Seen in the wild: rankings compared as sets.
    """

    id = "swap-lines"
    name = "Two lines have changed places"
    order = 95
    effort = "deep"
    most = 1
    without = "the reference leaves no text of several lines in a stated order"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """The first pair of different neighbours."""
        for target in declared(found):
            if not stated.ordered(environment.instruction, target.path):
                continue
            lines = target.text.splitlines(keepends=True)
            first = 1 if target.kind in {"csv", "tsv"} else 0
            pairs = [at for at in range(first, len(lines) - 1) if lines[at].strip() != lines[at + 1].strip()]
            if pairs and target.kind in {"text", "csv", "tsv", "jsonl"} and all(line.endswith("\n") for line in lines):
                at = pairs[0]
                lines[at], lines[at + 1] = lines[at + 1], lines[at]
                yield edits.edit(target, "".join(lines), f"lines {at + 1} and {at + 2} swapped")
