"""Adversarial: a program that knows the visible examples by heart, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import programs, visible_examples
from river_envs.probes.base import NotApplicable, Survey
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

    What a hit proves: the verifier tries nothing that the agent has not seen (fixed-inputs).

    What it cannot show: examples in a form that is not recognised. Silent where the examples may be the whole mapping.

    Seen in the wild: hard-coded sample answers passed hidden tests that were the samples.
    """

    id = "lookup-table"
    name = "The visible examples by heart"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 45
    effort = "quick"
    printing = False

    def variants(
        self, environment: Environment, survey: Survey, paths: Sequence[str]
    ) -> Sequence[Variant] | NotApplicable:
        """One program with all visible pairs."""
        if _COMPLETE.search(text.prose(environment.instruction)):
            return NotApplicable("the shown pairs may be the whole mapping")
        known, values = visible_examples.pairs(environment, survey), visible_examples.values(environment)
        if not known and not values:
            return NotApplicable("no example of an input with its output can be seen")
        files = [programs.knows(path, known, values) for path in paths]
        return [("knows only the visible examples", tuple(file for file in files if file))]
