"""What the probes that synthesise from tests share: the first draft, its repairs, the second filling, the judgement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from river_envs.environment import Environment, File
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

BUDGET: Final = 8
"""Attempts for one environment, the second filling included."""
_SHOWN: Final = 400

Planned = tuple[dict[str, Any], tuple[File, ...]]
_MESSAGES: Final = {
    "shape-only": "The tests reward two artefacts of the demanded form whose values exclude each other",
    "keyword-only": "The tests reward texts that hold the looked-for words and nothing that was found",
    "existence-only": "The tests reward files that hold nothing but arbitrary words",
}


def proposed(environment: Environment, survey: Survey, language: str) -> Planned | NotApplicable:
    """The first draft, or why there is none."""
    from river_envs.synthesis.draft import draft, source

    origin = source(environment, survey, language)
    try:
        made = draft(environment, origin, 1)
    except RecursionError:
        return NotApplicable("the tests nest too deeply to be read")
    if made.why:
        return NotApplicable(made.why)
    facts = {"source": origin.plain(), "salt": 1, "amendments": [], "cause": made.cause, **_shown(made.files)}
    return {**facts, "places": list(made.places)}, made.files


def _shown(files: Sequence[File]) -> dict[str, Any]:
    return {"answers": {f"/{file.path}": file.content.decode("utf-8", "replace")[:_SHOWN] for file in files}}


def repaired(
    environment: Environment, results: Sequence[Result]
) -> tuple[dict[str, Any], tuple[File, ...], str, int] | None:
    """The next attempt: facts, files, arm and repeat; None when nothing is left to try."""
    from river_envs.synthesis.amend import amendment, first_failure
    from river_envs.synthesis.draft import Source, draft

    last = results[-1] if results else None
    if last is None or not last.graded or not last.effective or len(results) >= BUDGET:
        return None
    facts = last.attempt.facts
    if last.attempt.arm == "altered" and last.passed:
        return None
    origin, salt = Source.of(facts["source"]), facts["salt"]
    amendments = tuple((str(a), str(b), int(c), str(d)) for a, b, c, d in facts["amendments"])
    if last.passed:
        salt += 1
    else:
        before = draft(environment, origin, salt, amendments)
        change = amendment(before.demands, before.fillings, first_failure(last.outcome))
        if change is None or change in amendments:
            return None
        amendments = (*amendments, change)
    made = draft(environment, origin, salt, amendments)
    if made.why:
        return None
    arm = "altered" if last.passed or last.attempt.arm == "altered" else "probe"
    told = {"source": facts["source"], "salt": salt, "amendments": [list(a) for a in amendments], "cause": made.cause}
    return {**told, "places": list(made.places), **_shown(made.files)}, made.files, arm, len(results)


def judged(probe: Probe, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
    """Two fillings rewarded is a hit; one is none."""
    nothing = unproven(results, background)
    if nothing:
        return nothing
    passed = [result for result in results if result.paid]
    first = next((result for result in passed if result.attempt.arm == "probe"), None)
    second = next((result for result in passed if result.attempt.arm == "altered"), None)
    if first is None or second is None:
        return Judgement(ProbeStatus.SURVIVED, "one filling was rewarded, another was not" if passed else "")
    cause = str(second.attempt.facts["cause"])
    places = [str(place) for place in second.attempt.facts["places"]][:5]
    return hit(
        probe,
        environment,
        "accepts-wrong",
        cause,
        [first, second],
        f"{_MESSAGES[cause]}: {', '.join(places)}.",
        "Compare each value with the one that follows from the inputs.",
        places=places,
        answers=[first.attempt.facts["answers"], second.attempt.facts["answers"]],
    )


class Synthesised(Probe):
    """What the guided probes share: how they go on and how they are read. Each says itself how it begins."""

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """A repaired draft after a rejection; after a reward the same form with other values."""
        found = repaired(environment, results)
        if found is None:
            return ()
        facts, files, arm, repeat = found
        question = "Is the form alone rewarded?" if arm == "probe" else "Are other values rewarded as well?"
        return [self.attempt(environment, Put(files), arm=arm, repeat=repeat, question=question, **facts)]

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: one reward proves nothing."""
        return False

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Two fillings rewarded: the form alone is checked."""
        return judged(self, environment, results, background)
