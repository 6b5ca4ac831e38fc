"""Adversarial: the instruction's own prose as the answer."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes.all_literals import words_may_be_right
from river_envs.probes.artefacts import stub
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Put, Result, Survey
from river_envs.probes.judging import accepted
from river_envs.probes.keywords import words_only, wrapped


class InstructionEcho(Probe):
    """The question is handed in as its answer.

    What it does: writes the instruction's prose, without its examples, into each data output and grades.

    What a hit proves: any text about the subject is rewarded (keyword-only): the question holds no answer.

    What it cannot show: checks of words that the question avoids, of form, of values.

    Seen in the wild: reports graded by a list of terms that all stand in the task's own description; length and
    keyword checks on free text.
    """

    id = "instruction-echo"
    name = "The question as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
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

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A reward is keyword-only."""
        message = "The instruction's own text, handed in as the answer, is rewarded."
        advice = "Check values that the instruction does not contain."
        return accepted(self, environment, results, background, "accepts-wrong", "keyword-only", message, advice)
