"""Adversarial: the instruction's own example handed in as the answer, and altered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from river_envs.environment import Environment, File
from river_envs.probes import instruction as text
from river_envs.probes.answers import Scope, alter
from river_envs.probes.artefacts import stub
from river_envs.probes.asked import determined
from river_envs.probes.base import (
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Put,
    Result,
    Survey,
)
from river_envs.probes.judging import hit, unproven
from river_envs.probes.templates import INLINE_JSON, has_places

MOST = 2  # example variants tried per environment
_INLINE = re.compile(r"(?<!`)`([^`\n]{1,120})`(?!`)")
_CUE = re.compile(r"\b(for example|for instance|e\.g\.|example|sample|such as|looks? like)", re.IGNORECASE)


class ExampleBlock(Probe):
    """The example printed in the instruction is handed in, as it stands and with other values.

    What it does: writes each example block into the output it belongs to (stubs elsewhere) and grades; then the same
    form with every value altered; when the answer to both differs, also with only the numbers
    altered, each within its range.

    What a hit proves: two answers that exclude each other are both accepted, so a wrong one is (shape-only); or the
    example is accepted and every alteration rejected, so the instruction prints the value that it asks to find
    (printed-answer).

    What it cannot show: anything where the instruction dictates the content or leaves values free: it then stays
    silent.

    Seen in the wild: on 397 public tasks called too weak later, pasting the example or its altered form earned the
    reward on 55 %; after the repair 17 % still paid, because the example was the right answer.
    """

    id = "example-block"
    name = "Example as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 4
    order = 35

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """Per variant: the example and the same with every value altered."""
        instruction = environment.instruction
        named = [p for p in text.outputs(instruction, survey.listing, survey.workdir) if not p.endswith("/")]
        if not named:
            return NotApplicable("the instruction names no file that the image lacks")
        silent = determined(environment, survey)
        if silent:
            return silent
        attempts: list[Attempt] = []
        for variant, (answers, role) in enumerate(_variants(instruction, named)):
            attempts.append(self._attempt(environment, named, answers, "example", variant, role, "all", 0))
            altered = self._attempt(environment, named, answers, "altered", variant, role, "all", 1)
            if altered.actions != attempts[-1].actions:
                attempts.append(altered)
        return attempts or NotApplicable("the instruction shows no example of an output")

    def _attempt(
        self,
        environment: Environment,
        named: Sequence[str],
        answers: dict[str, str],
        arm: str,
        variant: int,
        role: str,
        scope: Scope,
        salt: int,
    ) -> Attempt:
        prose = text.prose(environment.instruction) if arm == "altered" else ""
        if salt:
            answers = {
                path: alter(
                    answer, stated=_kept(prose, answer), scope=scope, salt=salt, table=path.endswith((".csv", ".tsv"))
                )
                for path, answer in answers.items()
            }
        files = tuple(
            File(path.strip("/"), answers[path].encode()) if path in answers else stub(path) for path in named
        )
        question = (
            "Is the example printed in the instruction rewarded?"
            if arm == "example"
            else "Is the example with other values rewarded?"
        )
        return self.attempt(
            environment,
            Put(files),
            arm=arm,
            repeat=variant * 10 + salt * 2 + (scope == "near"),
            question=question,
            variant=variant,
            role=role,
            scope=scope,
            salt=salt,
            answers=answers,
            named=list(named),
        )

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """Where a variant was accepted once: the arms that tell a leak from an empty check. An alteration that has
        nothing to alter is no arm.
        """
        wanted = []
        for variant in sorted({result.attempt.facts["variant"] for result in results}):
            own = [result for result in results if result.attempt.facts["variant"] == variant]
            example = own[0]
            altered = [result for result in own if result.attempt.arm == "altered"]
            facts = example.attempt.facts

            def arm(scope: Scope, salt: int, facts: dict[str, Any] = facts, variant: int = variant) -> Attempt:
                return self._attempt(
                    environment, facts["named"], facts["answers"], "altered", variant, facts["role"], scope, salt
                )

            if example.passed and altered and not any(result.passed for result in altered):
                wanted.append(arm("near", 1))
            elif not example.passed and any(result.passed for result in altered):
                wanted.append(arm("all", 2))
        done = {result.attempt.id for result in results}
        tried = [result.attempt.actions for result in results]
        return [attempt for attempt in wanted if attempt.id not in done and attempt.actions not in tried]

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: only all arms together tell a leak from an empty check."""
        return False

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A contradiction first, then a leak."""
        nothing = unproven(results, background)
        if nothing:
            return nothing
        for variant in sorted({result.attempt.facts["variant"] for result in results}):
            own = [result for result in results if result.attempt.facts["variant"] == variant and result.effective]
            accepted = [result for result in own if result.passed]
            if len({str(result.attempt.facts["answers"]) for result in accepted}) >= 2:
                return hit(
                    self,
                    environment,
                    "accepts-wrong",
                    "shape-only",
                    accepted[:2],
                    "Two answers that exclude each other are both rewarded: only the form is checked.",
                    "Compare each value with the one that follows from the inputs.",
                    answers=[result.attempt.facts["answers"] for result in accepted[:2]],
                )
            altered = [result for result in own if result.attempt.arm == "altered"]
            rejected = [result for result in altered if result.graded and not result.passed]
            role = own[0].attempt.facts["role"] if own else "unclear"
            if (
                accepted
                and accepted[0].attempt.arm == "example"
                and len(rejected) == len(altered) > 0
                and role == "example"
            ):
                return hit(
                    self,
                    environment,
                    "leaks-answer",
                    "printed-answer",
                    [accepted[0], rejected[0]],
                    "The example in the instruction is the right answer: it is rewarded, and altered it is not.",
                    "Print an example whose values cannot be the answer.",
                    answer=accepted[0].attempt.facts["answers"],
                )
        if any(result.passed for result in results):
            return Judgement(ProbeStatus.SURVIVED, "what was accepted may be content that the instruction dictates")
        return Judgement(ProbeStatus.SURVIVED)


def _variants(instruction: str, named: Sequence[str]) -> list[tuple[dict[str, str], str]]:
    """Ways to fill the outputs from the instruction's examples: all first blocks together, then further blocks and
    inline samples.
    """
    usable = [
        block
        for block in text.blocks(instruction, named)
        if block.path and block.role in {"example", "unclear"} and not has_places(block.text)
    ]
    by_path: dict[str, list[text.Block]] = {}
    for block in usable:
        by_path.setdefault(block.path or "", []).append(block)
    variants: list[tuple[dict[str, str], str]] = []
    for index in range(max((len(found) for found in by_path.values()), default=0)):
        chosen = {path: found[min(index, len(found) - 1)] for path, found in by_path.items()}
        role = "example" if all(block.role == "example" for block in chosen.values()) else "unclear"
        variants.append(({path: block.text for path, block in chosen.items()}, role))
    if len(named) == 1:
        variants += [({named[0]: sample + "\n"}, "example") for sample in _inline(instruction)]
    unique: list[tuple[dict[str, str], str]] = []
    for variant in variants:
        if variant not in unique:
            unique.append(variant)
    return unique[:MOST]


def _inline(instruction: str) -> list[str]:
    """Inline code and JSON objects in a sentence that calls itself an example; paths, commands and
    templates are left out.
    """
    found = []
    prose = text.prose(instruction)
    objects = [match for match in INLINE_JSON.finditer(prose) if prose[match.start() - 1 : match.start()] != "`"]
    for match in (*_INLINE.finditer(prose), *objects):
        sample = match.group().strip("` ")
        if has_places(sample):
            continue
        lead = prose[max(0, match.start() - 120) : match.start()]
        sentence = re.split(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+|\n", lead)[-1]
        if _CUE.search(sentence) and not sample.startswith(("/", "-", "$", ".")) and re.search(r"\d|=|:", sample):
            found.append(sample)
    return found


def _kept(prose: str, answer: str) -> str:
    """The prose that may dictate values of ``answer``: without the inline code that is the answer itself."""
    return prose.replace(answer.strip(), " ")
