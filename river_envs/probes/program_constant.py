"""Adversarial: a program that always says the same."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import islice

from river_envs.environment import Environment
from river_envs.probes import programs, visible_examples
from river_envs.probes.answers import alter
from river_envs.probes.base import Attempt, Background, NotApplicable, Put, Result, Survey
from river_envs.probes.program_word import stated_words
from river_envs.probes.stand_in import StandIn, Variant

_LABEL = "always says "
_LONGEST = 40
_CONTROL = 9


class ProgramConstant(StandIn):
    """A program that always says the same, whatever it is given.

    What it does: where a program with an input is asked for, hands in one that prints one text for every input: the
    output of an example of the instruction, a word that it is to print, or a number where none is stated; then one that
    prints another text. Where just one of them pays, a word of the same length that means nothing takes its place.

    What a hit proves: all inputs of the verifier have the same answer (fixed-inputs); when both are rewarded, what is
    said is not compared at all (shape-only).

    What it cannot show: programs that work on files beside their output, and languages without a stand-in.

    Seen in the wild: a program to be implemented was run on the one sample of the instruction only.
    """

    id = "program-constant"
    name = "A program that always says the same"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 3
    order = 45
    effort = "standard"
    exclusive = True

    def variants(
        self, environment: Environment, survey: Survey, paths: Sequence[str]
    ) -> Sequence[Variant] | NotApplicable:
        """Two different outputs of examples, words or numbers."""
        names = programs.functions(environment)
        shown = list(dict.fromkeys(visible_examples.pairs(environment, survey).values()))
        shown += [repr(value) for known in visible_examples.values(environment).values() for value in known.values()]
        words = [word for word, _ in islice(stated_words(environment.instruction, ""), 2)]
        said = list(dict.fromkeys([*shown, *words, "0", "37"]))[:2]
        by_line = "line" in environment.instruction and all("\n" not in one for one in said)
        return [_always(one, paths, by_line, names) for one in said]

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The control of a word that paid alone: another one in its place."""
        paid = [result for result in results if result.paid]
        if len(paid) != 1 or any(result.attempt.repeat == _CONTROL for result in results):
            return ()
        facts = paid[0].attempt.facts
        said = ast.literal_eval(facts["label"].removeprefix(_LABEL))
        other = alter(said)
        if other == said or len(said) >= _LONGEST:
            return ()
        by_line = "line" in environment.instruction and "\n" not in said
        label, files = _always(other, facts["paths"], by_line, programs.functions(environment))
        question = f"Is a program rewarded that {label}?"
        kept = [file for action in paid[0].attempt.actions if isinstance(action, Put) for file in action.files]
        own = {file.path for file in files}
        put = Put((*files, *(file for file in kept if file.path not in own)))
        return [self.attempt(environment, put, repeat=_CONTROL, question=question, label=label, paths=facts["paths"])]


def _always(said: str, paths: Sequence[str], by_line: bool, names: tuple[str, ...]) -> Variant:
    files = tuple(programs.says(path, said, by_line=by_line, names=names) for path in paths)
    return f"{_LABEL}{said[:_LONGEST]!r}", files
