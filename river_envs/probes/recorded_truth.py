"""Adversarial, feedback-learnable: what a failing assertion compares with is replaced where it stands in the image."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from typing import Final

from river_envs.environment import Environment, File
from river_envs.outcome import Outcome
from river_envs.probes import comparisons_shown, invented, leaks, moved_truth
from river_envs.probes.base import (
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

ROUNDS: Final = 5
"""Attempts for one environment, the control included."""
_FILES: Final = 200
_VALUE = r"(?:[uUbB]?'([^'\\\n]{1,400})'|\"([^\"\\\n]{1,400})\"|(-?\d[\d.]{3,40}))"
_EQUAL = re.compile(rf"(?<![\w.]){_VALUE} (?:==|!=) {_VALUE}")
_DIFFERENCE = re.compile(
    r"^(?:E\s+)?([-+]) (\S.{4,400}?)[ \t]*\n(?:(?:E\s+)?\? .*\n)?"
    r"(?:E\s+)?(?!\1)([-+]) (\S.{4,400}?)[ \t]*$",
    re.MULTILINE,
)
_TELLING = re.compile(r"[\w.:/+=@-]{6,200}")

Pair = tuple[str, str]


class RecordedTruth(Probe):
    """The recorded value that a failing assertion shows is looked up in the image and replaced by one's own.

    What it does: hands in an invented answer and reads from the failing assertion the two values that it compared, such
    as the digest of what was handed in and the recorded one. Where the failure shows none and the tests name a file of
    the image that the instruction does not, they are run once more with every comparison written down
    (``comparisons_shown.py``). Where one of the values stands in a file of the image that the instruction does not ask
    to change, it is replaced there by the other, and the same answer is graded again.

    What a hit proves: the verifier trusts what is recorded in a file that the agent can write (movable-truth): the same
    invented answer is rejected when that file stands.

    What it cannot show: shell code that does not show what it compares; verifiers that compare in another form than is
    recorded.

    Seen in the wild: a task compared the hash of a parsed report with /app/.checksums.json, writable for the agent.
    """

    id = "recorded-truth"
    name = "A recorded expectation replaced"
    family = "adversarial"
    trigger = "feedback-learnable"
    version = 2
    order = 62
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The invented answer, with nothing changed."""
        outputs = moved_truth.data_outputs(environment, survey)
        files = [
            entry.path
            for entry in survey.listing
            if leaks.usable(entry)
            and entry.path not in {*outputs, *leaks.targets(environment, survey)}
            and not leaks.is_code(entry.path)
            and not leaks.naming(environment.instruction, posixpath.basename(entry.path))
        ]
        if not outputs or not files:
            return NotApplicable("the instruction names no file to make, or the image holds nothing beside its inputs")
        answers = {path: invented.answer(environment, path, outputs) for path in outputs}
        return [self._attempt(environment, answers, files[:_FILES], (), 0)]

    def _attempt(
        self,
        environment: Environment,
        answers: dict[str, str],
        files: Sequence[str],
        pairs: Sequence[Pair],
        repeat: int,
    ) -> Attempt:
        put = Put(tuple(File(path.strip("/"), content.encode()) for path, content in answers.items()))
        return self.attempt(
            environment,
            put,
            *([Run(_replacing(files, pairs))] if pairs else []),
            arm="moved" if pairs else "benign",
            repeat=repeat,
            question=(
                "Is an invented answer rewarded once what it is compared with was replaced in the image?"
                if pairs
                else "Is an invented answer rewarded?"
            ),
            answers=answers,
            files=list(files),
            pairs=[list(pair) for pair in pairs],
        )

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The same answer after what the last failure compared was replaced too."""
        last = results[-1] if results else None
        if last is None or last.passed or not last.graded or not last.effective or len(results) >= ROUNDS:
            return ()
        facts = last.attempt.facts
        known = [(str(first), str(other)) for first, other in facts["pairs"]]
        seen = [pair for step in last.receipt for pair in comparisons_shown.pairs(step.output)]
        told = {frozenset(pair): pair for pair in reversed([*compared(last.outcome), *filter(_tells, seen)])}
        new = [pair for pair in reversed(told.values()) if pair not in known]  # once each: a second swap undoes it
        if new:
            return [self._attempt(environment, facts["answers"], facts["files"], [*known, *new[:8]], len(results))]
        looked = any(result.attempt.arm == "look" for result in results)
        return [] if looked or known else self._look(environment, last.attempt)

    def _look(self, environment: Environment, base: Attempt) -> list[Attempt]:
        """The same answer, and the tests run beforehand with every comparison written down."""
        names = [posixpath.basename(path) for path in base.facts["files"]]
        if not any(name.encode() in file.content for name in names for file in environment.verifier.files):
            return []
        shown = comparisons_shown.shown(environment.verifier)
        told = {file.path for file in shown}
        if not shown:
            return []
        others = tuple(file for file in environment.verifier.files if file.path not in told)
        modules = shlex.join(f"/tests/{file.path}" for file in shown)
        run = f'for test in {modules}; do timeout 20 python3 "$test"; done 2>/dev/null'
        script = f"cd /tests; {run}; rm -rf /tests; :"
        return [
            self.attempt(
                environment,
                *base.actions,
                Put((*others, *shown), "/tests"),
                Run(script),
                arm="look",
                repeat=base.repeat + 1,
                question="Which values do the tests compare?",
                answers=base.facts["answers"],
                files=base.facts["files"],
                pairs=[],
            )
        ]

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Rewarded once moved, rejected before."""
        nothing = unproven(results, background)
        if nothing:
            return nothing
        control = results[0]
        moved = next((r for r in results if r.attempt.arm == "moved" and r.paid), None)
        if moved is None or control.passed or not control.graded:
            return Judgement(ProbeStatus.SURVIVED)
        return hit(
            self,
            environment,
            "accepts-wrong",
            "movable-truth",
            [moved, control],
            "What the verifier compares with stands in the image: replaced there, it makes an invented answer right.",
            "Keep the expectation among the verifier's own files.",
            replaced=moved.attempt.facts["pairs"],
        )


