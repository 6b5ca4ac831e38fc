"""Time-outs among the repeats of a reference: a grading, or a solution, that hangs now and then.

A time-out alone is infrastructure and proves nothing (``too-slow`` or an error). Beside passing gradings of the same
state it is a disagreement, and then only where slowness cannot explain it: what passed took a small part of the limit.
How many may be waited for depends on how long each wait is.
"""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.outcome import Status
from river_envs.probes.base import Judgement, Probe, ProbeStatus, Result
from river_envs.probes.judging import hit

LONG_SEC = 300.0
"""A limit from which on only two time-outs are waited for."""
CLEAR, BARE = 0.1, 0.5
"""What passed took at most this share of the limit: one time-out is then a hang; two are."""


def cut_short(environment: Environment, result: Result) -> bool:
    """Whether the solution itself was killed for its time."""
    said = f"killed after {environment.limits.agent_timeout_sec:g} s"
    return any(
        step.action.get("solve") and not step.done and step.exit_code is None and step.output.endswith(said)
        for step in result.receipt
    )


def late(environment: Environment, results: Sequence[Result]) -> list[Result]:
    """The attempts in which the verifier or the solution ran out of its time."""
    return [r for r in results if r.outcome.status is Status.VERIFIER_TIMEOUT or cut_short(environment, r)]


def most(environment: Environment) -> int:
    """How many time-outs of the verifier are waited for, where some gradings pass."""
    return 3 if environment.verifier.timeout_sec <= LONG_SEC else 2


def alone(results: Sequence[Result]) -> bool:
    """Whether the verifier ran out of time on the solution's work each time, at least twice."""
    return len(results) > 1 and all(result.outcome.status is Status.VERIFIER_TIMEOUT for result in results)


def mixed(probe: Probe, environment: Environment, results: Sequence[Result]) -> Judgement | None:
    """What time-outs beside passing gradings prove; None where one of the two is missing, or something else went wrong.

    Gradings in place are compared with each other, and so are those of a restored state: a verifier that waits in vain
    for a process that only the solution starts is steady.
    """
    ran_out = late(environment, results)
    ended = [result for result in results if result not in ran_out]
    passed = [result for result in ended if result.passed]
    if not ran_out or not passed or not all(result.graded and result.effective for result in ended):
        return None
    in_place = [result for result in results if result.attempt.arm != "again"]
    restored = [result for result in results if result.attempt.arm == "again"]
    alike = [kind for kind in (in_place, restored) if any(result in passed for result in kind)]
    if len(in_place) > 1 and all(r in passed for r in in_place) and not any(r in passed for r in restored):
        return Judgement(ProbeStatus.SURVIVED, "needs the processes that the reference leaves: graded in place")
    hung = [result for kind in alike for result in kind if result in ran_out]
    if not hung:
        return None
    share, account = _share(environment, hung, passed)
    counts = f"The same solution passed {len(passed)} of {len(results)} gradings, and {len(ran_out)} ran out of time"
    if share > BARE or (share > CLEAR and len(hung) < 2):
        return Judgement(ProbeStatus.ERROR, f"{counts}: {account}, so that this machine may be too slow")
    return hit(
        probe,
        environment,
        "unstable",
        "flaky",
        results,
        f"{counts}: {account}.",
        "Find what the tests, or the solution, wait for now and then, and bound that wait.",
        passed=len(passed),
        graded=len(ended),
        timeouts=len(ran_out),
    )


def _share(environment: Environment, hung: Sequence[Result], passed: Sequence[Result]) -> tuple[float, str]:
    """The largest part of a limit that something which passed took, and that in words."""
    shares: list[tuple[float, float, str]] = []
    if any(result.outcome.status is Status.VERIFIER_TIMEOUT for result in hung):
        longest = max(result.outcome.seconds for result in passed)
        shares.append((longest, environment.verifier.timeout_sec, "tests"))
    if any(cut_short(environment, result) for result in hung):
        longest = max(s.seconds for r in passed for s in r.receipt if s.action.get("solve"))
        shares.append((longest, environment.limits.agent_timeout_sec, "a solution"))
    taken, limit, what = max(shares, key=lambda share: share[0] / share[1])
    return taken / limit, f"what passed took at most {taken:.2g} of the {limit:g} s that {what} may take"
