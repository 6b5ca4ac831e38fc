"""Reference: does a solution believed right pass, every time?"""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.outcome import Status
from river_envs.probes import disagreement, time_outs
from river_envs.probes.base import (
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Restore,
    Result,
    Solve,
    Survey,
)
from river_envs.probes.judging import hit
from river_envs.probes.leads import unsteady
from river_envs.probes.refusal_cause import follow_ups, given_network, narrowed, series
from river_envs.verify.network import may_reach_out, says_unreachable

FIRST, GROWN = 3, 10


class ReferencePasses(Probe):
    """The reference, graded three times, ten when there is reason for doubt.

    What it does: runs the reference once in a fresh sandbox and grades it in place, keeping its delta; then grades
    that delta in fresh sandboxes. Where the delta is rejected though the run was accepted, what the reference left
    running may matter: then it is run again and graded in place. A disagreement, or random numbers and clocks in the
    tests, grow the series to ten. So does a time-out beside passes (``time_outs.py``), until two or three were waited
    for.

    Where a full series disagrees, the same state is graded under fixed hash seeds (``disagreement.py``). Where all are
    refused, up to five attempts look for the reason (``refusal_cause.py``): what listens, the state with the one thing
    or value that the failing assertion asks for, the state without the network.

    What a hit proves: a trusted reference is rejected each time (reference-fails), for want of something that the
    instruction never names (hidden-requirement) or because another value is expected (wrong-expectation); that the
    tests want a service or a network that nobody gives (needs-service, needs-network) or more time on right work than
    they have (too-slow); or that one state is graded
    differently (flaky, machine-dependent, network-dependent): rewarded or not, or rewarded in a small part of the time
    limit or hanging.

    What it cannot show: that the reference is right; the reason of a refusal where the tests do not tell it. Three
    passes leave a flake of one in two undiscovered one time in eight.

    Seen in the wild: references that fail on a few tasks of 500, some only in one run of five; one corpus where 89 % of
    the "broken references" came from a container shared with the no-op run.
    """

    id = "reference"
    name = "Reference passes"
    family = "reference"
    trigger = "rollout-visible"
    version = 7
    order = 10

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One run in place."""
        if environment.reference is None:
            return NotApplicable("the environment has no reference: rejects-right cannot be proved")
        return [self._solve(environment, 0)]

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The rest of the series, in the way that the first results ask for."""
        plain, done = series(results), len(results)
        if disagreement.due(plain, GROWN):
            return disagreement.follow_up(self, environment, results)
        if len(plain) < done:
            return follow_ups(self, environment, results, background)
        if time_outs.late(environment, results):
            return self._after_time_out(environment, results)
        if not results or not results[0].graded:
            retried = len(results) < 2
            return [self._solve(environment, len(results))] if results and retried else ()
        wanted = GROWN if _disagree(results) or unsteady(environment) else FIRST
        restored = [result for result in results if _restores(result)]
        if not results[0].passed or (len(restored) >= 2 and not any(result.passed for result in restored)):
            wanted = max(wanted, len(restored) + FIRST)
            if done >= wanted and all(result.graded and not result.passed for result in results):
                return follow_ups(self, environment, results, background)
            return [self._solve(environment, repeat) for repeat in range(done, wanted)]
        stop = FIRST if done < FIRST else min(done + 1, wanted)
        return [self._restore(environment, repeat) for repeat in range(done, stop)]

    def _after_time_out(self, environment: Environment, results: Sequence[Result]) -> Sequence[Attempt]:
        """One more attempt after something ran out of time: once where nothing passed yet, else until the series is
        full or enough waits were for nothing.
        """
        done, late = len(results), time_outs.late(environment, results)
        ended = [result for result in results if result not in late]
        if not any(result.passed for result in ended):
            return [self._solve(environment, done)] if done < 2 else ()
        restored = [result for result in results if _restores(result)]
        if len(restored) >= 2 and not any(result.passed for result in restored):
            waits = sum(not _restores(result) for result in late) < 2
            return [self._solve(environment, done)] if waits and done < len(restored) + FIRST else ()
        if len(late) >= time_outs.most(environment) or not all(result.graded for result in ended):
            return ()
        return [self._restore(environment, done)] if done < GROWN else ()

    def _solve(self, environment: Environment, repeat: int) -> Attempt:
        return self.attempt(environment, Solve(), repeat=repeat, question="Does the reference pass?")

    def _restore(self, environment: Environment, repeat: int) -> Attempt:
        return self.attempt(
            environment,
            Restore(),
            arm="again",
            repeat=repeat,
            question="Does the state that the reference left pass again?",
        )

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Passes every time, fails every time, or neither."""
        every, results = results, series(results)
        in_place = [result for result in results if not _restores(result)]
        graded = [result for result in results if result.graded]
        if hanging := time_outs.mixed(self, environment, results):
            return hanging
        if any(not result.effective for result in in_place):
            return Judgement(ProbeStatus.ERROR, "the reference did not run to its end: " + _why(in_place))
        if results and not graded and all(r.outcome.status is Status.NEEDS_NETWORK for r in results):
            return self._without_network(environment, results, background)
        if time_outs.alone(results) and background.zero and background.vouched:
            return hit(
                self,
                environment,
                "broken",
                "too-slow",
                results,
                f"The verifier did not finish within {environment.verifier.timeout_sec:g} s on the reference's work,"
                f" {len(results)} times: right work earns nothing. The untouched image is graded in time.",
                "Make the tests faster or raise the limit.",
            )
        if not graded or len(graded) < len(results):
            return Judgement(ProbeStatus.ERROR, _why(results))
        solved = [result for result in graded if not _restores(result)]
        restored = [result for result in graded if _restores(result)]
        if len(solved) >= 2 and restored and all(r.passed for r in solved) and not any(r.passed for r in restored):
            return Judgement(ProbeStatus.SURVIVED, "needs the processes that the reference leaves: graded in place")
        passed = sum(result.passed for result in graded)
        if passed == len(graded):
            return Judgement(ProbeStatus.SURVIVED, f"passed {passed} of {len(graded)}")
        if passed:
            return disagreement.attribute(self, environment, every, graded) or hit(
                self,
                environment,
                "unstable",
                "flaky",
                graded,
                f"The same solution passed {passed} of {len(graded)} gradings.",
                "Remove what differs between two gradings of one state (random numbers, time, order).",
                passed=passed,
                graded=len(graded),
            )
        if not background.vouched:
            return Judgement(ProbeStatus.ERROR, "the reference fails on a base that stands in for the recipe's own")
        cut_off = _cut_off(environment, graded)
        if cut_off:
            return Judgement(ProbeStatus.ERROR, cut_off)
        return narrowed(self, environment, every, background)

    def _without_network(
        self, environment: Environment, results: Sequence[Result], background: Background
    ) -> Judgement:
        """The tests cannot do without a network, whatever the work is."""
        exit_codes = [step.exit_code for result in results for step in result.receipt if step.action.get("solve")]
        told = any(result.outcome.status is Status.NEEDS_NETWORK for result in background.untouched)
        if environment.network != "none" or not background.vouched or any(exit_codes) or told:
            return Judgement(ProbeStatus.ERROR, _why(results))
        return hit(
            self,
            environment,
            "broken",
            "needs-network",
            results,
            f"The tests need a network, and the environment declares none: {results[0].outcome.detail}",
            "Install what the tests need in the image, or declare the network.",
        )


def _restores(result: Result) -> bool:
    return result.attempt.arm == "again"


def _disagree(results: Sequence[Result]) -> bool:
    return len({result.passed for result in results if result.graded}) > 1


def _cut_off(environment: Environment, results: Sequence[Result]) -> str:
    """Why a rejected reference may have wanted for a network only: it had none though one is declared, its output says
    so, or it ended with an error in an environment that declares a network.
    """
    if environment.network != "none" and not given_network(environment, results) and _reaches_out(environment):
        return "the reference is rejected without the network that the environment declares: audit it with --network"
    for step in (step for result in results for step in result.receipt if step.action.get("solve")):
        if says_unreachable(step.output):
            return "the reference could not reach the network: audit it with --network if the environment declares one"
        if environment.network != "none" and step.exit_code:
            return (
                f"the reference ended with status {step.exit_code}, perhaps for want of the declared network: --network"
            )
    return ""


def _reaches_out(environment: Environment) -> bool:
    """Whether anything in the tests or the reference may use a network: where nothing can, its absence explains
    nothing.
    """
    files = (*environment.verifier.files, *(environment.reference.files if environment.reference else ()))
    return any(may_reach_out(file.content.decode("utf-8", "replace")) for file in files)


def _why(results: Sequence[Result]) -> str:
    """The first reason why an attempt gave no grade."""
    for result in results:
        for step in result.receipt:
            if not step.done:
                return step.output[-300:] or "an action had no effect"
        if not result.graded:
            return f"{result.outcome.status}: {result.outcome.detail}"
    return "not run"
