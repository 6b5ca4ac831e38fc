"""Determinism: one processor, and four."""

from __future__ import annotations

from river_envs.probes.steadiness import Steadiness


class Processors(Steadiness):
    """The reference's state, graded on one processor and on four.

    What it does: grades the state that the reference left where Python and `nproc` see one processor (and the tests run
    on one), and where they see four. Where that fails, the reference also works there.

    What a hit proves: right work is rejected on a machine with another number of processors.

    What it cannot show: a dependence on speed, memory or the kind of processor; programs that read /proc/cpuinfo.

    Seen in the wild: a terminal benchmark repaired a task whose tests asked for as many workers as its author's machine
    had; performance thresholds that only many cores reach.
    """

    id = "processors"
    name = "Number of processors"
    family = "determinism"
    trigger = "rollout-visible"
    version = 2
    order = 85
    effort = "deep"
    settings = ((("processors", "1"),), (("processors", "4"),))
    pointers = frozenset({"processors"})
    cause = "machine-dependent"
    condition = "with another number of processors"
    advice = "Do not compare with the machine's own numbers; fix them in the task."
    whole = True
