"""Adversarial: every word that the instruction quotes, in every output."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import wording
from river_envs.probes.artefacts import stub
from river_envs.probes.asked import determined
from river_envs.probes.base import Attempt, NotApplicable, Put, Survey
from river_envs.probes.keywords import literals, wrapped
from river_envs.probes.words_alone import WordsAlone


class AllLiterals(WordsAlone):
    """Everything that the instruction quotes stands in every output, in no form at all.

    What it does: collects quoted text, inline code, identifiers and the keys of examples (not their values), writes
    them line by line into each data output (inside valid JSON where the name asks for it) and grades.

    What a hit proves: text that merely contains the looked-for words is rewarded (keyword-only). The heap of words
    answers nothing: it holds every alternative at once and none of the values asked for. What pays is graded
    once more with arbitrary words: where they pay as well, the words are not looked for (existence-only, or shape-only
    inside a form).

    What it cannot show: checks of words that the instruction does not quote (its echo asks those), of form, of
    values.

    Seen in the wild: `assert "nginx" in report and "error" in report`; substring checks that give credit for naming
    every candidate at once.
    """

    id = "all-literals"
    name = "All quoted words together"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    message = "A heap of the words that the instruction quotes is rewarded."
    order = 30

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt; none where the words may be the content asked for."""
        named = text.data_outputs(environment.instruction, survey.listing, survey.workdir)
        words = literals(environment.instruction)
        silent = words_may_be_right(environment, survey, named)
        if silent or len(words) < 2:
            return silent or NotApplicable("the instruction quotes nothing")
        body = "\n".join(("Words:", *words)) + "\n"
        others = [p for p in text.outputs(environment.instruction, survey.listing, survey.workdir) if p not in named]
        files = (*(wrapped(path, body, words) for path in named), *(stub(p) for p in others if not p.endswith("/")))
        question = "Is a heap of the quoted words rewarded?"
        return [self.attempt(environment, Put(files), question=question, words=list(words)[:50], paths=list(named))]


def words_may_be_right(environment: Environment, survey: Survey, named: Sequence[str]) -> NotApplicable | None:
    """Why text that holds the instruction's words cannot be called wrong, or None."""
    instruction = environment.instruction
    if not named:
        return NotApplicable("the instruction names no data file that the image lacks")
    silent = determined(environment, survey)
    if silent:
        return silent
    if all(wording.dictates(instruction, path) for path in named):
        return NotApplicable("the instruction dictates the words of the output")
    if any(block.role == "dictated" and block.path in named for block in text.blocks(instruction, named)):
        return NotApplicable("the instruction dictates the content of an output")
    return None
