"""Determinism: the tests in reverse."""

from __future__ import annotations

from river_envs.probes.steadiness import Steadiness


class TestOrder(Steadiness):
    """The reference's state, graded with the tests in reverse order.

    What it does: grades the state that the reference left with a plugin that turns pytest's order of tests round.

    What a hit proves: a test relies on what another test did before it.

    What it cannot show: harm where the order never changes. It is therefore reported beside the verdict.

    Seen in the wild: a first test that builds the program and further ones that run it; picked one by one or run in
    parallel they fail for right work.
    """

    __test__ = False  # not a pytest class

    id = "test-order"
    name = "Order of tests"
    family = "determinism"
    trigger = "privileged"
    version = 1
    order = 86
    effort = "deep"
    settings = ((("order", "reversed"),),)
    cause = "flaky"
    condition = "with the tests in reverse order"
    advice = "Give each test what it needs, with a fixture."
