"""Adversarial: a program of the image that knows the answer is asked, and what it says is handed in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import leaks, shipped_runs
from river_envs.probes.base import Action, NotApplicable, Result, Survey
from river_envs.probes.oracle_wrapper import is_program, meant_to_be_used
from river_envs.probes.provided import Provided, Way
from river_envs.sandbox.base import Listing

MOST = 3
_ASKED = re.compile(
    r"oracle|reference|golden|truth|expect|solution|solv|answer|grade|verif|valid|check|correct|assert|score|judge"
    r"|comput|calc|result|(^|[^a-z])(ref|impl)([^a-z]|$)",
    re.IGNORECASE,
)
_KNOWS = re.compile(r"\b(expected|answers?|solutions?|truth|correct|oracle|reference)\b", re.IGNORECASE)


class OracleOutput(Provided):
    """A program of the image that knows the answer is asked for it.

    What it does: where the outputs are data, runs programs of the image that the instruction does not speak of and that
    are named like a checker, a solver or an oracle, or whose text speaks of an output or of an answer: alone, with the
    inputs, with the output's path, in a copy of their directory; hands in what they say or write; grades. What pays is
    graded once more with other values.

    What a hit proves: a program of the image answers the task (reachable-oracle), or makes its data again by its own
    steps into a place of its own (derivable-answer); with other values it is rejected.

    What it cannot show: programs that only tell right from wrong, and those with another interface. Silent where the
    instruction or the reference asks to run what the image ships.

    Seen in the wild: a checker left in /opt printed the expected file when it was called without arguments.
    """

    id = "oracle-output"
    name = "What a program of the image answers"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 43
    effort = "standard"
    cause = "reachable-oracle"
    question = "Is what a program of the image says rewarded as the answer?"
    seen = "The program {label} of the image knows {targets}: what it says is rewarded, and altered it is not."
    advice = "Keep programs that know or make the answer out of the image."

    def ways(self, environment: Environment, survey: Survey) -> Sequence[Way] | NotApplicable:
        """The likeliest programs, one after another."""
        targets = [target for target in leaks.targets(environment, survey) if not leaks.is_code(target)]
        if not targets:
            return NotApplicable("the instruction names no file of data to hand in")
        if leaks.asks_to_run(environment.instruction):
            return NotApplicable("the instruction asks to run programs of the image")
        weighed = [
            (-_weight(entry, survey, targets), entry.path, entry)
            for entry in survey.listing
            if is_program(entry)
            and not leaks.of_the_system(entry.path, environment)
            and leaks.usable(entry)
            and leaks.readable(entry, environment, survey)
            and entry.path not in targets
            and not shipped_runs.is_maker(entry, survey)
            and not meant_to_be_used(environment, entry.path)
        ]
        found = [entry for weight, _, entry in sorted(weighed, key=lambda row: row[:2]) if weight < 0]
        if not found:
            return NotApplicable("the image holds no program that sounds as if it knew the answer")
        return [
            {
                "label": entry.path,
                "targets": list(targets),
                "inputs": list(leaks.inputs(environment, survey)),
                "runs": bool(entry.mode & 0o111),
                "asks": shipped_runs.asks_for_input(entry.path, survey),
                "maker": False,
            }
            for entry in found[:MOST]
        ]

    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """One script; it fails where nothing was said or made."""
        return (shipped_runs.run(way["label"], way["runs"], way["targets"], way["inputs"], way["asks"]),)

    def cause_of(self, paid: Result) -> str:
        """By what it did: an oracle says the answer, a generator writes it to a place of its own."""
        return shipped_runs.cause(paid)


def _weight(entry: Listing, survey: Survey, targets: Sequence[str]) -> float:
    name, peek = posixpath.basename(entry.path), survey.peek(entry.path)
    named = any(leaks.stem(name) == leaks.stem(target) for target in targets)
    spoken = peek is not None and any(posixpath.basename(target) in peek.text for target in targets)
    knows = peek is not None and bool(_KNOWS.search(peek.text))
    return 2.0 * bool(_ASKED.search(name)) + 2 * named + 1.5 * spoken + knows
