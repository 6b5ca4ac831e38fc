"""Probes that change what a verifier may compute its expectation from, and hand in what then would be right.

The benign arm hands in the same with nothing changed: it must be rejected, or the answer was no proof of anything.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from abc import abstractmethod
from collections.abc import Mapping, Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import leaks
from river_envs.probes.base import (
    Action,
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Put,
    Result,
    Run,
    Survey,
)
from river_envs.probes.judging import hit, unproven

_TOUCHING = re.compile(
    r"\b(delet\w+|remov\w+|empt(?:y|ied|ies)|truncat\w+|clear\w*|clean\w*|rotat\w+|mov(?:e|ed|ing)|archiv\w+|purg\w+"
    r"|prun\w+|wip\w+|renam\w+|replac\w+|overwrit\w+|append\w*|consum\w+|in place|in-place|migrat\w+|compress\w*"
    r"|encrypt\w*|reset\w*|creat\w+|generat\w+ (?:it|the file))\b",
    re.IGNORECASE,
)
_KEEPING = re.compile(
    r"\b(not|never|don't|without|untouched|unchanged|read[- ]only|stay as|as it is)\b", re.IGNORECASE
)

MOST_TEXTS = 40
"""Inputs of one environment that are moved."""
_BINARY = (".db", ".sqlite", ".sqlite3", ".gz", ".tgz", ".zip", ".bz2", ".xz", ".png", ".jpg", ".pdf", ".npy", ".pkl")

Move = tuple[str, tuple[Action, ...], tuple[Action, ...]]
"""What is moved, in words; the actions that move it; those that hand in the matching answer."""


class MovedTruth(Probe):
    """Carries out ``moves``; one that pays, with a benign arm that does not, is movable-truth."""

    @abstractmethod
    def moves(self, environment: Environment, survey: Survey) -> Sequence[Move] | NotApplicable:
        """What to move and what to hand in, the plainest first."""

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt for each move whose answer the reference does not leave itself."""
        found = self.moves(environment, survey)
        if isinstance(found, NotApplicable):
            return found
        return [
            self._attempt(environment, label, moving, answering, index, "probe")
            for index, (label, moving, answering) in enumerate(found)
            if not _is_right(answering, survey)
        ] or NotApplicable("the answer that would match is the reference's own")

    def _attempt(
        self, environment: Environment, label: str, moving: Sequence[Action], answering: Sequence[Action], repeat: int,
        arm: str,
    ) -> Attempt:  # fmt: skip
        return self.attempt(
            environment,
            *(moving if arm == "probe" else ()),
            *answering,
            arm=arm,
            repeat=repeat,
            question=(
                "Is an answer rewarded that is right only for what was moved?"
                if arm == "probe"
                else "Is the same answer rewarded when nothing was moved?"
            ),
            label=label,
            moving=len(moving),
        )

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The benign arm of what paid."""
        return [
            self._attempt(
                environment,
                result.attempt.facts["label"],
                (),
                result.attempt.actions[result.attempt.facts["moving"] :],
                result.attempt.repeat,
                "benign",
            )
            for result in results
            if result.attempt.arm == "probe" and result.paid
        ]

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: the benign arm decides."""
        return False

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Paid when moved, rejected when not."""
        nothing = unproven(results, background)
        if nothing:
            return nothing
        paid = [result for result in results if result.attempt.arm == "probe" and result.paid]
        benign = {result.attempt.repeat: result for result in results if result.attempt.arm == "benign"}
        for result in paid:
            other = benign.get(result.attempt.repeat)
            if other is not None and other.graded and other.effective and not other.passed:
                label = result.attempt.facts["label"]
                return hit(
                    self,
                    environment,
                    "accepts-wrong",
                    "movable-truth",
                    [result, other],
                    f"{label[0].upper()}{label[1:]} makes a wrong answer right: it is rewarded, otherwise it is not.",
                    "Compute the expectation from the verifier's own copy of the inputs.",
                    moved=label,
                )
        if any(result.passed for result in benign.values()):
            return Judgement(ProbeStatus.SURVIVED, "rewarded with nothing moved too: it may be the right answer")
        if paid:
            return Judgement(ProbeStatus.ERROR, "what paid could not be graded with nothing moved")
        return Judgement(ProbeStatus.SURVIVED)


def overwrite(contents: Mapping[str, bytes]) -> Run:
    """Overwrite files as the agent would: it fails where the agent may not."""
    lines = [
        f"printf %s {shlex.quote(content.decode('utf-8', 'replace'))} >{shlex.quote(path)}"
        for path, content in contents.items()
    ]
    return Run(" &&\n".join(lines))


def movable(environment: Environment, survey: Survey) -> tuple[str, ...]:
    """The named inputs that the instruction does not ask to change."""
    return tuple(path for path in leaks.inputs(environment, survey) if stays(environment, path))


def movable_texts(environment: Environment, survey: Survey) -> tuple[str, ...]:
    """The named inputs and those in named folders, as far as they hold text and are to stay; at most forty."""
    folders = [
        path.rstrip("/") + "/"
        for path in text.paths(environment.instruction, survey.workdir)
        if path.count("/") > 1 and stays(environment, path.rstrip("/"))
    ]
    asked = set(leaks.targets(environment, survey))
    below = [
        entry.path
        for entry in survey.listing
        if leaks.usable(entry) and entry.path.startswith(tuple(folders)) and entry.path not in asked
    ]
    found = dict.fromkeys((*movable(environment, survey), *below))
    return tuple(path for path in found if not leaks.is_code(path) and not path.endswith(_BINARY))[:MOST_TEXTS]


def stays(environment: Environment, path: str) -> bool:
    """Whether no sentence that names a file asks to change, move or remove it."""
    return not any(
        _TOUCHING.search(sentence) and not _KEEPING.search(sentence)
        for sentence in leaks.naming(environment.instruction, posixpath.basename(path))
    )


def data_outputs(environment: Environment, survey: Survey) -> tuple[str, ...]:
    """The files to be made that hold data, programs apart."""
    outputs = text.outputs(environment.instruction, survey.listing, survey.workdir)
    return tuple(path for path in outputs if not path.endswith("/") and not leaks.is_code(path))


def _is_right(answering: Sequence[Action], survey: Survey) -> bool:
    """Whether the reference leaves the very files that would be handed in."""
    if survey.reference is None:
        return False
    files = [file for action in answering if isinstance(action, Put) for file in action.files]
    changes = [survey.reference.get(file.path) for file in files]
    return all(
        change is not None and change.content.split() == file.content.split()
        for change, file in zip(changes, files, strict=True)
    )
