"""Determinism: without the network that an environment declares."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes.base import Attempt, NotApplicable, Survey
from river_envs.probes.steadiness import Steadiness


class NetworkOff(Steadiness):
    """The reference's state, graded without a network, where the environment declares one.

    What it does: grades the state that the reference left in a sandbox without a network. It differs from the plain
    gradings only when the audit was allowed to give one (`--network`).

    What a hit proves: the tests themselves depend on what others serve: the same work fails when that changes or does
    not answer, and it fails as if it were wrong.

    What it cannot show: a dependence that ends in a failed download: that has a status of its own and is no grade.

    Seen in the wild: a benchmark's repair list holds remote fetches among the causes of changed grades.
    """

    id = "network-off"
    name = "Without the network"
    family = "determinism"
    trigger = "rollout-visible"
    version = 1
    order = 86
    effort = "deep"
    settings = ((("network", "none"),),)
    cause = "network-dependent"
    condition = "without a network"
    advice = "Ship in the image, or beside the tests, what they compare with."

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """Only where the environment declares a network."""
        if environment.network == "none":
            return NotApplicable("the environment declares no network, and none is given")
        return super().plan(environment, survey)
