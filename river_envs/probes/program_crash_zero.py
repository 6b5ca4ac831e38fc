"""Adversarial: a program that ends well and does nothing."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import programs
from river_envs.probes.base import NotApplicable, Survey
from river_envs.probes.stand_in import StandIn, Variant


class ProgramCrashZero(StandIn):
    """A program of the image that has to be changed is replaced by one that ends with status 0 and does nothing.

    What it does: where the instruction asks to repair or extend a program that the image holds, puts a program there
    that exits 0 at once; grades. (Programs that are asked for anew get such a stub from another probe.)

    What a hit proves: the verifier looks at the exit status and not at what the program does (existence-only).

    What it cannot show: verifiers that read any output at all.

    Seen in the wild: "the script no longer crashes" as the only assertion.
    """

    id = "program-crash-zero"
    name = "A program that ends well and does nothing"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 45
    effort = "standard"
    cause = "existence-only"
    printing = False
    advice = "Compare what the program says or leaves with what it should."

    def variants(
        self, environment: Environment, survey: Survey, paths: Sequence[str]
    ) -> Sequence[Variant] | NotApplicable:
        """One silent program."""
        present = {entry.path for entry in survey.listing}
        changed = [path for path in paths if path in present]
        if not changed:
            return NotApplicable("no program of the image has to be changed")
        return [("does nothing and ends with status 0", tuple(programs.says(path, "") for path in changed))]
