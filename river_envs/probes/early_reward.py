"""Isolation: a reward written before the tests."""

from __future__ import annotations

from river_envs.probes.tamper import Tamper


class EarlyReward(Tamper):
    """A reward file that is there before the tests start.

    What it does: writes 1 to /logs/verifier/reward.txt and the same to reward.json, then grades the untouched image.

    What a hit proves: an old reward survives until it is read.

    What it cannot show: what another harness does; Harbor and this project remove old rewards first.

    Seen in the wild: scripts that write a reward on success only, below harnesses that do not clean up.
    """

    id = "early-reward"
    name = "Reward written early"
    family = "isolation"
    trigger = "privileged"
    version = 1
    order = 117
    effort = "deep"
    seen = "a reward file from before the tests"
    remedy = "Empty /logs/verifier before the tests, and write a reward on every path."

    def script(self, sting: bool) -> str:
        """Leave the reward."""
        text, json = ("1", '{"reward": 1}') if sting else ("0", '{"reward": 0}')
        return (
            f"mkdir -p /logs/verifier && echo {text} >/logs/verifier/reward.txt"
            f" && echo '{json}' >/logs/verifier/reward.json\n"
        )
