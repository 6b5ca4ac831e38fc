"""Determinism: another time zone."""

from __future__ import annotations

from river_envs.probes.steadiness import Steadiness


class TimeZone(Steadiness):
    """The reference's state, graded fourteen hours east of Greenwich.

    What it does: grades the state that the reference left with TZ fourteen hours ahead of UTC (and eleven behind, where
    the tests read the clock). Where that fails, the reference also works in that time zone.

    What a hit proves: right work is rejected on a machine whose clock shows another zone, also when the work was done
    there.

    What it cannot show: anything where programs fix their own zone.

    Seen in the wild: expectations built with local time and solutions checked against UTC, which agree on a
    server and on no laptop.
    """

    id = "time-zone"
    name = "Time zone"
    family = "determinism"
    trigger = "rollout-visible"
    version = 2
    order = 82
    effort = "standard"
    settings = ((("TZ", "XTZ-14"),),)
    further = ((("TZ", "XTZ+11"),),)
    pointers = frozenset({"clock", "file-times"})
    cause = "machine-dependent"
    condition = "in another time zone"
    advice = "Compare in UTC, or fix the zone in the image and in the tests."
    whole = True
