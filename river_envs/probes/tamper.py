"""What the isolation probes share: something left in the image that changes how the tests are run.

No work is done: the untouched image scores 0, so a reward is the tamper's own. Every rewarded tamper is tried again
without its sting (the same files and processes, inert). A hole belongs to the image and the way its tests are started,
not to one task: it is told with the trigger ``privileged`` and never counts against an environment;
``river-envs harness`` lists the holes of a corpus once for each image and test script. The table of causes has no name
for them: they are told as ``self-report`` (a status that the agent made up is rewarded), with the hole's own name in
the evidence.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from river_envs.environment import Environment
from river_envs.probes.base import (
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Result,
    Run,
    Survey,
)
from river_envs.probes.judging import hit, unproven


class Tamper(Probe):
    """Runs ``script(sting)`` as the agent would, then grades. Subclasses say what it leaves behind."""

    seen: ClassVar[str]
    """What was left behind, in words."""
    remedy: ClassVar[str]
    tries: ClassVar[int] = 1
    """How often a tamper that was not rewarded is tried: a race needs more than one."""

    @abstractmethod
    def script(self, sting: bool) -> str:
        """The shell script; without ``sting`` what it leaves behind does nothing. It fails where it cannot write."""

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The tamper on the untouched image."""
        return [self._attempt(environment, sting=True)]

    def _attempt(self, environment: Environment, *, sting: bool, repeat: int = 0) -> Attempt:
        return self.attempt(
            environment,
            Run(self.script(sting)),
            arm="probe" if sting else "benign",
            repeat=repeat,
            question=f"Is the untouched image rewarded with {self.seen}?",
        )

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The same without the sting, once it paid; before that, another try where it is a race."""
        if any(result.paid and result.attempt.arm == "probe" for result in results):
            return [self._attempt(environment, sting=False)]
        again = len(results) < self.tries and results[-1].graded and results[-1].effective
        return [self._attempt(environment, sting=True, repeat=len(results))] if again else ()

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Rewarded with the sting and not without it."""
        probe = [result for result in results if result.attempt.arm == "probe"]
        if background.zero and probe and not any(result.graded for result in probe):
            return Judgement(ProbeStatus.SURVIVED, f"no reward: {probe[0].outcome.status}")
        nothing = unproven(probe, background)
        if nothing:
            return nothing
        paid = [result for result in probe if result.paid]
        plain = [result for result in results if result.attempt.arm == "benign" and result.effective]
        if not paid:
            return Judgement(ProbeStatus.SURVIVED)
        if not plain or any(result.passed for result in plain):
            return Judgement(ProbeStatus.SURVIVED, "rewarded without the sting as well: not the tamper's doing")
        return hit(
            self, environment, "accepts-wrong", "self-report", [paid[0], plain[0]],
            f"The untouched image is rewarded with {self.seen}.", self.remedy, hole=self.id,
        )
