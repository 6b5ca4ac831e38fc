"""Solver summaries of TMax and Endless-Terminals: ``<task>/solutions/<MODEL>[_harness][_thinking]_summary.json``.

    {"num_runs": ..., "num_success": ..., "results": [{"success", "messages", "output", "reward"}, ...]}

Every result is a rollout. Nothing in the format names the trial: its place in the list does. An interrupted run leaves
an empty object.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from river_envs.outcome import Status
from river_envs.rollouts import chat
from river_envs.rollouts.reading import (
    Item,
    Read,
    Unread,
    Unreadable,
    keep,
    listing,
    load_json,
    mapping,
    name_of,
    number_of,
)
from river_envs.rollouts.records import Rollout
from river_envs.verify.crash import crash_reason
from river_envs.verify.pytest_results import read_terminal

FORMAT = "solver-summary"
SUFFIX = "summary.json"
_OUTPUT_CHARACTERS = 4 << 20


def is_summary(path: Path) -> bool:
    """Whether a file is called as summaries are and lies where they lie."""
    return path.name.endswith(SUFFIX) and path.parent.name == "solutions"


def read(path: Path, where: str) -> Iterator[Item]:
    """The rollouts of one summary file."""
    try:
        summary = load_json(path, "broken-trajectory")
    except Unreadable as problem:
        yield Unread(where, FORMAT, str(problem))
        return
    results = mapping(summary).get("results")
    if not isinstance(results, list):
        yield Unread(where, FORMAT, f"{path.name} holds no results")
        return
    model = path.name.removesuffix(SUFFIX).rstrip("_")
    for number, result in enumerate(results):
        place = f"{where}#{number}"
        if isinstance(result, dict):
            yield Read(place, FORMAT, _rollout(result, path.parent.parent.name, model, number, summary))
        else:
            yield Unread(place, FORMAT, f"result {number} is a {type(result).__name__}, no object")


def _rollout(result: dict[str, Any], task: str, model: str, number: int, summary: dict[str, Any]) -> Rollout:
    messages = result.get("messages")
    turns, problems = keep(chat.turns(listing(messages)))
    reward = number_of(result.get("reward"))
    if reward is None and isinstance(result.get("success"), bool):
        reward = float(result["success"])
    status = Status.NO_REWARD_FILE if reward is None else Status.GRADED
    output = result.get("output")
    if reward is not None and reward <= 0 and isinstance(output, str) and _died(output[:_OUTPUT_CHARACTERS]):
        reward, status = None, Status.VERIFIER_CRASHED
    return Rollout(
        task=name_of(task), trial=f"{name_of(task)}/{name_of(model) or 'solver'}/{number}", model=name_of(model),
        turns=turns, status=status, reward=reward, agent=name_of(summary.get("harness")), source=name_of(task),
        submitted=any(turn.submits for turn in turns) if turns else None,
        problems=problems if isinstance(messages, list) else ("no-trajectory",),
    )


def _died(output: str) -> bool:
    return crash_reason(output, read_terminal(output), None) is not None
