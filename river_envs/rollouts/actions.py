"""What a tool call or a reply does: the command in it, whether it declares the task done, the exit status shown for it.

Harnesses differ in the names of their tools and markers; the ones that occur in published rollouts are listed here.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

from river_envs.rollouts.reading import listing, mapping

SUBMISSION_MARKERS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
"""What TMax's harness and mini-swe-agent wait for; printed by the command that hands the work in."""
SUBMISSION_TOOLS = frozenset(
    {"mark_task_complete", "task_complete", "submit", "finish", "complete_task", "final_answer"}
)
_COMMAND_KEYS = ("command", "keystrokes", "cmd", "script", "code")
_SHELL_TOOL = re.compile(r"bash|shell|terminal|exec|command|^run|console|tmux", re.IGNORECASE)
_EXIT = re.compile(r"\(exit_code=(-?\d{1,10})\)\s*\Z")
_DONE = re.compile(r"<action>\s*done\s*</action>", re.IGNORECASE)
_TAGGED = re.compile(r"<command>\s*(.*?)\s*</command>", re.IGNORECASE | re.DOTALL)
_FENCED = re.compile(r"^```(?:bash|sh|mswea_bash_command)\s*\n(.*?)\n```", re.DOTALL | re.MULTILINE)


def call_text(name: str, arguments: Any) -> str:
    """A tool call as a command: the text a shell tool was given, else the tool's name and its arguments as JSON."""
    if isinstance(arguments, str):  # the API's form: JSON in a string, which a model may have got wrong
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return f"{name} {arguments}".strip()
    if isinstance(arguments, str):
        arguments = {"command": arguments}
    if isinstance(arguments, dict) and _SHELL_TOOL.search(name):
        for key in _COMMAND_KEYS:
            value = arguments.get(key)
            if isinstance(value, str):
                return value
            if isinstance(value, list) and all(isinstance(word, str) for word in value):
                return shlex.join(value)
    return f"{name} {json.dumps(arguments, ensure_ascii=False)}" if arguments else name


def calls_text(calls: Any, *, name: str, arguments: str, inside: str | None = None) -> tuple[str | None, bool]:
    """The commands of a reply's tool calls, joined by newlines, and whether one of them hands the work in.

    ``name`` and ``arguments`` are the keys of the format, ``inside`` the key of the object that holds them. The command
    is None when there is no call.
    """
    texts, submits = [], False
    for call in listing(calls):
        holder = mapping(mapping(call).get(inside)) if inside else mapping(call)
        tool = str(holder.get(name) or "")
        texts.append(call_text(tool, holder.get(arguments)).rstrip("\n"))
        submits = submits or tool in SUBMISSION_TOOLS
    if not texts:
        return None, False
    text = "\n".join(texts)
    return text, submits or is_submission(text)


def reply_command(text: str) -> tuple[str | None, bool]:
    """The command in a reply without tool calls, and whether it hands the work in; (None, False) for neither.

    Endless-Terminals' form (``<command>``, the last one counts; ``<action>done</action>``), and a single fenced block.
    """
    if _DONE.search(text):
        return "done", True
    tagged = _TAGGED.findall(text)
    if tagged:
        command = str(tagged[-1])
        return command, command.lower() == "done" or is_submission(command)
    fenced = _FENCED.findall(text)
    if len(fenced) == 1:
        return str(fenced[0]), is_submission(fenced[0])
    return None, False


def is_submission(command: str) -> bool:
    """Whether a command prints a marker that hands the work in."""
    return any(marker in command for marker in SUBMISSION_MARKERS)


def exit_code_of(observation: str | None) -> int | None:
    """The exit status that TMax's and Endless-Terminals' harnesses write at the end of an observation."""
    found = _EXIT.search(observation[-40:]) if observation else None
    return int(found[1]) if found else None
