"""Adversarial: a program that prints its arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import programs, visible_examples
from river_envs.probes.base import Effort, NotApplicable, Survey
from river_envs.probes.stand_in import StandIn, Variant

UNCHANGED = re.compile(
    r"\b(echo(?:es)?|cat\b|cop(?:y|ies)|unchanged|as[- ]is|as it is|pass(?:es)? (?:it )?through|verbatim"
    r"|prints? (?:out )?its (?:input|arguments?)|forward\w*|prox(?:y|ies)|relay\w*|tee\b)",
    re.IGNORECASE,
)


class ProgramEcho(StandIn):
    """A program that prints its arguments.

    What it does: hands in a program that prints the arguments it is called with, and functions that return the first.

    What a hit proves: the verifier's inputs are their own answers (fixed-inputs).

    What it cannot show: anything where passing the input on may be right: it is silent there, and where an example
    shows an output equal to its input.

    Seen in the wild: a normaliser tested on values that were normal already.
    """

    id = "program-echo"
    name = "A program that prints its arguments"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 46
    effort: ClassVar[Effort] = "deep"
    arguments = True

    def variants(
        self, environment: Environment, survey: Survey, paths: Sequence[str]
    ) -> Sequence[Variant] | NotApplicable:
        """One program, where handing the input on cannot be right."""
        if UNCHANGED.search(text.prose(environment.instruction)):
            return NotApplicable("handing the input on may be right")
        shown = visible_examples.pairs(environment, survey)
        if shown and all(" ".join(said.split()) == given for given, said in shown.items()):
            return NotApplicable("the examples hand the input on")
        names = programs.functions(environment)
        files = [programs.returns_input(path, arguments=self.arguments, names=names) for path in paths]
        label = "prints its arguments" if self.arguments else "prints what it is given"
        return [(label, tuple(file for file in files if file))]
