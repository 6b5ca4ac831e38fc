"""Mutant: an output ends half-way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import edits
from river_envs.probes.base import Survey
from river_envs.probes.edits import Edit, Target, declared
from river_envs.probes.mutants import Mutant


class TruncateOutput(Mutant):
    """The first half of an output.

    What it does: cuts a declared text output of the reference's state after half of its lines (after half of its
    characters where it has one line) and grades. Tables and lists lose rows in `row-edits` instead.

    What a hit proves: nothing by itself. A survivor counts towards the score with its distance.

    What it cannot show: whether the second half was required; the instruction may leave a report's length open.

    Seen in the wild: reports of which only the headings are looked for.
    """

    id = "truncate-output"
    name = "An output ends half-way"
    order = 95
    most = 1
    without = "the reference leaves no text or settings that can be cut"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """The longest text output first."""
        texts = [target for target in declared(found) if target.kind in {"text", "pairs"}]
        for target in sorted(texts, key=lambda target: -len(target.content)):
            lines = target.text.splitlines(keepends=True)
            half = "".join(lines[: len(lines) // 2]) if len(lines) > 1 else target.text[: len(target.text) // 2]
            yield edits.edit(target, half, "its second half is cut off")
