"""Adversarial: the marker that says "done", and nothing else."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from river_envs.environment import Environment, File
from river_envs.probes import instruction as text
from river_envs.probes import wording
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Put, Result, Survey
from river_envs.probes.judging import accepted

_MARKER = re.compile(r"(^|[._-])(done|finished|complete[d]?|success|marker|status|ready|ok|passed)([._-]|$)", re.I)
_QUOTED = re.compile(r"`([^`\n/]{1,60})`|\"([^\"\n/]{1,60})\"|'([^'\n/]{1,60})'")


class DoneMarker(Probe):
    """Of several things that the instruction asks for, only the marker of completion is made.

    What it does: where the instruction wants a marker or status file (`.done`, `status.txt`, "when finished, write
    `{"ok": true}` to ...") besides other work, writes only that, with the words that its sentence quotes (else `done`),
    and grades.

    What a hit proves: the verifier believes the marker (self-report): nothing else was changed.

    What it cannot show: verifiers that look at the work as well. Silent where the marker is all that is asked for.

    Seen in the wild: tasks that end "then touch /tmp/done", graded by the existence of that file.
    """

    id = "done-marker"
    name = "Only the marker of completion"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 3
    order = 27
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt."""
        instruction = environment.instruction
        outputs = text.outputs(instruction, survey.listing, survey.workdir)
        markers = [path for path in outputs if not path.endswith("/") and _is_marker(instruction, path)]
        if not markers:
            return NotApplicable("the instruction names no marker of completion")
        if any(len(_quoted(instruction, path)) > 1 or _choice(instruction, path) for path in markers):
            return NotApplicable("the marker is to hold one of several words: one of them may be right")
        other_outputs = [path for path in outputs if path not in markers]
        present = {entry.path for entry in survey.listing}
        worked = [path for path in text.paths(instruction, survey.workdir) if path.rstrip("/") in present]
        told = all(wording.signals_completion(instruction, path) for path in markers)
        if not other_outputs and not (worked and (told or wording.asks_for_work(instruction))):
            return NotApplicable("the instruction asks for nothing besides the marker")
        files = tuple(File(path.strip("/"), _content(instruction, path).encode()) for path in markers)
        question = "Is the marker of completion rewarded, without the work?"
        return [self.attempt(environment, Put(files), question=question, paths=markers)]

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A reward is self-report."""
        message = "The marker of completion is rewarded, though nothing else was done."
        advice = "Check the state that the work should leave."
        return accepted(self, environment, results, background, "accepts-wrong", "self-report", message, advice)


def _is_marker(instruction: str, path: str) -> bool:
    """Whether a file says by its name, or by a sentence that also dictates what it holds, that the work is done."""
    if _MARKER.search(posixpath.basename(path)):
        return True
    return wording.signals_completion(instruction, path) and len(_quoted(instruction, path)) == 1


def _content(instruction: str, path: str) -> str:
    """What the sentence about the marker quotes; `done` where it quotes nothing."""
    return next(iter(_quoted(instruction, path)), "done") + "\n"


def _quoted(instruction: str, path: str) -> list[str]:
    """The different texts that the sentences about the marker quote."""
    name = posixpath.basename(path)
    found: dict[str, None] = {}
    for sentence in wording.sentences(instruction):
        if name in sentence:
            rest = re.sub(rf"[`\"']*(?:{re.escape(path)}|{re.escape(name)})[`\"']*", "", sentence)
            found.update(dict.fromkeys(next(group for group in match if group) for match in _QUOTED.findall(rest)))
    return list(found)


def _choice(instruction: str, path: str) -> bool:
    """Whether the sentences about the marker leave a decision to the work."""
    about = (s for s in wording.sentences(instruction) if posixpath.basename(path) in s)
    return any(re.search(r"\b(whether|depending|either|otherwise|else|according)\b", s, re.IGNORECASE) for s in about)
