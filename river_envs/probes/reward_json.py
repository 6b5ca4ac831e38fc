"""Isolation: a reward.json beside reward.txt."""

from __future__ import annotations

from river_envs.probes.late_reward import BACKGROUND, WAIT
from river_envs.probes.tamper import Tamper


class RewardJson(Tamper):
    """A reward.json, which is read before reward.txt, written while the tests run.

    What it does: leaves a process running that waits for reward.txt and writes {"reward": 1} to reward.json beside it;
    then grades the untouched image.

    What a hit proves: a file that the test script never writes decides the reward.

    What it cannot show: with certainty that there is no such hole: it is a race, tried four times.

    Seen in the wild: a planted reward.json beat a reward.txt of 0 in a public report.
    """

    id = "reward-json"
    name = "reward.json beside reward.txt"
    family = "isolation"
    trigger = "privileged"
    version = 1
    order = 119
    effort = "deep"
    tries = 4
    seen = "a reward.json beside the script's own reward.txt"
    remedy = "End the agent's processes before the tests, and remove reward.json where the script writes reward.txt."

    def script(self, sting: bool) -> str:
        """Leave the process."""
        write = 'echo "{\\"reward\\": 1}" >/logs/verifier/reward.json'
        return BACKGROUND.format(body=WAIT + write if sting else "sleep 600")
