"""Mutant: one number is off by one, or in its last digit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import edits, stated
from river_envs.probes.base import Survey
from river_envs.probes.documents import changed
from river_envs.probes.edits import Edit, Target
from river_envs.probes.mutants import Mutant
from river_envs.probes.values import values


class NumberOff(Mutant):
    """The right output with one wrong number.

    What it does: changes one number of a declared output of the state: a whole number by one, a fraction in its last
    digit, and by far more where the instruction states a tolerance; first those whose key or value the verifier does
    not name. Where that is rewarded, the number is changed to something quite different.

    What a hit proves: the instruction determines this number (a quoted key, an exact task), and the state
    is rewarded with the near and the far wrong number, while the right one is rewarded too (unchecked-requirement).

    What it cannot show: how wide a tolerance is. A near mutant that survives while the far one is rejected counts
    towards the score only.

    Seen in the wild: tests that compare the total and never the count beside it.
    """

    id = "number-off"
    name = "One number is wrong"
    version = 4
    order = 93
    most = 2
    without = "the reference leaves no output with numbers"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """One number per key."""
        room = 20 * stated.tolerance(environment.instruction)
        for value in values(environment, survey, found):
            target, spot = value.target, value.spot
            if not spot.number:
                continue
            far = _far(spot.text, room)
            near = _far(far, room) if value.tolerant else _near(spot.text)
            yield edits.edit(
                target,
                changed(target.text, spot, near),
                f"{spot.key + ' ' if spot.key else ''}{near} in place of {spot.text}",
                stated=value.stated,
                key=spot.key,
                lead=not value.checked,
                far=changed(target.text, spot, far),
            )


def _near(number: str) -> str:
    if "." not in number:
        return str(int(number) + 1)
    digit = int(number[-1])
    return number[:-1] + str(digit + 1 if digit < 9 else 8)


def _far(number: str, room: float) -> str:
    """A number that no tolerance covers: ``room`` is far more than the largest one that is stated."""
    if "." not in number:
        return str(int(number) * 3 + 11 + math.ceil(room))
    digits = len(number.split(".")[1])
    return f"{float(number) * 3 + 1.7 + room:.{digits}f}"
