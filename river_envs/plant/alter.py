"""Wrong states made of right ones: every value changed, its form kept; or one thing changed at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from river_envs.environment import File
from river_envs.plant.outputs import Output, write_table
from river_envs.plant.subject import Subject
from river_envs.probes.base import Action, Put, Restore

_LOWER, _UPPER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
_SHIFTED = str.maketrans(
    _LOWER + _UPPER + _DIGITS[1:], _LOWER[5:] + _LOWER[:5] + _UPPER[5:] + _UPPER[:5] + _DIGITS[2:] + "1"
)


def shift(text: str) -> str:
    """``text`` with every letter and every digit but 0 replaced by another one of its class."""
    return text.translate(_SHIFTED)


def altered(value: Any) -> Any:
    """A JSON value of the same shape, keys kept, in which every scalar is another one of its type."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1009
        case float():
            return value * 3 + 1009.5
        case str():
            return shift(value) if shift(value) != value else value + "x"
        case list():
            return [altered(item) for item in value]
        case dict():
            return {key: altered(item) for key, item in value.items()}
        case _:
            return value


def wrong_content(output: Output, *, header: bool) -> bytes:
    """The content of ``output`` in its form with other values; ``header`` keeps a table's first row."""
    match output.kind:
        case "json":
            return json.dumps(altered(output.value), indent=2).encode() + b"\n"
        case "table":
            rows = [[shift(cell) for cell in row] for row in output.value]
            return write_table([output.value[0] if header else rows[0], *rows[1:]], output.delimiter)
        case _:
            return shift(output.text).encode()


def put(path: str, content: bytes, mode: int = 0o644) -> Put:
    """Write one file at an absolute path."""
    return Put((File(path.lstrip("/"), content, mode),))


_STUBS = {"json": b"{}\n", "program": b"#!/bin/sh\nexit 0\n"}


def stubs(outputs: Sequence[Output]) -> tuple[Action, ...]:
    """A formless stub of the right type at the place of each output."""
    return tuple(put(output.path, _STUBS.get(output.kind, b"todo\n"), 0o755) for output in outputs)


def quoted(path: str) -> str:
    """``path`` for a shell."""
    import shlex

    return shlex.quote(path)


def wrong_everywhere(subject: Subject, *, header: bool = True) -> tuple[Action, ...]:
    """The reference's state with other values in every document."""
    written = tuple(put(o.path, wrong_content(o, header=header), o.mode) for o in subject.documents)
    return (Restore(), *written)


def emptied(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """The files that ``actions`` write, each holding nothing but a newline."""
    puts = [action for action in actions if isinstance(action, Put)]
    return tuple(Put(tuple(File(file.path, b"\n", file.mode) for file in action.files)) for action in puts)
