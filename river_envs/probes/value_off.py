"""Mutant: one word is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import edits
from river_envs.probes.answers import alter
from river_envs.probes.base import Survey
from river_envs.probes.documents import changed
from river_envs.probes.edits import Edit, Target
from river_envs.probes.mutants import Mutant
from river_envs.probes.values import values


class ValueOff(Mutant):
    """The right output with one meaningless text in place of a value.

    What it does: replaces one text value of a declared output of the reference's state (a name, a word, a date) by one
    of the same length that means nothing; first those whose key or value the verifier does not name.

    What a hit proves: the instruction determines this value (a quoted key, an exact task), and the state is rewarded
    twice with a value that is right nowhere, while the right one is rewarded too (unchecked-requirement).

    What it cannot show: keys for free text (notes, reasons, descriptions): there every text may be right.

    Seen in the wild: `assert isinstance(report["owner"], str)`.
    """

    id = "value-off"
    name = "One text value is wrong"
    version = 3
    order = 93
    most = 2
    without = "the reference leaves no output with text values"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """One text per key."""
        for value in values(environment, survey, found):
            target, spot = value.target, value.spot
            if spot.number or "\\" in spot.text or spot.text.lower() in {"true", "false", "null", "none"}:
                continue
            other = alter(spot.text)
            yield edits.edit(
                target,
                changed(target.text, spot, other),
                f"{spot.key + ' ' if spot.key else ''}{other!r} in place of {spot.text!r}"[:120],
                stated=value.stated,
                key=spot.key,
                lead=not value.checked,
            )
