"""Determinism: a later day."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes.base import Attempt, NotApplicable, Survey
from river_envs.probes.present import asks_for_present
from river_envs.probes.steadiness import Steadiness

DAY = 86_400
OVER_A_YEAR = 400 * DAY + DAY // 2


class ClockShift(Steadiness):
    """The reference's state, graded on a later day.

    What it does: grades the state that the reference left with the clock 400 days and twelve hours ahead; where the
    tests read the clock, one day ahead as well. Where that fails, the state is also graded with the same means and a
    clock that is right.

    What a hit proves: one state is paid today and not on another day: a fixed year, a window that closes, an
    expectation that the tests compute from the day of grading, while the instruction asks for nothing that grows old.
    A state that is graded later, or again, loses its reward.

    What it cannot show: a dependence in programs that do not see the shifted clock: it is shown to Python and to
    `date`. Where the tests or the solution use others that read the time, nobody is accused. Where the instruction
    asks for today's date, for something that expires or for time stamps, it is not asked. Time stamps of files are the
    older state's question.

    Seen in the wild: "must be in the last 24 hours" on a fixture with a date, tests that knew the year they were
    written in.
    """

    id = "clock-shift"
    name = "Later day"
    family = "determinism"
    trigger = "rollout-visible"
    version = 3
    order = 84
    effort = "standard"
    settings = ((("clock", str(OVER_A_YEAR)),),)
    further = ((("clock", str(DAY)),),)
    pointers = frozenset({"clock"})
    cause = "time-dependent"
    condition = "on a later day"
    advice = "Take the present from a fixture, or compare with dates that the state itself holds."
    neutral = (("clock", "0"),)

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """Where the instruction does not let the day of grading matter."""
        if asked := asks_for_present(environment.instruction):
            return NotApplicable(f'the instruction may let the day of grading matter: "{asked}"')
        return super().plan(environment, survey)
