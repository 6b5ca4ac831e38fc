"""Determinism: a machine with little memory, and one with much."""

from __future__ import annotations

from river_envs.probes.steadiness import Steadiness


class Memory(Steadiness):
    """The reference's state, graded where the machine says that it has little memory, and much.

    What it does: grades the state that the reference left where Python (`os.sysconf`, `/proc/meminfo`) and `free` see
    512 MiB of memory, and where they see 256 GiB. Where that fails, the reference also works there. What can be
    allocated stays as it is.

    What a hit proves: right work is rejected on a machine with another amount of memory.

    What it cannot show: tests that need more memory than they are given, which fail alike each time; other programs
    that read /proc/meminfo or the control group.

    Seen in the wild: buffers and worker counts that tests computed from the memory of the author's machine.
    """

    id = "memory"
    name = "Amount of memory"
    family = "determinism"
    trigger = "rollout-visible"
    version = 1
    order = 86
    effort = "deep"
    settings = ((("memory", "512"),), (("memory", "262144"),))
    pointers = frozenset({"memory"})
    cause = "machine-dependent"
    condition = "with another amount of memory"
    advice = "Do not compare with the machine's own numbers; fix them in the task."
    whole = True
