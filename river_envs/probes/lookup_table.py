"""Adversarial: a program that knows the visible examples by heart, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import programs, visible_examples
from river_envs.probes.answers import alter
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, ProbeStatus, Put, Result, Survey
from river_envs.probes.judging import hit
from river_envs.probes.proofs import kept, second
from river_envs.probes.stand_in import StandIn, Variant

_COMPLETE = re.compile(
    r"\b(only (?:these|the following)|exactly (?:these|the following)|the following (?:table|mapping|codes|pairs)"
    r"|fixed (?:table|mapping|list)|look[- ]?up table|according to (?:the|this) table|mapping (?:is|below)"
    r"|supported values)\b",
    re.IGNORECASE,
)


class LookupTable(StandIn):
    """A program that knows the visible examples by heart, and nothing else.

    What it does: collects the inputs and outputs that an agent can see (samples in the instruction, console sessions,
    sample files in the image) and hands in a program, or functions, that look the answer up and fail on all else.

    What a hit proves: the verifier tries nothing that the agent has not seen (fixed-inputs); where a table with other
    answers is rewarded as well, it does not compare the answers (shape-only).

    What it cannot show: examples in a form that is not recognised. Silent where the examples may be the whole mapping.

    Seen in the wild: hard-coded sample answers passed hidden tests that were the samples.
    """

    id = "lookup-table"
    name = "The visible examples by heart"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 3
    order = 45
    effort = "quick"
    printing = False

    def variants(
        self, environment: Environment, survey: Survey, paths: Sequence[str]
    ) -> Sequence[Variant] | NotApplicable:
        """One program with all visible pairs, and one that says other things for the same inputs."""
        if _COMPLETE.search(text.prose(environment.instruction)):
            return NotApplicable("the shown pairs may be the whole mapping")
        known, values = visible_examples.pairs(environment, survey), visible_examples.values(environment, survey)
        if not known and not values:
            return NotApplicable("no example of an input with its output can be seen")
        others = {given: _other(said) for given, said in known.items()}
        wrong: dict[str, dict[str, object]] = {
            name: dict.fromkeys(answers, "another") for name, answers in values.items()
        }
        tables = ((known, values, "knows only the visible examples"), (others, wrong, "answers the examples wrongly"))
        return [
            (label, tuple(file for path in paths if (file := programs.knows(path, table, called))))
            for table, called, label in tables
        ]

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The right table; the other one is kept in its facts."""
        planned = super().plan(environment, survey)
        if isinstance(planned, NotApplicable) or len(planned) < 2:
            return planned if isinstance(planned, NotApplicable) else NotApplicable("the reference is such a table")
        return [
            replace(
                planned[0],
                facts={
                    **planned[0].facts,
                    "other": kept([action for action in planned[1].actions if isinstance(action, Put)]),
                },
            )
        ]

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The table with other answers, once the right one was rewarded."""
        return second(self, environment, results, "Is a table with wrong answers rewarded as well?")

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: the other table tells which cause it is."""
        return False

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """The right table alone is fixed-inputs; both are shape-only."""
        own = [result for result in results if result.attempt.arm == "probe"]
        judged = super().judge(environment, own or results, background)
        wrong = [result for result in results if result.attempt.arm != "probe" and result.paid]
        if judged.status is not ProbeStatus.HIT or not wrong:
            return judged
        return hit(
            self,
            environment,
            "accepts-wrong",
            "shape-only",
            [own[0], wrong[0]],
            "A program that answers the visible examples wrongly is rewarded too.",
            "Compare what the program says with the right answer for each input.",
        )


def _other(said: str) -> str:
    changed = alter(said, salt=1).rstrip("\n")
    return changed if changed.split() != said.split() else f"another {said}"
