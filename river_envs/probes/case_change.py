"""Mutant: upper case in place of lower case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import edits
from river_envs.probes.base import Survey
from river_envs.probes.documents import changed
from river_envs.probes.edits import Edit, Target
from river_envs.probes.mutants import Mutant
from river_envs.probes.values import values

_FREE_CASE = re.compile(r"case[- ]?insensitiv|ignor\w+ case|(?:upper|lower)[- ]?case|regardless of case", re.IGNORECASE)


class CaseChange(Mutant):
    """A value in the other case.

    What it does: swaps the case of the letters of one text value of a declared output of the reference's state; grades.
    Not where the instruction speaks of case.

    What a hit proves: nothing by itself; a survivor counts towards the score with its distance.

    What it cannot show: whether case matters: many tests fold it on purpose, rightly so.

    Seen in the wild: hashes and host names compared after `.lower()`.
    """

    id = "case-change"
    name = "A value in the other case"
    order = 96
    effort = "deep"
    most = 1
    without = "the reference leaves no output with text values"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """The first value that has letters."""
        if _FREE_CASE.search(environment.instruction):
            return
        for value in values(environment, survey, found):
            if "\\" not in value.spot.text:
                swapped = changed(value.target.text, value.spot, value.spot.text.swapcase())
                yield edits.edit(value.target, swapped, f"{value.spot.text!r} in the other case"[:120])
