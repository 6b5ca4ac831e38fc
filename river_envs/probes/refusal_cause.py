"""Why a reference is refused each time: which attempts would tell, and what they prove.

Narrowed only on evidence that can be stated; everything else stays ``reference-fails``. All of it is read from recorded
attempts, but for the delta of the refused reference, which the audit lends while it plans (``Background.left``).
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from river_envs.environment import Environment
from river_envs.outcome import NETWORK_WITHHELD
from river_envs.probes import refusal_state as state
from river_envs.probes import services
from river_envs.probes.base import PLAIN, Attempt, Background, Judgement, Probe, Put, Restore, Result, Run, Solve
from river_envs.probes.judging import hit
from river_envs.probes.refusal_grants import Grant, grants, judged, searched_places, unnamed_in_image
from river_envs.probes.refusal_reading import Asked, Demand, Difference, asked, described, nearly, unstated
from river_envs.probes.refusal_tree import Comparison, Denial, own_data, said
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
    if ended_badly(refused) or not failed or not same_each_time([r.outcome for r in refused]):
        return []
    places = services.wanted(environment, failed)
    if places and services.excused(environment, places):
        return []
    if places:
        return [_quiet(probe, environment, places)]
    found = demanded(environment, failed[0])
    looked = [result for result in results if result.attempt.arm == "looked"]
    if not looked:
        name = _name(found) if isinstance(found, Demand) else ""
        near = nearly(environment, name) if isinstance(found, Demand) and found.what == "key" else ""
        return [state.look(probe, environment, name, near)] if found and not isinstance(found, Denial) else []
    return [] if state.fault(environment, looked[0]) else _granted(probe, environment, results, failed, background)


def _quiet(probe: Probe, environment: Environment, places: Sequence[str]) -> Attempt:
    """The reference, after which nothing may listen at the places; where it starts something, no file may name them."""
    script = services.nothing_listens(places)
    if services.starts_itself(environment) or services.asks_for_service(environment, places):
        script = f"! grep -rqsaE -e {shlex.quote(services.unnamed(places))} {shlex.join(searched_places(environment))}"
        script = f"{script} || exit 1\n{services.nothing_listens(places)}"
    question = f"Does the reference leave anything that listens at {', '.join(places)}?"
    return probe.attempt(environment, Solve(), Run(script), arm="quiet", question=question, places=list(places))


def _offline(probe: Probe, environment: Environment, results: Sequence[Result]) -> list[Attempt]:
    """The refused state without the network, and once more when that is rewarded; where processes may matter, the
    reference run without it.
    """
    question = "Is the state that the reference left rewarded without the network?"
    for arm, action in (("offline", Restore()), ("offline in place", Solve())):
        before = [result for result in results if result.attempt.arm == arm]
        plain = probe.attempt(environment, action, arm=arm, question=question)
        if not before or all(result.passed for result in before):
            without = (("network", "none"),)
            return [replace(plain, repeat=repeat, conditions=without) for repeat in range(len(before) + 1)[:2]]
    return []


def _granted(
    probe: Probe,
    environment: Environment,
    results: Sequence[Result],
    failed: Sequence[Failure],
    background: Background,
) -> list[Attempt]:
    """The state with what the first failing assertion asks for; for a reward the same files as they were."""
    tried = [result for result in results if result.attempt.arm == "granted"]
    paid = next((result for result in tried if result.paid), None)
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
    found = [demanded(environment, failure) for failure in failed]
    first = found[0] if found and all(one == found[0] for one in found) else None
    if background.left is None or not isinstance(first, Demand | Difference):
        return []
    return list(grants(environment, background.left, failed[0], first))


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


def ended_badly(refused: Sequence[Result]) -> str:
    """What shows that the reference itself is broken: the status it ends with, or what it prints."""
    for step in (step for result in refused for step in result.receipt if step.action.get("solve")):
        if step.exit_code:
            return f"the reference ends with status {step.exit_code}"
        broke = _BROKE.search(step.output)
        if broke:
            return f"the reference says {broke.group()!r}"
    return ""


def demanded(environment: Environment, failure: Failure) -> Asked | Comparison | Denial | None:
    """What the failing assertion asks for: by its syntax tree where that is plain, else by the words of the report."""
    tree, words = said(environment, failure), asked(failure)
    missing = words.name if isinstance(words, Demand) and words.what == "key" else ""
    if missing and (statement := own_data(environment, failure, missing)):
        return Comparison(f"their own data hold no {missing!r}: {statement}")
    plain = isinstance(tree, Demand) and (tree.what != "text" or not isinstance(words, Demand))
    if isinstance(tree, Denial) or plain:
        return tree
    if isinstance(tree, Comparison) and tree.success:
        return None
    if isinstance(words, Difference) and isinstance(tree, Comparison) and tree.expected == repr(words.left):
        return replace(words, left=words.right, right=words.left)
    if isinstance(tree, Comparison) and not isinstance(words, Difference):
        return words if isinstance(words, Demand) and words.what in {"key", "pattern", "prefix", "suffix"} else tree
    return words or tree


def _name(found: Demand) -> str:
    return posixpath.basename(found.name) if found.what in {"path", "directory"} else found.name


def narrowed(
    probe: Probe, environment: Environment, results: Sequence[Result], background: Background
) -> Judgement:
    """What a series of refusals proves, with the attempts that looked for the reason."""
    refused = series(results)
    for arm in ("offline", "offline in place"):
        offline = [result for result in results if result.attempt.arm == arm and result.graded]
        if len(offline) > 1 and all(result.passed for result in offline):
            return hit(
                probe,
                environment,
                "unstable",
                "network-dependent",
                [*refused, *offline],
                "What the reference left is rejected with a network and rewarded without one.",
                "Ship in the image, or beside the tests, what they compare with.",
            )
    failed = failures(refused[0].outcome)
    looked = next((result for result in results if result.attempt.arm == "looked"), None)
    fault = ended_badly(refused) or (state.fault(environment, looked) if looked else "")
    found = None
    owned = any(result.passed for result in results if result.attempt.arm == "own")
    if failed and not fault and not owned and same_each_time([result.outcome for result in refused]):
        found = (
            _service(probe, environment, results, failed, background)
            or _paid(probe, environment, results, failed)
            or (_told(probe, environment, results, failed, looked) if looked else None)
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
        if any(test.name in names and test.outcome == "passed" for test in result.outcome.tests):
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
    paid = next((r for r in results if r.attempt.arm == "granted" and r.paid), None)
    own = [r for r in results if r.attempt.arm == "own" and r.graded]
    if paid is None:
        return None
    facts, proof = paid.attempt.facts, [*series(results), paid, *own]
    if facts["cause"] == "wrong-expectation":
        return _expectation(probe, environment, proof, failed, facts["actual"], facts["expected"], "", paid=True)
    return _hidden(probe, environment, proof, failed, facts, "with it the state is rewarded")


def _told(
    probe: Probe, environment: Environment, results: Sequence[Result], failed: Sequence[Failure], looked: Result
) -> Judgement | None:
    """Without a reward: the reference made what the instruction names, and one assertion wants something else."""
    refused = series(results)
    past = next((r for r in results if r.attempt.arm == "granted" and _goes_on(environment, r, failed)), None)
    proof = [*refused, looked] if past is None else [*refused, looked, past]
    shown = "the reference leaves all that it does name" if past is None else "with it that assertion holds"
    every = [demanded(environment, failure) for failure in failed]
    found = every[0]
    if any(one != found for one in every) and (len(failed) > 1 and passed_tests(refused[0].outcome) < len(failed)):
        return None
    if isinstance(found, Demand) and (near := state.has_near(looked)):
        return _expectation(probe, environment, proof, failed, f"the key {near!r}", f"the key {found.name!r}", "")
    if isinstance(found, Demand):
        hidden = not state.held(looked) and unstated(environment, found)
        what = described(found)
        return _hidden(probe, environment, proof, failed, {"what": what, "name": found.name}, shown) if hidden else None
    if isinstance(found, Comparison):
        return _expectation(probe, environment, proof, failed, "another value", found.expected, found.shown)
    if not isinstance(found, Difference) or found.left in ("", [], {}, (), 0):  # something is missing, no value wrong
        return None
    left, right = repr(found.left)[:80], repr(found.right)[:80]
    cause = judged(environment, found.left, found.right)
    if cause == "hidden-requirement":
        return _hidden(probe, environment, proof, failed, {"what": f"{right} for {left}", "name": ""}, shown)
    return _expectation(probe, environment, proof, failed, left, right, "") if cause else None


def _goes_on(environment: Environment, result: Result, failed: Sequence[Failure]) -> bool:
    """Whether the failing test got past its assertion once it was granted."""
    if not result.effective or not result.graded or result.passed:
        return False
    before, now = demanded(environment, failed[0]), failures(result.outcome)
    return bool(now) and all(demanded(environment, failure) != before for failure in now)


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
    statement: str,
    *,
    paid: bool = False,
) -> Judgement:
    shown = f"The trusted reference gives {actual}, the tests expect {expected or 'one that they compute'}"
    shown += f" ({statement})" if statement else ""
    shown += "; with that alone changed the state is rewarded." if paid else "."
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
        statement=statement or failed[0].statement,
        failing=failed[0].test,
    )
