"""Lists of chat messages: TMax's job directories and the ``messages`` of solver summaries.

Every reply of the assistant is a turn. Its command is in ``tool_calls``, or in the text of the reply; what it was shown
is in the ``tool`` messages that answer its calls, or in the next ``user`` message. A reply without a command is an
invalid action; so is what a harness then says of it no observation of a command, but it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river_envs.rollouts.actions import calls_text, exit_code_of, reply_command
from river_envs.rollouts.reading import mapping, text_of
from river_envs.rollouts.records import Turn


def turns(messages: list[Any]) -> Iterator[Turn]:
    """The turns of a conversation, in order. Messages that are no objects are passed over."""
    reply: tuple[str | None, bool] | None = None
    shown: list[str] = []
    for message in map(mapping, messages):
        role, content = message.get("role"), text_of(message.get("content")) or ""
        if role == "assistant":
            if reply is not None:
                yield _turn(reply, shown)
            command, submits = calls_text(
                message.get("tool_calls"), name="name", arguments="arguments", inside="function"
            )
            reply, shown = (command, submits) if command is not None else reply_command(content), []
        elif role in ("tool", "user") and reply is not None:
            shown.append(content)
    if reply is not None:
        yield _turn(reply, shown)


def _turn(reply: tuple[str | None, bool], shown: list[str]) -> Turn:
    command, submits = reply
    observation = "\n".join(shown) if shown else None
    code = exit_code_of(observation) if command is not None else None
    return Turn(0, command, observation, code, submits=submits)
