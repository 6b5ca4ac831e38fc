"""Determinism: fixed seeds for Python's string hashing."""

from __future__ import annotations

from river_envs.probes.steadiness import Steadiness


class HashSeed(Steadiness):
    """The reference's state, graded with a fixed hash seed.

    What it does: grades the state that the reference left with PYTHONHASHSEED set to 0; with three further seeds where
    the tests take elements from a set or hash a string.

    What a hit proves: the grade depends on the order of a set or on hash values, which Python draws anew for every
    process: the same work is paid on some days only.

    What it cannot show: other sources of chance; a dependence that only rare seeds show.

    Seen in the wild: tests that compare str(set(...)) or take next(iter(...)); they pass for their author and fail for
    one run in some.
    """

    id = "hash-seed"
    name = "Hash seed"
    family = "determinism"
    trigger = "rollout-visible"
    version = 3
    order = 81
    effort = "standard"
    settings = ((("PYTHONHASHSEED", "0"),),)
    further = ((("PYTHONHASHSEED", "1"),), (("PYTHONHASHSEED", "4242"),), (("PYTHONHASHSEED", "31337"),))
    pointers = frozenset({"hash-order"})
    cause = "machine-dependent"
    condition = "with a fixed hash seed"
    advice = "Sort before comparing; never rely on the order of a set or on hash()."
