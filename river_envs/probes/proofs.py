"""Proofs by contradiction: one filling after the other, the second only where the first was rewarded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from river_envs.environment import Environment, File
from river_envs.probes.base import Attempt, Background, Judgement, Probe, ProbeStatus, Put, Result, Run
from river_envs.probes.judging import hit, unproven


def second(probe: Probe, environment: Environment, results: Sequence[Result], question: str) -> list[Attempt]:
    """The second arm of the first attempt that was rewarded, as it was planned in ``facts["other"]``."""
    first = next((result for result in results if result.paid), None)
    if first is None or any(result.attempt.arm == "altered" for result in results):
        return []
    facts = first.attempt.facts
    actions = replayed(facts["other"])
    repeat = first.attempt.repeat + 50
    return [probe.attempt(environment, *actions, arm="altered", repeat=repeat, question=question, **_shown(facts))]


def kept(actions: Sequence[Put | Run]) -> dict[str, Any]:
    """Actions as plain values, to be kept in ``facts``; contents are text."""
    files = [file for action in actions if isinstance(action, Put) for file in action.files]
    return {
        "files": [[file.path, file.content.decode("latin-1"), file.mode] for file in files],
        "scripts": [action.script for action in actions if isinstance(action, Run)],
    }


def replayed(facts: Mapping[str, Any]) -> tuple[Put | Run, ...]:
    """The actions that ``kept`` holds."""
    files = tuple(File(path, content.encode("latin-1"), mode) for path, content, mode in facts["files"])
    actions: list[Put | Run] = [Put(files)] if files else []
    return (*actions, *(Run(script) for script in facts["scripts"]))


def contradicted(
    probe: Probe, environment: Environment, results: Sequence[Result], background: Background, message: str, advice: str
) -> Judgement:
    """Shape-only where a first filling and its altered one, which exclude each other, were both rewarded."""
    nothing = unproven(results, background)
    if nothing:
        return nothing
    passed = [result for result in results if result.paid]
    arms = {result.attempt.arm: result for result in reversed(passed)}
    if "altered" in arms and len(arms) > 1:
        pair = [result for result in (arms.get("probe"), arms["altered"]) if result is not None]
        shown = [result.attempt.facts.get("answers") for result in pair]
        return hit(probe, environment, "accepts-wrong", "shape-only", pair, message, advice, answers=shown)
    if passed:
        return Judgement(ProbeStatus.SURVIVED, "one filling was rewarded, another that excludes it was not")
    return Judgement(ProbeStatus.SURVIVED)


def _shown(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {"answers": facts.get("other_answers")}
