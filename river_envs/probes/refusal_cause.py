"""Why a reference is refused each time: which attempts would tell, and what they prove.

Narrowed only on evidence that can be stated; everything else stays ``reference-fails``. All of it is read from recorded
attempts, but for the delta of the refused reference, which the audit lends while it plans (``Background.left``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from river_envs.environment import Environment
from river_envs.outcome import NETWORK_WITHHELD
from river_envs.probes import services
from river_envs.probes.base import PLAIN, Attempt, Background, Judgement, Probe, Put, Restore, Result, Run, Solve
from river_envs.probes.judging import hit
from river_envs.probes.refusal_grants import Grant, grants, judged, unnamed_in_image
from river_envs.probes.refusal_reading import Demand, Difference, asked, states_value
from river_envs.verify.failures import Failure, failures, passed_tests, same_each_time

MOST_GRANTS: Final = 2
_BROKE: Final = re.compile(
    r"Traceback \(most recent call last\)|command not found|No such file or directory|Permission denied"
    r"|Segmentation fault|syntax error",
    re.IGNORECASE,
)


def series(results: Sequence[Result]) -> list[Result]:
    """The plain gradings of the reference, without the attempts that look for a reason."""
    return [result for result in results if result.attempt.arm in PLAIN]


def given_network(environment: Environment, results: Sequence[Result]) -> bool:
    """Whether the environment declares a network and the attempts had it."""
    return environment.network != "none" and not any(NETWORK_WITHHELD in r.outcome.substitutions for r in results)


def follow_ups(
    probe: Probe, environment: Environment, results: Sequence[Result], background: Background
) -> list[Attempt]:
    """The attempts that would tell why a series of graded refusals was refused: at most five."""
    refused = series(results)
    if environment.network != "none":
        return _offline(probe, environment, results) if given_network(environment, refused) else []
    failed = failures(refused[0].outcome)
    if own_fault(environment, refused, failed) or not same_each_time([r.outcome for r in refused]):
        return []
    places = services.wanted(environment, failed)
    if places and services.excused(environment, places):
        return []
    if places:
        script = services.nothing_listens(places)
        return [
            probe.attempt(
                environment,
                Solve(),
                Run(script),
                arm="quiet",
                question=f"Does the reference leave anything that listens at {', '.join(places)}?",
                places=list(places),
            )
        ]
    return _granted(probe, environment, results, failed, background)


def _offline(probe: Probe, environment: Environment, results: Sequence[Result]) -> list[Attempt]:
    """The refused state without the network, and once more when that is rewarded."""
    before = [result for result in results if result.attempt.arm == "offline"]
    if before and not all(result.passed for result in before):
        return []
    question = "Is the state that the reference left rewarded without the network?"
    plain = probe.attempt(environment, Restore(), arm="offline", question=question)
    without = (("network", "none"),)
    return [replace(plain, repeat=repeat, conditions=without) for repeat in range(len(before) + 1)[:2]]


def _granted(
    probe: Probe,
    environment: Environment,
    results: Sequence[Result],
    failed: Sequence[Failure],
    background: Background,
) -> list[Attempt]:
    """The state with what the first failing assertion asks for; for a reward the same files as they were."""
    tried = [result for result in results if result.attempt.arm == "granted"]
    paid = next((result for result in tried if result.passed and result.effective), None)
    if paid is not None:
        own = tuple(action for action in paid.attempt.actions if not isinstance(action, Put))
        what = paid.attempt.facts["what"]
        same = next((one for one in _all_grants(environment, failed, background) if one.what == what), None)
        if same is None or not same.originals:
            return []
        return [probe.attempt(environment, *own, Put(same.originals), arm="own", what=what)]
    made = _all_grants(environment, failed, background)[:MOST_GRANTS]
    return [_attempt(probe, environment, grant, index) for index, grant in enumerate(made) if index <= len(tried)]


def _all_grants(environment: Environment, failed: Sequence[Failure], background: Background) -> list[Grant]:
    found = [asked(failure) for failure in failed]
    if background.left is None or not failed or found[0] is None or any(one != found[0] for one in found):
        return []
    return list(grants(environment, background.left, failed[0], found[0]))


def _attempt(probe: Probe, environment: Environment, grant: Grant, index: int) -> Attempt:
    search = (Run(unnamed_in_image(environment, grant.name)),) if grant.name and grant.searched else ()
    facts: dict[str, Any] = {
        "cause": grant.cause,
        "what": grant.what,
        "actual": grant.actual,
        "expected": grant.expected,
        "name": grant.name,
    }
    question = f"Is the reference's state rewarded with {grant.what}?"
    return probe.attempt(
        environment, Solve(), *search, *grant.actions, arm="granted", repeat=index, question=question, **facts
    )


def own_fault(environment: Environment, refused: Sequence[Result], failed: Sequence[Failure]) -> str:
    """What shows that the reference itself is broken; "" where nothing does."""
    for step in (step for result in refused for step in result.receipt if step.action.get("solve")):
        if step.exit_code:
            return f"the reference ends with status {step.exit_code}"
    for failure in failed:
        found = asked(failure)
        if isinstance(found, Demand) and found.what in {"path", "directory"} and found.name in environment.instruction:
            return f"the reference leaves no {found.name}, which the instruction asks for"
    return ""


def narrowed(
    probe: Probe, environment: Environment, results: Sequence[Result], background: Background
) -> Judgement:
    """What a series of refusals proves, with the attempts that looked for the reason."""
    refused = series(results)
    offline = [result for result in results if result.attempt.arm == "offline" and result.graded]
    if len(offline) > 1 and all(result.passed for result in offline):
        return hit(
            probe,
            environment,
            "unstable",
            "network-dependent",
            [*refused, *offline],
            "The state that the reference left is rejected with a network and rewarded without one.",
            "Ship in the image, or beside the tests, what they compare with.",
        )
    failed = failures(refused[0].outcome)
    steady = same_each_time([result.outcome for result in refused])
    fault = own_fault(environment, refused, failed)
    found = None
    if failed and steady and not fault:
        found = (
            _service(probe, environment, results, failed, background)
            or _paid(probe, environment, results, failed)
            or _told(probe, environment, results, failed)
        )
    return found or _not_narrowed(probe, environment, refused, failed, fault)


def _not_narrowed(
    probe: Probe, environment: Environment, refused: Sequence[Result], failed: Sequence[Failure], fault: str
) -> Judgement:
    failing = next((failure.test for failure in failed if failure.test), "")
    return hit(
        probe,
        environment,
        "rejects-right",
        "reference-fails",
        refused,
        f"The shipped reference is rejected in all {len(refused)} gradings"
        + (f" (first failing test: {failing})" if failing else "")
        + (f"; {fault}." if fault else "."),
        "Repair the test or the reference: right work earns nothing here.",
        passed=0,
        graded=len(refused),
    )


def _service(
    probe: Probe,
    environment: Environment,
    results: Sequence[Result],
    failed: Sequence[Failure],
    background: Background,
) -> Judgement | None:
    """Every failing test wanted something that listens, nobody was asked for it, and nothing does."""
    places = services.wanted(environment, failed)
    quiet = next((r for r in results if r.attempt.arm == "quiet" and r.effective and r.graded and not r.passed), None)
    if not places or quiet is None or services.excused(environment, places):
        return None
    names = {failure.test for failure in failed}
    for result in background.untouched:
        same = [failure for failure in failures(result.outcome) if failure.test in names]
        if not same or not services.wanted(environment, same):
            return None
    return hit(
        probe,
        environment,
        "broken",
        "needs-service",
        [*background.untouched, *series(results), quiet],
        f"The tests connect to {', '.join(places)} of their own machine, where nothing listens, with the reference's"
        " work as without; the instruction asks for no such service.",
        "Start the service from the tests or the image, or ask for it in the instruction.",
        places=list(places),
        failing=sorted(names)[:5],
    )


def _paid(
    probe: Probe, environment: Environment, results: Sequence[Result], failed: Sequence[Failure]
) -> Judgement | None:
    """A grant was rewarded, and the same files as the reference left them were not."""
    paid = next((r for r in results if r.attempt.arm == "granted" and r.passed and r.effective), None)
    own = [r for r in results if r.attempt.arm == "own" and r.graded]
    if paid is None or any(result.passed for result in own):
        return None
    facts, proof = paid.attempt.facts, [*series(results), paid, *own]
    if facts["cause"] == "wrong-expectation":
        return _expectation(probe, environment, proof, failed, facts["actual"], facts["expected"], facts["what"])
    return _hidden(probe, environment, proof, failed, facts, "with it the state is rewarded")


def _told(
    probe: Probe, environment: Environment, results: Sequence[Result], failed: Sequence[Failure]
) -> Judgement | None:
    """Without a reward: a grant that the failing test went past, or two values that the failing tests compare."""
    past = next((r for r in results if r.attempt.arm == "granted" and _goes_on(r, failed)), None)
    if past is not None and past.attempt.facts["cause"] == "hidden-requirement" and past.attempt.facts["name"]:
        proof = [*series(results), past]
        return _hidden(probe, environment, proof, failed, past.attempt.facts, "with it that assertion holds")
    found = asked(failed[0])
    output = "\n".join(s.output for r in series(results) for s in r.receipt if s.action.get("solve"))
    every = [failure for result in series(results) for failure in failures(result.outcome)]
    if not isinstance(found, Difference) or any(asked(failure) != found for failure in every) or _BROKE.search(output):
        return None
    tried = any(result.attempt.arm == "granted" for result in results)
    if tried or not passed_tests(series(results)[0].outcome) or "Traceback (most" in failed[0].words:
        return None
    stated = states_value(environment, found.left) or states_value(environment, found.right)
    if stated or judged(environment, found.left, found.right) != "wrong-expectation" or _empty(found):
        return None
    left, right = repr(found.left)[:80], repr(found.right)[:80]
    return _expectation(probe, environment, series(results), failed, left, right, "")


def _empty(found: Difference) -> bool:
    """Whether one side holds nothing: then something is missing, and no value is wrong."""
    return any(value in ("", [], {}, (), 0) for value in (found.left, found.right))


def _goes_on(result: Result, failed: Sequence[Failure]) -> bool:
    """Whether the failing test got past its assertion once it was granted."""
    if not result.effective or not result.graded or result.passed:
        return False
    before, now = asked(failed[0]), failures(result.outcome)
    return bool(now) and all(asked(failure) != before for failure in now)


def _hidden(
    probe: Probe,
    environment: Environment,
    proof: Sequence[Result],
    failed: Sequence[Failure],
    facts: dict[str, Any],
    shown: str,
) -> Judgement:
    return hit(
        probe,
        environment,
        "rejects-right",
        "hidden-requirement",
        proof,
        f"The trusted reference is rejected for want of {facts['what']}, of which the instruction says nothing:"
        f" {shown}.",
        "State the requirement in the instruction, or drop the assertion.",
        what=facts["what"],
        name=facts["name"],
        failing=failed[0].test,
    )


def _expectation(
    probe: Probe,
    environment: Environment,
    proof: Sequence[Result],
    failed: Sequence[Failure],
    actual: str,
    expected: str,
    what: str,
) -> Judgement:
    shown = (
        f"The trusted reference gives {actual}, the tests expect {expected}; with that alone changed the state is"
        " rewarded."
        if what
        else f"The tests compare {actual} with {expected} where the trusted reference was right; all others pass."
    )
    return hit(
        probe,
        environment,
        "rejects-right",
        "wrong-expectation",
        proof,
        shown,
        "Compute the expected value anew from the inputs and correct the test.",
        actual=actual,
        expected=expected,
        what=what,
        failing=failed[0].test,
    )
