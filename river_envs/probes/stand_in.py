"""Probes that hand in a simple program where a program is asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from river_envs.environment import Environment, File
from river_envs.probes import leaks, programs
from river_envs.probes.artefacts import stub
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Put, Result, Survey
from river_envs.probes.judging import accepted, hit, unproven

Variant = tuple[str, tuple[File, ...]]
"""What a stand-in does, in words, and its files, one for each asked program."""


class StandIn(Probe):
    """Hands in ``variants`` of a program; any reward is ``cause``, and two that exclude each other are shape-only."""

    cause: ClassVar[str] = "fixed-inputs"
    exclusive: ClassVar[bool] = False
    """Whether no program that is right can do what two variants do."""
    printing: ClassVar[bool] = True
    """Whether the stand-in only means something for a program whose printed words or values matter."""
    advice: ClassVar[str] = "Run the program on inputs that the agent has not seen, with different right answers."

    @abstractmethod
    def variants(
        self, environment: Environment, survey: Survey, paths: Sequence[str]
    ) -> Sequence[Variant] | NotApplicable:
        """The stand-ins to try for the programs at ``paths``, the most telling first."""

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt for each variant that the reference does not leave itself."""
        paths = programs.deliverables(environment, survey)
        if not paths:
            return NotApplicable("the instruction asks for no program")
        if not programs.takes_input(environment):
            return NotApplicable("the program answers no input: one behaviour may be right")
        if self.printing and not programs.prints(environment):
            return NotApplicable("the program is not asked to print or return anything")
        found = self.variants(environment, survey, paths)
        if isinstance(found, NotApplicable):
            return found
        present = {entry.path for entry in survey.listing}
        others = [path for path in leaks.targets(environment, survey) if path not in paths and path not in present]
        attempts = []
        for index, (label, files) in enumerate(found):
            if files and not all(_is_right(file, survey) for file in files):
                attempts.append(
                    self.attempt(
                        environment,
                        Put((*files, *(stub(path) for path in others))),
                        repeat=index,
                        question=f"Is a program rewarded that {label}?",
                        label=label,
                        paths=list(paths),
                    )
                )
        return attempts or NotApplicable("there is no such program in the asked language")

    def enough(self, results: Sequence[Result]) -> bool:
        """Where variants exclude each other, all of them are asked."""
        return not self.exclusive and super().enough(results)

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Two exclusive ones first."""
        nothing = unproven(results, background)
        if nothing:
            return nothing
        paid = [result for result in results if result.paid]
        if self.exclusive and len(paid) > 1:
            labels = [result.attempt.facts["label"] for result in paid[:2]]
            return hit(
                self,
                environment,
                "accepts-wrong",
                "shape-only",
                paid[:2],
                f"Two programs that exclude each other are rewarded: one that {labels[0]}, one that {labels[1]}.",
                "Compare what the program says with the right answer for each input.",
                labels=labels,
            )
        label = paid[0].attempt.facts["label"] if paid else ""
        message = f"A program that {label} is rewarded."
        return accepted(
            self, environment, results, background, "accepts-wrong", self.cause, message, self.advice
        )


def _is_right(file: File, survey: Survey) -> bool:
    change = survey.reference.get(file.path) if survey.reference else None
    return change is not None and change.content.strip() == file.content.strip()
