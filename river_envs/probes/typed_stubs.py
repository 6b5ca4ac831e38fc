"""Adversarial: valid, meaningless files of the asked types."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment, File
from river_envs.probes import edits
from river_envs.probes import instruction as text
from river_envs.probes.artefacts import stub
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Put, Result, Survey
from river_envs.probes.judging import existence, hit

_MOST = 60
"""Stubs of one attempt."""


class TypedStubs(Probe):
    """Every asked file exists, is valid of its type, and says nothing.

    What it does: writes a stub at each named path that the image lacks, and at those that the reference makes: `{}`, a
    one-line CSV, a one-pixel PNG, an empty archive, a script that exits 0 (executable); grades. A second arm uses the
    other common form (`[]`, one word).

    What a hit proves: the verifier checks that a file of the right type is there, not what it holds (existence-only).
    Where a table is paid and a file without columns is not, it checks the form (shape-only).

    What it cannot show: verifiers that ask for keys or columns; the example block and later the synthesis ask those.

    Seen in the wild: "valid JSON" as the only check; scripts that are run and only asked for exit status 0.
    """

    id = "typed-stubs"
    name = "Typed stubs"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 3
    order = 21

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """Two forms of the stubs."""
        if text.asks_for_empty(environment.instruction):
            return NotApplicable("the instruction may ask for something empty")
        named = [
            path
            for path in text.outputs(environment.instruction, survey.listing, survey.workdir)
            if not path.endswith("/")
        ]
        found = edits.targets(environment, survey, every=True)
        left = [target for target in found if target.fresh and target.kind not in {"code", "binary"}]
        asked = len(named)
        named = list(dict.fromkeys([*named, *(target.path for target in left if target.content.strip())]))[:_MOST]
        if not named:
            return NotApplicable("the instruction names no file that the image lacks")
        attempts = []
        for variant in range(2):
            files = tuple(stub(path, variant) for path in named)
            if not (survey.reference and all(_is_right(file, survey) for file in files[:asked] or files)):
                attempts.append(
                    self.attempt(
                        environment, Put(files), repeat=variant, question="Are meaningless stubs rewarded?", paths=named
                    )
                )
        return attempts or NotApplicable("the reference leaves the same stubs")

    def enough(self, results: Sequence[Result]) -> bool:
        """Where a stub happens to be a table, the other form is asked as well: it is none."""
        return super().enough(results) and not _tabular(results[-1])

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A reward is existence-only; shape-only where only the stub that is a table is rewarded."""
        paid = [result for result in results if result.paid]
        refused = [result for result in results if result.graded and not result.paid]
        if background.zero and len(paid) == 1 and refused and _tabular(paid[0]):
            return hit(
                self,
                environment,
                "accepts-wrong",
                "shape-only",
                [paid[0], refused[0]],
                "A table with made-up columns and values is rewarded.",
                "Compare each value with the one that follows from the inputs.",
                paths=paid[0].attempt.facts["paths"],
            )
        return existence(self, environment, results, background, "Meaningless stubs of the right type are rewarded")


def _tabular(result: Result) -> bool:
    """Whether the stubs of an attempt are the first ones and hold a table."""
    return result.attempt.repeat == 0 and any(
        path.lower().endswith((".csv", ".tsv")) for path in result.attempt.facts["paths"]
    )


def _is_right(file: File, survey: Survey) -> bool:
    change = survey.reference.get(file.path) if survey.reference else None
    return change is not None and change.content.strip() == file.content.strip()
