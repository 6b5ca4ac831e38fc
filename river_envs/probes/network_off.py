"""Determinism: without the network that an environment declares."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.outcome import NETWORK_WITHHELD
from river_envs.probes.base import Attempt, Effort, Judgement, NotApplicable, ProbeStatus, Result, Survey
from river_envs.probes.steadiness import Steadiness


class NetworkOff(Steadiness):
    """The reference's state, graded without a network, where the environment declares one.

    What it does: grades the state that the reference left in a sandbox without a network. It differs from the plain
    gradings only when the audit was allowed to give one (`--network`).

    What a hit proves: the tests themselves depend on what others serve: the same work fails when that changes or does
    not answer, and it fails as if it were wrong.

    What it cannot show: a dependence that ends in a failed download: that has a status of its own and is no grade.
    Anything where the audit gives no network: all gradings were without one, and it says so.

    Seen in the wild: a benchmark's repair list holds remote fetches among the causes of changed grades.
    """

    id = "network-off"
    name = "Without the network"
    family = "determinism"
    trigger = "rollout-visible"
    version = 2
    order = 80
    effort = "deep"
    settings = ((("network", "none"),),)
    cause = "network-dependent"
    condition = "without a network"
    advice = "Ship in the image, or beside the tests, what they compare with."

    def worth(self, environment: Environment) -> Effort:
        """Standard where a network is declared."""
        return self.effort if environment.network == "none" else "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """Only where the environment declares a network."""
        if environment.network == "none":
            return NotApplicable("the environment declares no network, and none is given")
        return super().plan(environment, survey)

    def _steady(self, under: Sequence[Result], plain: Sequence[Result]) -> Judgement:
        """Without a network to take away nothing was asked."""
        if any(NETWORK_WITHHELD in result.outcome.substitutions for result in under):
            reason = "the audit gave no network, so that none could be taken away: audit it with --network"
            return Judgement(ProbeStatus.NOT_APPLICABLE, reason)
        return super()._steady(under, plain)
