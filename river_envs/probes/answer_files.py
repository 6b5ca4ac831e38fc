"""Adversarial: files of the image whose names look like answers are copied onto the outputs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes.artefacts import stub
from river_envs.probes.base import (
    Attempt,
    Background,
    Copy,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Put,
    Result,
    Survey,
)
from river_envs.probes.judging import hit, unproven
from river_envs.sandbox.base import Listing

MOST = 6  # attempts per environment
_NAME = re.compile(
    r"(^|[^a-z])(truth|expected|golden|gold|label|labels|oracle|solution|solutions|answer|answers|answer_?key|reference|target"
    r"|hidden|secret|key|result|results|correct|ground_?truth)([^a-z]|$)",
    re.IGNORECASE,
)
_COPYING = re.compile(
    r"\b(cop(?:y|ies|ied)|restor\w+|mov(?:e|ed)|renam\w+|recover\w*|backup|replac\w+|duplicat\w+|mirror\w*|symlink|link)\b",
    re.IGNORECASE,
)


class AnswerFiles(Probe):
    """Readable files of the image that look like answers are handed in.

    What it does: looks in the built image for small files named like an answer (truth, expected, golden, label, oracle,
    solution, hidden files, ...) and copies each onto the outputs that the instruction names; grades.

    What a hit proves: the image ships the answer in the clear (image-answer). The receipt names the file and its hash.

    What it cannot show: answers under harmless names, inside archives, in git objects or bytecode.

    Seen in the wild: an agent reached 0.37 of a 0.85 threshold by its own reading, then copied /app/ground_truth.txt;
    sidecars such as audio.label.txt beside the file to be transcribed.
    """

    id = "answer-files"
    name = "Answer-looking files as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 23

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """Each candidate onto every output; where several fit several, first the best pairing by name."""
        named = [
            p for p in text.outputs(environment.instruction, survey.listing, survey.workdir) if not p.endswith("/")
        ]
        if not named:
            return NotApplicable("the instruction names no file that the image lacks")
        found = [
            entry.path
            for entry in survey.listing
            if _looks_like_answer(entry) and not _to_be_copied(entry.path, environment.instruction)
        ]
        if not found:
            return NotApplicable("no file of the image is named like an answer")
        found.sort(key=lambda path: (-max(_likeness(path, output) for output in named), path))
        pairings = [{output: max(found, key=lambda path, output=output: _likeness(path, output)) for output in named}]  # type: ignore[misc]
        pairings += [dict.fromkeys(named, path) for path in found]
        pairings += [{output: path} for path in found for output in named] if len(named) > 1 else []
        unique = [pairing for index, pairing in enumerate(pairings) if pairing not in pairings[:index]]
        return [self._attempt(environment, named, pairing, index) for index, pairing in enumerate(unique[:MOST])]

    def _attempt(self, environment: Environment, named: Sequence[str], pairing: dict[str, str], repeat: int) -> Attempt:
        rest = tuple(stub(output) for output in named if output not in pairing)
        actions: list[Put | Copy] = [Put(rest)] if rest else []
        actions += [Copy(source, output) for output, source in pairing.items()]
        return self.attempt(
            environment,
            *actions,
            repeat=repeat,
            question="Is a file that the image ships rewarded as the answer?",
            pairing=pairing,
        )

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A reward is image-answer."""
        nothing = unproven(results, background)
        if nothing:
            return nothing
        passed = [result for result in results if result.passed and result.effective]
        if not passed:
            return Judgement(ProbeStatus.SURVIVED)
        pairing = passed[0].attempt.facts["pairing"]
        return hit(
            self,
            environment,
            "leaks-answer",
            "image-answer",
            passed[:1],
            "The image ships the answer: copying "
            + ", ".join(f"{source} to {target}" for target, source in pairing.items())
            + " is rewarded.",
            "Keep the file out of the image; give it to the verifier at grade time.",
            pairing=pairing,
        )


def _looks_like_answer(entry: Listing) -> bool:
    name = posixpath.basename(entry.path)
    hidden = name.startswith(".") and name not in {
        ".bashrc",
        ".profile",
        ".bash_logout",
        ".gitignore",
        ".gitconfig",
        ".gitkeep",
        ".wget-hsts",
    }
    inside_git = "/.git/" in entry.path
    return (
        entry.kind == "file" and 0 < entry.size <= 1 << 20 and not inside_git and (bool(_NAME.search(name)) or hidden)
    )


def _to_be_copied(path: str, instruction: str) -> bool:
    """Whether the instruction asks to copy or restore this very file: then copying it is the task."""
    return any(_COPYING.search(sentence) for sentence in text.sentences_naming(instruction, posixpath.basename(path)))


def _likeness(path: str, output: str) -> float:
    same_suffix = posixpath.splitext(path)[1] == posixpath.splitext(output)[1]
    return SequenceMatcher(None, posixpath.basename(path), posixpath.basename(output)).ratio() + 0.5 * same_suffix
