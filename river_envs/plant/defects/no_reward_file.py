"""no-reward-file: the verifier ends without a reward."""

from __future__ import annotations

import re
from random import Random

from river_envs.environment import Environment
from river_envs.plant.base import PAYS, REFUSES, RESTORED, UNTOUCHED, CannotCarry, Defect, Demonstration, Planted
from river_envs.plant.subject import Subject
from river_envs.plant.suite import REWARD, read_suite, script_of, with_script

_ABSENT = frozenset({"no-reward-file"})


class NoRewardFile(Defect):
    """The script stops before it writes a reward when a test fails (``set -e``), or writes it to another place, or
    under a name that nobody reads. Differs from a sound variant in that some or all states end without a reward
    file.
    """

    cause = "no-reward-file"

    def form_stops_early(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """set -e ends the script at the first failing test."""
        suite = read_suite(subject.environment.verifier)
        if isinstance(suite, CannotCarry) or not suite.command:
            return suite if isinstance(suite, CannotCarry) else CannotCarry("the tests are shell code")
        option = rng.choice(["set -e", "set -euo pipefail", "set -eu"])
        last = rng.choice(
            [
                REWARD,
                "status=$?\necho $((status == 0)) > /logs/verifier/reward.txt",
            ]
        )
        text = f"#!/bin/bash\n{option}\nmkdir -p /logs/verifier\ncd /tests\n{suite.command}\n{last}\n"
        made = with_script(subject.environment, text)
        proof = (
            Demonstration("a right state is paid", RESTORED, PAYS),
            Demonstration("the untouched image ends without a reward", UNTOUCHED, _ABSENT, REFUSES),
        )
        return self.made(made, f"'{option}' ends the script before it writes the reward of a failing state", *proof)

    def form_other_place(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The reward is written where nobody looks."""
        script = script_of(subject.environment.verifier) or ""
        place = rng.choice(
            [
                "/logs/reward.txt",
                "/tests/reward.txt",
                "/logs/verifier/result.txt",
                "/verifier/reward.txt",
                "/app/reward.txt",
            ]
        )
        text = re.sub(r"/logs/verifier/reward\.(?:txt|json)", place, script)
        if text == script:
            return CannotCarry("the script does not write the reward itself")
        if place.startswith("/verifier"):
            text = text.replace("mkdir -p /logs/verifier", "mkdir -p /logs/verifier /verifier")
        return self._always(with_script(subject.environment, text), f"the reward is written to {place}")

    def form_leaves_early(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The script leaves with the status of the tests."""
        suite = read_suite(subject.environment.verifier)
        if isinstance(suite, CannotCarry) or not suite.command:
            return suite if isinstance(suite, CannotCarry) else CannotCarry("the tests are shell code")
        ending = rng.choice(["exit $?", "exit ${PIPESTATUS[0]}", "status=$?\nexit $status"])
        text = f"#!/bin/bash\ncd /tests\n{suite.command}\n{ending}\n"
        return self._always(
            with_script(subject.environment, text), "the script ends with the tests' status and writes no reward"
        )

    def _always(self, made: Environment, note: str) -> Planted:
        return self.made(made, note, Demonstration("no reward is written for a right state", RESTORED, _ABSENT, PAYS))
