"""Adversarial: the instruction's own prose as the answer."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes.all_literals import words_may_be_right
from river_envs.probes.artefacts import stub
from river_envs.probes.base import Attempt, NotApplicable, Put, Survey
from river_envs.probes.keywords import words_only, wrapped
from river_envs.probes.words_alone import WordsAlone


class InstructionEcho(WordsAlone):
    """The question is handed in as its answer.

    What it does: writes the instruction's prose, without its examples, into each data output and grades.

    What a hit proves: any text about the subject is rewarded (keyword-only): the question holds no answer. Where
    arbitrary words pay as well it is existence-only, or shape-only inside a form.

    What it cannot show: checks of words that the question avoids, of form, of values.

    Seen in the wild: reports graded by a list of terms that all stand in the task's own description; length and
    keyword checks on free text.
    """

    id = "instruction-echo"
    name = "The question as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    message = "The instruction's own text, handed in as the answer, is rewarded."
    order = 31
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt; none where the words may be the content asked for."""
        instruction = environment.instruction
        named = text.data_outputs(instruction, survey.listing, survey.workdir)
        silent = words_may_be_right(environment, survey, named)
        if silent:
            return silent
        body = words_only(instruction)
        others = [path for path in text.outputs(instruction, survey.listing, survey.workdir) if path not in named]
        files = (*(wrapped(path, body, ()) for path in named), *(stub(p) for p in others if not p.endswith("/")))
        question = "Is the instruction's own text rewarded as the answer?"
        return [self.attempt(environment, Put(files), question=question, paths=list(named))]
