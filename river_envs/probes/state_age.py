"""Determinism: work that was done some time ago."""

from __future__ import annotations

import re
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import leads
from river_envs.probes.base import (
    Action,
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    ProbeStatus,
    Restore,
    Result,
    Solve,
    Survey,
)
from river_envs.probes.clock_shift import DAY, OVER_A_YEAR
from river_envs.probes.judging import hit
from river_envs.probes.present import asks_for_present
from river_envs.probes.steadiness import TWICE, Setting, Steadiness, fails
from river_envs.verify.failures import failures

_AGAINST_NOW = re.compile(
    r"(?<![\w-])-[acm](?:min|time)\b|-newer[acm]t\b|EPOCHSECONDS|EPOCHREALTIME|%\([^)]*\)T|Date\.now|\s-M\s"
)
"""What compares time stamps with the present and sees the real clock only."""


class StateAge(Steadiness):
    """The reference's state, graded when it is more than a year old.

    What it does: where the tests read time stamps of files, moves the time stamps of everything that image and
    reference made back by 400 days and twelve hours, all by the same amount, and grades. Where that fails, grades the
    same again, twice with time stamps as of now, and once with the clock ahead instead of the files behind.

    What a hit proves: right work is rejected for its age alone, and the instruction does not ask for anything that
    grows old: a state that waits for its grading, or is graded again, loses its reward.

    What it cannot show: anything where the state holds times inside its files and the tests compare those with the
    files' own: there moving the files is no fair question. It is a hit only where the same test fails when the clock is
    moved in their stead, or where the tests compare with a clock that cannot be moved.

    Seen in the wild: "modified within the last hour" as a sign that the agent did the work, and a regrading of kept
    states a week later in which all had failed.
    """

    id = "state-age"
    name = "Older state"
    family = "determinism"
    trigger = "rollout-visible"
    version = 1
    order = 84
    effort = "deep"
    settings = ((("age", str(OVER_A_YEAR)),),)
    pointers = frozenset({"file-times"})
    cause = "time-dependent"
    condition = f"{OVER_A_YEAR // DAY} days after the work"
    advice = "Judge what the state holds, not when it was written."

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One grading, where the tests look at time stamps and the instruction does not."""
        if not leads.names(environment) & self.pointers:
            return NotApplicable("the tests read no time stamps of files")
        if asked := asks_for_present(environment.instruction):
            return NotApplicable(f'the instruction may let the day of grading matter: "{asked}"')
        return super().plan(environment, survey)

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """After a failure: again, with time stamps of now, and with the clock ahead."""
        failed = next((result for result in results if fails(result)), None)
        if failed is None:
            return ()
        in_place = any(isinstance(action, Solve) for action in failed.attempt.actions)
        start: Action = Solve() if in_place else Restore()

        def under(arm: str, repeat: int, setting: Setting, question: str) -> Attempt:
            return Attempt(environment.id, self.id, self.version, arm, repeat, (start,), question, {}, setting)

        young: Setting = (("age", "0"),)
        return [
            self._under(environment, failed.attempt.conditions, 1, in_place),
            *(under("benign", repeat, young, "Does the same state pass when it is new?") for repeat in range(TWICE)),
            under("clock", 0, (("clock", str(OVER_A_YEAR)),), "Is it rejected, too, with the clock ahead?"),
        ]

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Old it fails, new it passes, each time, and moving the clock has the same effect or is of no use."""
        under = [result for result in results if result.attempt.arm == "under"]
        if not any(fails(result) for result in under):
            return super().judge(environment, results, background)
        benign = [result for result in results if result.attempt.arm == "benign"]
        clock = [result for result in results if result.attempt.arm == "clock"]
        if len(under) < TWICE or len(benign) < TWICE or not all(fails(result) for result in under):
            return Judgement(ProbeStatus.SURVIVED, "failed once with old files, not each time")
        if not all(result.paid for result in benign):
            return Judgement(ProbeStatus.SURVIVED, "the state did not pass with new files either")
        agreed = [result for result in clock if fails(result) and _failing(result) & _failing(under[0])]
        if not agreed and not self._unmovable(environment, clock):
            reason = "rejected with old files, but not in the same test with the clock ahead: no proof"
            return Judgement(ProbeStatus.SURVIVED, reason)
        return hit(
            self,
            environment,
            "unstable",
            self.cause,
            [*benign, *under, *agreed],
            f"The same work passes when it is new and is rejected when it is graded {self.condition}"
            f" ({', '.join(sorted(name for name in _failing(under[0]) if name)[:3]) or 'by the test script'}).",
            self.advice,
            conditions=[list(pair) for pair in under[0].attempt.conditions],
        )

    def _unmovable(self, environment: Environment, clock: Sequence[Result]) -> bool:
        """Whether the tests compare with a clock that the shifted one does not reach, and this one passed."""
        return all(result.passed for result in clock if result.graded) and any(
            _AGAINST_NOW.search(text) for text in leads.texts(environment, solution=False)
        )


def _failing(result: Result) -> frozenset[str]:
    """The names of the failing tests; one empty name for a script that has none."""
    return frozenset(failure.test for failure in failures(result.outcome)) or frozenset({""})