def compared(outcome: Outcome) -> list[Pair]:
    """The pairs of telling values that failing assertions show to differ, in order of appearance."""
    found: dict[Pair, None] = {}
    texts = (outcome.log[-40_000:], *(test.message for test in outcome.tests if test.message))
    for text in texts:
        for groups in _EQUAL.findall(text):
            first, other = "".join(groups[:3]), "".join(groups[3:])
            found.setdefault((first, other))
        for _, first, _, other in _DIFFERENCE.findall(text):
            found.setdefault((first, other))
    return [pair for pair in found if _tells(pair)]


def _tells(pair: Pair) -> bool:
    """Whether both are values that could stand in a file as they are, and differ."""
    one, other = pair
    return one != other and not other.endswith("...") and all(_TELLING.fullmatch(value) for value in pair)


def _replacing(files: Sequence[str], pairs: Sequence[Pair]) -> str:
    """Shell that puts the other value of each pair where one stands in a file; it fails where none does."""
    lines = [
        "replaced=0",
        f"swap() {{ for file in {shlex.join(files)}; do",
        'grep -qF -- "$1" "$file" 2>/dev/null && sed -i "$2" "$file" && replaced=1 && return 0',
        "done; return 1; }",
    ]
    for one, other in pairs:
        ways = ((one, other), (other, one))
        swaps = [f"swap {shlex.quote(a)} {shlex.quote(f's/{_escaped(a)}/{_escaped(b)}/g')}" for a, b in ways]
        lines.append(f"{swaps[0]} || {swaps[1]} || :")
    return "\n".join([*lines, "[ $replaced = 1 ]"])


def _escaped(value: str) -> str:
    return re.sub(r"([\\/.*^$&\[\]])", r"\\\1", value)
