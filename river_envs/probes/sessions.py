"""Console sessions in a text: which arguments and standard input a shown command got, and what it printed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

Call = tuple[str, str, str]
"""Arguments, standard input and what was printed."""
_PROMPT = re.compile(r"^[ \t]*(?:[\w.-]+@[\w.-]+[\w:~/-]*[$#%]|[$%])[ ](?=\S)", re.MULTILINE)
_HERE = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_RUNNERS = frozenset("python python3 bash sh dash node ruby perl env uv run exec time".split())  # noqa: SIM905


def calls(text: str, files: Mapping[str, str] | None = None) -> Iterator[Call]:
    """The shown commands that printed something. ``files`` are texts by path, for what is fed in with ``<`` or
    ``cat``.
    """
    starts = list(_PROMPT.finditer(text))
    for at, match in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(text)
        found = _call(text[match.end() : end], files or {})
        if found is not None:
            yield found


def _call(piece: str, files: Mapping[str, str]) -> Call | None:
    command, _, said = piece.partition("\n")
    fed, here = "", _HERE.search(command)
    if here:
        body, end, said = _until(said, here.group(2))
        if not end:
            return None
        fed, command = body, command[: here.start()] + command[here.end() :]
    said = said.strip("\n")
    if not said.strip():
        return None
    try:
        words = _words(command)
    except ValueError:
        return None  # quotes that do not close
    parts: list[list[str]] = [[]]
    for word in words:
        if isinstance(word, _Operator) and word == "|":
            parts.append([])
        else:
            parts[-1].append(word)
    if len(parts) > 2 or not parts[-1]:
        return None
    if len(parts) == 2:
        fed = _printed(parts[0], files)
    arguments, redirected = _arguments(parts[-1], files)
    return " ".join(arguments), redirected or fed, said


def _until(text: str, word: str) -> tuple[str, bool, str]:
    """The lines before the one that is ``word``, whether there is one, and the rest."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line.strip() == word:
            return "\n".join(lines[:at]), True, "\n".join(lines[at + 1 :])
    return text, False, ""


class _Operator(str):
    """A redirection or a pipe, as opposed to the same characters in quotes."""

    __slots__ = ()


def _words(command: str) -> list[str]:
    """The words and operators of a command line. Raises ValueError for quotes that do not close."""
    parts = re.findall(r"""<<<|>>|[|<>]|(?:[^\s|<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+|['"]""", command)
    if any(part in {"'", '"'} for part in parts):
        raise ValueError(f"quotes that do not close: {command!r}")
    return [_Operator(part) if part[0] in "|<>" else " ".join(shlex.split(part)) for part in parts]


def _printed(words: list[str], files: Mapping[str, str]) -> str:
    """What the first command of a pipe prints: echo, printf or cat."""
    name, rest = words[0] if words else "", [word for word in words[1:] if not re.fullmatch(r"-[neE]+", word)]
    if name == "cat":
        return "".join(_content(word, files) for word in rest)
    if name == "printf" and rest:
        shown = rest[0].replace("\\n", "\n").replace("\\t", "\t")
        for word in rest[1:]:
            shown = shown.replace("%s", word, 1)
        return shown
    return " ".join(rest).replace("\\n", "\n").replace("\\t", "\t") if name == "echo" else ""


def _arguments(words: list[str], files: Mapping[str, str]) -> tuple[list[str], str]:
    """The arguments of the program, and what is redirected into it."""
    kept, fed, rest = [], "", list(words)
    while rest:
        word = rest.pop(0)
        if not isinstance(word, _Operator):
            kept.append(word)
        elif word in {"<", "<<<"} and rest:
            following = rest.pop(0)
            fed = following if word == "<<<" else _content(following, files)
        else:
            rest = rest[1:]
    while kept and (kept[0].rsplit("/", 1)[-1] in _RUNNERS or re.match(r"\w+=|-\w$", kept[0])):
        kept = kept[1:]
    return kept[1:], fed


def _content(name: str, files: Mapping[str, str]) -> str:
    end = "/" + name.lstrip("./")
    return next((text for path, text in files.items() if path.endswith(end)), "")
