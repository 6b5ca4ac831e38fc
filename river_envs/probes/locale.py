"""Determinism: other locales."""

from __future__ import annotations

from river_envs.probes.steadiness import Steadiness


class Locale(Steadiness):
    """The reference's state, graded in other locales.

    What it does: grades the state that the reference left with LC_ALL and LANG set to C, and to en_US.UTF-8. Where that
    fails, the reference also works in that locale.

    What a hit proves: right work is rejected on a machine with other language settings: order of sorting, decimal
    marks, names of months, or encodings.

    What it cannot show: anything about a locale that the image does not have; the C library then uses C.

    Seen in the wild: `sort` in the tests and in the solution disagreeing about upper case; messages matched in
    English.
    """

    id = "locale"
    name = "Locale"
    family = "determinism"
    trigger = "rollout-visible"
    version = 2
    order = 83
    effort = "deep"
    settings = ((("LANG", "C"), ("LC_ALL", "C")), (("LANG", "en_US.UTF-8"), ("LC_ALL", "en_US.UTF-8")))
    pointers = frozenset({"locale"})
    cause = "machine-dependent"
    condition = "in another locale"
    advice = "Set LC_ALL in the tests, name encodings, and compare without an order that depends on language."
    whole = True
