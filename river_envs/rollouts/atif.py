"""ATIF trajectories (Agent Trajectory Interchange Format, versions 1.0 to 1.8; Harbor RFC 0001).

A step whose source is the agent is a turn: its tool calls are the command, all results of its observation what was
shown. A step that was copied from an earlier trajectory (``is_copied_context``) was counted there. A last step that
only speaks ends the work of agents that have no tool for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from river_envs.rollouts.actions import calls_text, exit_code_of, is_submission
from river_envs.rollouts.reading import Unreadable, listing, load_json, mapping, text_of, whole_of
from river_envs.rollouts.records import Turn

KNOWN = re.compile(r"ATIF-v1\.[0-8]")
CONTINUATIONS = 100


def is_atif(document: Any) -> bool:
    """Whether a parsed trajectory file claims to be ATIF, of whatever version."""
    return isinstance(document, dict) and "steps" in document


def turns(document: dict[str, Any], folder: Path | None = None) -> Iterator[Turn]:
    """The turns of a trajectory and of its continuations, which lie beside it in ``folder``.

    Raises Unreadable for a version that is not known, also of a continuation.
    """
    seen: set[str] = set()
    while True:
        version = document.get("schema_version")
        if not isinstance(version, str) or not KNOWN.fullmatch(version):
            raise Unreadable("unknown-version", f"the trajectory is of version {str(version)[:40]!r}")
        for step in map(mapping, listing(document.get("steps"))):
            yield from _turn(step)
        following = document.get("continued_trajectory_ref")
        if folder is None or not isinstance(following, str) or following in seen or len(seen) >= CONTINUATIONS:
            return
        if Path(following).name != following or not (folder / following).is_file():
            return
        seen.add(following)
        document = mapping(load_json(folder / following, "broken-trajectory"))


def ended_by_word(document: dict[str, Any]) -> bool:
    """Whether the last step of the agent calls no tool and got no answer: the agent said that it is done."""
    steps = [step for step in map(mapping, listing(document.get("steps"))) if step.get("source") == "agent"]
    return bool(steps) and not steps[-1].get("tool_calls") and not steps[-1].get("observation")


def _turn(step: dict[str, Any]) -> Iterator[Turn]:
    if step.get("source") != "agent" or step.get("is_copied_context") is True:
        return
    command, submits = calls_text(step.get("tool_calls"), name="function_name", arguments="arguments")
    results = [text_of(mapping(result).get("content")) for result in
               listing(mapping(step.get("observation")).get("results"))]
    shown = [text for text in results if text is not None]
    if command is None and not shown:
        return
    observation = "\n".join(shown) if shown else None
    tokens = whole_of(mapping(step.get("metrics")).get("completion_tokens"))
    code = exit_code_of(observation) if command is not None else None
    yield Turn(0, command, observation, code, tokens=tokens, submits=submits or is_submission(command or ""))
