"""Adversarial: a program that always says the same."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import programs, visible_examples
from river_envs.probes.base import NotApplicable, Survey
from river_envs.probes.stand_in import StandIn, Variant


class ProgramConstant(StandIn):
    """A program that always says the same, whatever it is given.

    What it does: where a program with an input is asked for, hands in one that prints one text for every input: the
    output of an example of the instruction, or a number where none is shown; then one that prints another text.

    What a hit proves: all inputs of the verifier have the same answer (fixed-inputs); when both are rewarded, what is
    said is not compared at all (shape-only).

    What it cannot show: programs that work on files beside their output, and languages without a stand-in.

    Seen in the wild: a program to be implemented was run on the one sample of the instruction only.
    """

    id = "program-constant"
    name = "A program that always says the same"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 45
    effort = "standard"
    exclusive = True

    def variants(
        self, environment: Environment, survey: Survey, paths: Sequence[str]
    ) -> Sequence[Variant] | NotApplicable:
        """Two different outputs of examples, or two numbers."""
        names = programs.functions(environment)
        shown = list(dict.fromkeys(visible_examples.pairs(environment, survey).values()))
        shown += [repr(value) for known in visible_examples.values(environment).values() for value in known.values()]
        said = list(dict.fromkeys([*shown, "0", "37"]))[:2]
        by_line = "line" in environment.instruction and all("\n" not in one for one in said)
        return [
            (
                f"always says {one[:40]!r}",
                tuple(programs.says(path, one, by_line=by_line, names=names) for path in paths),
            )
            for one in said
        ]
