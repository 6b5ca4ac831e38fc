"""Determinism: a pause before grading."""

from __future__ import annotations

from river_envs.probes.steadiness import Steadiness


class Delay(Steadiness):
    """The reference's state, graded after a pause.

    What it does: restores the state that the reference left (or, where processes matter, runs the reference), waits
    five seconds, and grades.

    What a hit proves: what passes at once is rejected a moment later: a time stamp that must be fresh, a process that
    ends by itself.

    What it cannot show: longer waits; a queue before grading may take minutes.

    Seen in the wild: "modified in the last seconds" as a sign of work; it punishes agents that check their result.
    """

    id = "delay"
    name = "Pause before grading"
    family = "determinism"
    trigger = "rollout-visible"
    version = 1
    order = 86
    effort = "deep"
    settings = ((("delay", "5"),),)
    pointers = frozenset({"file-times"})
    cause = "time-dependent"
    condition = "after a pause"
    advice = "Judge what the state holds, not when it was written."
