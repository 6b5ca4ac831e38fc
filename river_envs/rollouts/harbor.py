"""Harbor's trial directories: ``result.json``, ``agent/trajectory.json`` and what the verifier left.

    jobs/<job>/<task>__<7 characters>/{result.json, config.json, agent/trajectory.json, verifier/...}

The reward is the one that Harbor accepted, in ``result.json``; a reward file alone is none. A reward of 0 whose
verifier died before it ran a test says nothing about the work: it is dropped and the status says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from river_envs.outcome import Status
from river_envs.rollouts import atif, chat
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
    whole_of,
)
from river_envs.rollouts.records import Rollout, Turn, status_without_reward
from river_envs.verify.crash import crash_reason
from river_envs.verify.pytest_results import read_terminal

FORMAT = "harbor"
TRIAL_NAME = re.compile(r"(.+)__[A-Za-z0-9]{7}")
_LOG_BYTES = 4 << 20


def is_trial(names: Set[str], name: str) -> bool:
    """Whether a directory called ``name`` that holds ``names`` is a trial, finished or not."""
    parts = {"agent", "verifier"} & names
    records = {"result.json", "config.json"} & names
    return bool(parts and (records or TRIAL_NAME.fullmatch(name))) or bool(records and TRIAL_NAME.fullmatch(name))


def task_of(trial: str) -> str:
    """The task in the name of a trial as Harbor writes it; the name itself where it is none."""
    found = TRIAL_NAME.fullmatch(trial)
    return found[1] if found else trial


def read(folder: Path, where: str) -> Iterator[Item]:
    """The one rollout of a trial directory; Unread when there is neither a result nor a turn in it."""
    problems: list[str] = []
    result = _result(folder, problems)
    turns, submitted = _turns(folder, problems)
    if not result and not turns:
        yield Unread(where, FORMAT, f"holds neither a result nor a turn ({', '.join(problems)})")
        return
    yield Read(where, FORMAT, _rollout(folder, result, _timed(folder, turns), submitted, problems))


def _rollout(
    folder: Path, result: dict[str, Any], turns: tuple[Turn, ...], submitted: bool | None, problems: list[str]
) -> Rollout:
    config = mapping(result.get("config")) or _config(folder)
    agent = mapping(result.get("agent_info"))
    trial = name_of(result.get("trial_name"), config.get("trial_name"), folder.name)
    exception = name_of(mapping(result.get("exception_info")).get("exception_type")) or None
    reward, status = _reward(folder, result, exception)
    used = mapping(result.get("agent_result"))
    return Rollout(
        task=name_of(result.get("task_name"), mapping(config.get("task")).get("name"), task_of(trial)),
        trial=trial,
        model=name_of(
            mapping(agent.get("model_info")).get("name"), mapping(config.get("agent")).get("model_name")
        ),
        turns=turns,
        status=status,
        reward=reward,
        agent=name_of(agent.get("name"), mapping(config.get("agent")).get("name")),
        source=name_of(folder.parent.name),
        task_checksum=name_of(result.get("task_checksum")) or None,
        exception=exception,
        submitted=submitted,
        seconds=_seconds(mapping(result.get("agent_execution"))),
        prompt_tokens=whole_of(used.get("n_input_tokens")),
        completion_tokens=whole_of(used.get("n_output_tokens")),
        problems=tuple(dict.fromkeys(problems)),
    )


def _result(folder: Path, problems: list[str]) -> dict[str, Any]:
    """What Harbor recorded of the trial; empty, with a problem, where it recorded nothing that can be read."""
    path = folder / "result.json"
    if not path.is_file() or path.is_symlink():
        problems.append("no-result")
        return {}
    try:
        result = load_json(path, "broken-result")
    except Unreadable:
        result = None
    if not isinstance(result, dict) or not result:
        problems.append("broken-result")
        return {}
    return result


def _config(folder: Path) -> dict[str, Any]:
    try:
        return mapping(load_json(folder / "config.json", "broken-result"))
    except Unreadable:
        return {}


def _turns(folder: Path, problems: list[str]) -> tuple[tuple[Turn, ...], bool | None]:
    """The turns, and whether the agent handed its work in; None where nothing can be told."""
    path = folder / "agent" / "trajectory.json"
    if not path.is_file() or path.is_symlink():
        problems.append("no-trajectory")
        return (), None
    try:
        document = load_json(path, "broken-trajectory")
        if not isinstance(document, list) and not atif.is_atif(document):
            problems.append("broken-trajectory")
            return (), None
        is_chat = isinstance(document, list)
        turns, met = keep(chat.turns(document) if is_chat else atif.turns(document, path.parent))
    except Unreadable as problem:
        problems.append(problem.problem)
        return (), None
    problems.extend(met)
    by_word = isinstance(document, dict) and atif.ended_by_word(document)
    return turns, by_word or any(turn.submits for turn in turns)


def _timed(folder: Path, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """``turns`` with the seconds that TMax's harness noted by step in ``timing.json``."""
    path = folder / "agent" / "timing.json"
    if not turns or not path.is_file() or path.is_symlink():
        return turns
    try:
        notes = load_json(path, "broken-trajectory")
    except Unreadable:
        return turns
    seconds = {whole_of(note.get("step")): number_of(note.get("bash_s")) for note in map(mapping, listing(notes))}
    return tuple(replace(turn, seconds=seconds.get(turn.number + 1)) for turn in turns)


def _reward(folder: Path, result: dict[str, Any], exception: str | None) -> tuple[float | None, Status]:
    rewards = mapping(mapping(result.get("verifier_result")).get("rewards"))
    key = "reward" if "reward" in rewards else next(iter(rewards), "") if len(rewards) == 1 else ""
    reward = number_of(rewards.get(key))
    if reward is None:
        return None, status_without_reward(exception) if not rewards else Status.MALFORMED_REWARD
    if reward <= 0 and _verifier_died(folder):
        return None, Status.VERIFIER_CRASHED
    return reward, Status.GRADED


def _verifier_died(folder: Path) -> bool:
    """Whether the verifier's output shows that it ended before it judged anything."""
    path = folder / "verifier" / "test-stdout.txt"
    if not path.is_file() or path.is_symlink():
        return False
    with path.open("rb") as stream:
        text = stream.read(_LOG_BYTES).decode("utf-8", "replace")
    return crash_reason(text, read_terminal(text), None) is not None


def _seconds(span: dict[str, Any]) -> float | None:
    """The length of one of Harbor's time spans."""
    try:
        ends = [datetime.fromisoformat(str(span[key]).replace("Z", "+00:00")) for key in ("started_at", "finished_at")]
        return max(0.0, (ends[1] - ends[0]).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None
