"""Probes that copy files of the image onto what the agent hands in. Subclasses only say which files, and how likely."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from river_envs.environment import Environment
from river_envs.probes import edits, leaks, stated
from river_envs.probes.artefacts import stub
from river_envs.probes.base import Action, Copy, NotApplicable, Put, Result, Survey
from river_envs.probes.provided import Provided, Way
from river_envs.sandbox.base import Listing

_OTHER = "{label} of the image handed in as {targets} is rewarded, and says something else than the reference's answer."
_COMPARE = "Compare everything that the instruction asks for."
_ALIKE = 0.8
_WORD = re.compile(r"\w+")


class Copied(Provided):
    """Copies files of the image onto the outputs, the likeliest first."""

    most: ClassVar[int]
    """Copies tried in one environment."""
    nothing: ClassVar[str]
    """Why the probe does not apply where no file was found."""
    question = "Is a file that the image ships rewarded as the answer?"
    seen = "The image ships the answer: {label} handed in as {targets} is rewarded, and with other values it is not."
    advice = "Keep the file out of the image; give it to the verifier at grade time."

    @abstractmethod
    def weight(self, entry: Listing, target: str, environment: Environment, survey: Survey) -> float:
        """How likely ``entry`` is the answer for ``target``; 0 when it is none of this probe's business."""

    def ways(self, environment: Environment, survey: Survey) -> Sequence[Way] | NotApplicable:
        """First the best file for every output at once, then one output after another."""
        targets = leaks.targets(environment, survey)
        if not targets:
            return NotApplicable("the instruction names no file to hand in")
        present = {entry.path for entry in survey.listing}
        ranked = {target: self._ranked(environment, survey, target) for target in targets}
        ranked = {target: found for target, found in ranked.items() if found}
        if not ranked:
            return NotApplicable(self.nothing)
        missing = [target for target in targets if target not in present]
        depth = max(len(found) for found in ranked.values())
        pairings = [
            {target: found[min(index, len(found) - 1)] for target, found in ranked.items()} for index in range(depth)
        ]
        unique = [pairing for index, pairing in enumerate(pairings) if pairing not in pairings[:index]]
        return [
            {
                "pairing": pairing,
                "rest": [target for target in missing if target not in pairing],
                "targets": list(pairing),
                "label": ", ".join(dict.fromkeys(pairing.values())),
                "program": all(leaks.is_code(target) for target in pairing),
                "other": stated.determined(environment.instruction) and _say_other(environment, survey, pairing),
            }
            for pairing in unique[: self.most]
        ]

    def cause_of(self, paid: Result) -> str:
        """A file that says something else than the reference's answer is no answer."""
        return "unchecked-requirement" if paid.attempt.facts["way"].get("other") else self.cause

    def told(self, paid: Result) -> tuple[str, str]:
        """The message and the advice, for an answer and for what is none."""
        return (_OTHER, _COMPARE) if paid.attempt.facts["way"].get("other") else super().told(paid)

    def _ranked(self, environment: Environment, survey: Survey, target: str) -> list[str]:
        weighed = []
        for entry in survey.listing:
            if entry.path == target or not leaks.usable(entry) or not self.reach(entry, environment, survey):
                continue
            weight = self.weight(entry, target, environment, survey)
            if weight > 0 and not leaks.taking_is_the_task(environment, entry.path, target):
                weighed.append((-weight - leaks.likeness(entry.path, target), entry.path))
        return [path for _, path in sorted(weighed)]

    def reach(self, entry: Listing, environment: Environment, survey: Survey) -> bool:
        """Whether the agent can get at a file in this probe's way."""
        return leaks.readable(entry, environment, survey)

    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """The copies, and stubs where nothing is copied."""
        stubs = tuple(stub(target) for target in way["rest"])
        copies = tuple(Copy(source, target) for target, source in way["pairing"].items())
        return ((Put(stubs),) if stubs else ()) + copies


def _say_other(environment: Environment, survey: Survey, pairing: Mapping[str, str]) -> bool:
    """Whether the files of the image, as far as they were seen whole, have other words than what the reference leaves
    where they are handed in. Programs say nothing by themselves.
    """
    left = {target.path: target for target in edits.targets(environment, survey) if target.kind != "code"}
    pairs = [(survey.peek(source), left[target]) for target, source in pairing.items() if target in left]
    return bool(pairs) and all(peek is not None and peek.whole and _unlike(peek.text, own) for peek, own in pairs)


def _unlike(text: str, own: edits.Target) -> bool:
    one, two = (Counter(_WORD.findall(words)) for words in (text, own.text))
    return not edits.same(text, own) and 2 * (one & two).total() < _ALIKE * (one.total() + two.total())
