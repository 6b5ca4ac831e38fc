"""Determinism: graded twice in one sandbox."""

from __future__ import annotations

from river_envs.probes.steadiness import Steadiness


class AgainInPlace(Steadiness):
    """The reference's state, graded twice in the same sandbox.

    What it does: restores the state that the reference left and grades it two times without anything in between; the
    second grading counts.

    What a hit proves: the verifier changes what it judges: it removes, moves or adds to files, or leaves something
    running.

    What it cannot show: harm where every state is graded once, in a sandbox of its own. It is therefore reported beside
    the verdict.

    Seen in the wild: verifiers that move the output away while they test it; per-turn rewards and retried gradings then
    pay less for the same work.
    """

    id = "again-in-place"
    name = "Graded twice in place"
    family = "determinism"
    trigger = "privileged"
    version = 1
    order = 80
    effort = "deep"
    settings = ((("again", "2"),),)
    cause = "flaky"
    condition = "for the second time in one sandbox"
    advice = "Let the tests leave the state as they found it: work on a copy."
