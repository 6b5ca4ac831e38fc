"""Determinism: a later day."""

from __future__ import annotations

from river_envs.probes.steadiness import Steadiness

DAY = 86_400


class ClockShift(Steadiness):
    """The reference's state, graded on a later day.

    What it does: grades the state that the reference left with the clock one day ahead, and 400 days and twelve hours
    ahead.

    What a hit proves: one state is paid today and not on another day: an expiry date, a fixed year, a window that
    closes, an expectation that the tests compute from the day of grading. Work that ends before midnight and is graded
    after it, or a state that is graded again later, loses its reward.

    What it cannot show: a dependence in programs that do not see the shifted clock: it is shown to Python and to
    `date`. Where the tests or the solution use others that read the time, nobody is accused.

    Seen in the wild: certificates and tokens that ran out, "must be in the last 24 hours" on a fixture with a date,
    tests that knew the year they were written in.
    """

    id = "clock-shift"
    name = "Later day"
    family = "determinism"
    trigger = "rollout-visible"
    version = 2
    order = 84
    effort = "standard"
    settings = ((("clock", str(DAY)),), (("clock", str(400 * DAY + DAY // 2)),))
    pointers = frozenset({"clock"})
    cause = "time-dependent"
    condition = "on a later day"
    advice = "Take the present from a fixture, or compare with dates that the state itself holds."
