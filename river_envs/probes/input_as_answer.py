"""Adversarial: an input of the task, copied onto the output."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import wording
from river_envs.probes.artefacts import stub
from river_envs.probes.asked import determined
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Put, Result, Run, Survey
from river_envs.probes.proofs import contradicted, kept, second

_DIGITS = "sed '2,$ y/0123456789/1234567890/'"


class InputAsAnswer(Probe):
    """The named input is handed in unchanged, then with every digit changed.

    What it does: copies the input that the instruction names (the one whose type fits best) onto each data output and
    grades; if that is rewarded, once more with the digits behind the first line rotated.

    What a hit proves: an unprocessed input and a damaged one are both rewarded, and at most one of them can be the
    result that is asked for (shape-only).

    What it cannot show: inputs without digits. Silent where copying, restoring or moving may be the task, and where a
    threshold makes several answers right.

    Seen in the wild: "the output parses and has as many rows as the input".
    """

    id = "input-as-answer"
    name = "The input as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 34
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The plain copy; the damaged one is kept in its facts."""
        instruction = environment.instruction
        silent = determined(environment, survey)
        if silent:
            return silent
        if wording.may_be_copied(instruction) or wording.has_metric(instruction):
            return NotApplicable("an unchanged input may be (near) what is asked for")
        named = text.data_outputs(instruction, survey.listing, survey.workdir)
        sizes = {entry.path: entry.size for entry in survey.listing}
        sources = [
            path
            for path in text.inputs(instruction, survey.listing, survey.workdir)
            if path not in named and 0 < sizes.get(path, 0) <= 8 << 20 and not text.is_program(instruction, path)
        ]
        named = tuple(path for path in named if any(_alike(source, path) for source in sources))
        if not named:
            return NotApplicable("the instruction names no input of the type of an output")
        pairs = {path: max(sources, key=lambda source, path=path: _fits(source, path)) for path in named}  # type: ignore[misc]
        others = [path for path in text.outputs(instruction, survey.listing, survey.workdir) if path not in named]
        put = tuple(stub(path) for path in others if not path.endswith("/"))
        first: list[Put | Run] = [Put(put)] if put else []
        made = "\n".join(f"mkdir -p {shlex.quote(posixpath.dirname(path))}" for path in named)
        plain = Run("\n".join([made, *(f"cat {shlex.quote(s)} > {shlex.quote(p)}" for p, s in pairs.items())]))
        damaged = [f"{_DIGITS} {shlex.quote(s)} > {shlex.quote(p)}" for p, s in pairs.items()]
        checked = [f"! cmp -s {shlex.quote(s)} {shlex.quote(p)}" for p, s in pairs.items()]
        other = Run("\n".join(["set -e", made, *damaged, *checked]))
        return [
            self.attempt(
                environment,
                *first,
                plain,
                question="Is an input rewarded as the answer, whole and damaged?",
                answers=pairs,
                other=kept([*first, other]),
                other_answers={path: f"{source}, digits rotated" for path, source in pairs.items()},
            )
        ]

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The damaged copy, once the plain one was rewarded."""
        return second(self, environment, results, "Is the input with other digits rewarded as well?")

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: the plain copy alone may be right."""
        return False

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Both rewarded: shape-only."""
        message = "The input is rewarded as the answer, and with its digits changed it is rewarded as well."
        advice = "Compare the output with the result of the work that is asked for."
        return contradicted(self, environment, results, background, message, advice)


_PLAIN = {"", ".txt", ".csv", ".tsv", ".log", ".dat", ".out"}


def _alike(source: str, path: str) -> bool:
    """Whether a copy of ``source`` may pass for a file named ``path``."""
    suffixes = {posixpath.splitext(source)[1].lower(), posixpath.splitext(path)[1].lower()}
    return len(suffixes) == 1 or suffixes <= _PLAIN


def _fits(source: str, path: str) -> tuple[bool, int]:
    same = posixpath.splitext(source)[1] == posixpath.splitext(path)[1]
    return same, -len(source)
