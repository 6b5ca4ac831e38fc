"""Adversarial: scripts that came with the image are run, and what they make is handed in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import leaks, shipped_runs
from river_envs.probes.base import Action, NotApplicable, Result, Survey
from river_envs.probes.programs import RUNNERS
from river_envs.probes.provided import Provided, Way
from river_envs.sandbox.base import Listing

MOST = 3
_BUILDING = re.compile(r"\b(build|built|compil\w+|install\w*|assembl\w+|packag\w+|toolchain)\b", re.IGNORECASE)


class ShippedGenerator(Provided):
    """Generators, makers and builders that came with the image are run.

    What it does: runs each script of the image that is named like a maker (make_*, gen*, build*, a Makefile) or draws
    from a seed in a copy of its directory, with a time limit; puts named inputs back as they were; hands in what it
    wrote or printed; grades; what pays once more with other values.

    What a hit proves: the script that made the task was left behind and makes the answer too (derivable-answer).

    What it cannot show: scripts that need arguments other than the inputs and an output path, and scripts under
    harmless names. Silent where the instruction or the reference asks to run scripts, or to build where a build script
    is the candidate.

    Seen in the wild: make_data.py with its seed in the image: running it again printed the hidden totals.
    """

    id = "shipped-generator"
    name = "Shipped generators"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 44
    effort = "standard"
    cause = "derivable-answer"
    question = "Is what a script of the image makes rewarded as the answer?"
    seen = "Running {label}, which the image ships, makes {targets}: it is rewarded, and altered it is not."
    advice = "Keep the scripts that made the task out of the image."

    def ways(self, environment: Environment, survey: Survey) -> Sequence[Way] | NotApplicable:
        """One script after another, those that sound most like the answer first."""
        targets = leaks.targets(environment, survey)
        if not targets:
            return NotApplicable("the instruction names no file to hand in")
        if leaks.asks_to_run(environment.instruction):
            return NotApplicable("the instruction asks to run scripts of the image")
        building = bool(_BUILDING.search(text.prose(environment.instruction)))
        found = [
            entry
            for entry in survey.listing
            if _is_maker(entry, survey, building)
            and entry.path not in targets
            and not leaks.of_the_system(entry.path, environment)
            and not _wanted(environment, entry.path)
        ]
        if not found:
            return NotApplicable("the image holds no script named like a maker")
        found.sort(key=lambda entry: (-bool(leaks.ANSWER_NAME.search(entry.path)), entry.path))
        kept = list(leaks.inputs(environment, survey))
        return [
            {
                "label": entry.path,
                "targets": list(targets),
                "inputs": kept,
                "runs": bool(entry.mode & 0o111),
                "maker": shipped_runs.has_makers_name(entry.path),
            }
            for entry in found[:MOST]
        ]

    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """One script; it fails where nothing was made."""
        return (shipped_runs.run(way["label"], way["runs"], way["targets"], way["inputs"]),)

    def cause_of(self, paid: Result) -> str:
        """derivable-answer by its name, or where it chose the place of what it wrote."""
        return shipped_runs.cause(paid)


def _is_maker(entry: Listing, survey: Survey, building: bool) -> bool:
    name = posixpath.basename(entry.path)
    if not leaks.usable(entry) or entry.size > 1 << 18 or entry.path.count("/") < 2:
        return False
    if name == "Makefile" or re.match(r"\.?_*(re)?(build|mk|make\.)", name):
        return not building
    runs = posixpath.splitext(name)[1] in RUNNERS or (entry.mode & 0o111 and "." not in name.lstrip("."))
    return bool(runs) and shipped_runs.is_maker(entry, survey)


def _wanted(environment: Environment, path: str) -> bool:
    """Whether the instruction names the script, or the reference runs it."""
    name = posixpath.basename(path)
    return bool(leaks.naming(environment.instruction, name)) or leaks.reference_reads(environment, path)
