"""Control: the untouched image."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.outcome import Status
from river_envs.probes import services
from river_envs.probes.base import (
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Result,
    Survey,
)
from river_envs.probes.judging import hit
from river_envs.verify.failures import failures, passed_tests

_BROKEN: dict[Status, tuple[str, str, str]] = {
    Status.BUILD_FAILED: (
        "build-fails",
        "The image cannot be built.",
        "Repair the recipe; the log of the failing step is in the attempt.",
    ),
    Status.NO_REWARD_FILE: (
        "no-reward-file",
        "The verifier ended without writing a reward.",
        "Write 1 or 0 to /logs/verifier/reward.txt on every path; a `set -e` above that line skips it.",
    ),
    Status.MALFORMED_REWARD: (
        "no-reward-file",
        "The verifier wrote a reward that is no number.",
        "Write one number to reward.txt.",
    ),
    Status.VERIFIER_CRASHED: (
        "verifier-crashes",
        "The verifier died before any test had judged the state.",
        "Run the tests once on the untouched image and repair what stops them from starting.",
    ),
    Status.VERIFIER_TIMEOUT: (
        "too-slow",
        "The verifier did not finish within its time limit.",
        "Make the tests faster or raise the limit.",
    ),
    Status.NEEDS_NETWORK: (
        "needs-network",
        "The verifier needs a network, and the environment declares none.",
        "Install what the tests need in the image, or declare the network.",
    ),
}
_ON_FAILURE = (
    "The verifier writes a reward for work that passes and none on failure: the reference earned one, on the untouched"
    " image",
    "Write 0 where a test fails: drop `set -e`, or write 0 before the tests start.",
)
"""Message and advice where what passes is paid, so that only the other half of the rewards is missing."""
_REFERENCE_DECIDES = frozenset(
    {Status.VERIFIER_TIMEOUT, Status.VERIFIER_CRASHED, Status.MALFORMED_REWARD, Status.NEEDS_NETWORK}
)


class Untouched(Probe):
    """The image as built, graded twice without any work.

    What it does: starts a fresh sandbox, changes nothing, grades; then the same again.

    What a hit proves: a reward for nothing (pays-for-nothing), two different grades of one state (flaky), or that no
    reward can be had at all (broken, with the cause: build-fails, verifier-crashes, no-reward-file, needs-network,
    too-slow, and, where there is no reference to ask, needs-service: every test ends, before it looks at anything, in a
    refused connection to a service that nobody is asked to start). Where the reference earns a reward and the untouched
    state leaves no reward file, no reward *on failure* is told from no reward at all: the cause is one, the remedy not.

    What it cannot show: anything about wrong work. A verifier that only looks for a file scores 0 here.

    Seen in the wild: doing nothing passes 38 % of an airline benchmark's tasks; 7 of 14,601 public TMax environments
    pay for the untouched image; tests that pass before any work were reported for several terminal benchmarks.
    """

    id = "untouched"
    name = "Untouched image"
    family = "control"
    trigger = "rollout-visible"
    version = 4
    order = 0

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """Two gradings of nothing."""
        return [
            self.attempt(environment, repeat=repeat, question="Is the untouched image rewarded?") for repeat in range(2)
        ]

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """Three more gradings when the two disagree: an unstable control needs more than one disagreement to be
        sized.
        """
        graded = [result for result in results if result.graded]
        if len(results) == 2 and len(graded) == 2 and graded[0].passed != graded[1].passed:
            return [self.attempt(environment, repeat=repeat) for repeat in range(2, 5)]
        return ()

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Reward for nothing, instability, or a broken verifier."""
        graded = [result for result in results if result.graded]
        passed = [result for result in graded if result.passed]
        if graded and len(passed) == len(graded) == len(results):
            return hit(
                self,
                environment,
                "accepts-wrong",
                "pays-for-nothing",
                results,
                "The untouched image is rewarded: no work is needed.",
                "Assert on something that only the asked work can produce.",
            )
        if passed:
            return hit(
                self,
                environment,
                "unstable",
                "flaky",
                results,
                f"The untouched image was rewarded in {len(passed)} of {len(graded)} gradings.",
                "Remove what differs between two gradings of one state (random numbers, time, order).",
            )
        if results and len(graded) == len(results):
            return self._without_service(environment, results, background) or Judgement(ProbeStatus.SURVIVED)
        return self._without_reward(environment, [r for r in results if not r.graded], background)

    def _without_service(
        self, environment: Environment, results: Sequence[Result], background: Background
    ) -> Judgement | None:
        """Whether no work that is asked for could have a test begin. A reference, where there is one, is asked.

        A plain script has no phases: its first failure ends it.
        """
        if environment.reference is not None or not background.vouched or not services.only_data(environment):
            return None
        found: tuple[str, ...] = ()
        for result in results:
            failed = failures(result.outcome)
            found = services.wanted(environment, failed)
            if passed_tests(result.outcome) or not found or any(failure.phase == "call" for failure in failed):
                return None
        asked = services.asks_for_service(environment, found) or services.starts_itself(environment)
        if asked or services.excused(environment, found) or services.runs_programs(environment):
            return None
        return hit(
            self,
            environment,
            "broken",
            "needs-service",
            results,
            f"No test begins: each connects first to {', '.join(found)} of its own machine, where nothing listens; the"
            " instruction asks for files of data and for no service.",
            "Start the service from the tests or the image, or ask for it in the instruction.",
            places=list(found),
        )

    def _without_reward(self, environment: Environment, failed: Sequence[Result], background: Background) -> Judgement:
        """What follows when a control gave no reward: broken only where nothing but the environment can be the
        reason.
        """
        if not failed:
            return Judgement(ProbeStatus.ERROR, "the control was not run")
        statuses = {result.outcome.status for result in failed}
        status = failed[0].outcome.status
        detail = failed[0].outcome.detail or str(status)
        if len(statuses) > 1 or status not in _BROKEN:
            return Judgement(ProbeStatus.ERROR, f"{status}: {detail}")
        if status is Status.BUILD_FAILED and any(step.action.get("blameless") for step in failed[0].receipt):
            return Judgement(ProbeStatus.ERROR, f"build-failed, perhaps through no fault of the recipe: {detail}")
        if status is Status.NEEDS_NETWORK and environment.network != "none":
            return Judgement(ProbeStatus.ERROR, "needs the network that it declares: audit it with --network")
        if status in _REFERENCE_DECIDES and any(result.graded for result in background.reference):
            return Judgement(
                ProbeStatus.ERROR, f"{status} on the untouched image, though the reference is graded: {detail}"
            )
        if status is not Status.BUILD_FAILED and not background.vouched:
            return Judgement(ProbeStatus.ERROR, f"{status} on a base that stands in for the recipe's own: {detail}")
        cause, message, advice = _BROKEN[status]
        alone = len(failed) == len(background.untouched)
        if status is Status.NO_REWARD_FILE and alone and any(result.passed for result in background.reference):
            message, advice = _ON_FAILURE
        return hit(self, environment, "broken", cause, failed, f"{message} {detail}".strip(), advice)
