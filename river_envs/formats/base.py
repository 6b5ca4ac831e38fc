"""What every reader shares: the three ends an input can come to, the bounds on hostile input, and a discovered source.

Every input ends as exactly one :data:`Item`. A reader never skips: it returns an environment or raises
:class:`RejectedInput` with a reason, so that a corpus of 14,600 tasks yields 14,600 items.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from river_envs.environment import Environment

READER_VERSION = 1
"""Part of every signature: raise it when a reader changes, so that unchanged inputs are read again."""

MIB = 1024 * 1024


class RejectedInput(Exception):
    """This input is no environment; the message is the reason and names the file or key."""


@dataclass(frozen=True)
class Bounds:
    """What one environment may weigh. Sizes in bytes; they are checked before a byte is read, and again while
    reading.
    """

    file_bytes: int = 64 * MIB
    environment_bytes: int = 256 * MIB
    instruction_bytes: int = 2 * MIB
    instruction_lines: int = 50_000
    settings_bytes: int = 8 * MIB
    entries: int = 20_000

    def key(self) -> tuple[int, ...]:
        """What enters a signature: other bounds may end in another result."""
        return (
            READER_VERSION, self.file_bytes, self.environment_bytes, self.instruction_bytes, self.instruction_lines,
            self.settings_bytes, self.entries,
        )


@dataclass(frozen=True)
class Found:
    """An environment that can be audited."""

    environment: Environment
    where: str


@dataclass(frozen=True)
class Unsupported:
    """An environment that is kept and shown, but cannot be run yet."""

    environment: Environment
    where: str

    @property
    def reason(self) -> str:
        """Why it cannot be run."""
        return "; ".join(self.environment.unsupported)


@dataclass(frozen=True)
class Rejected:
    """An input from which no environment could be read."""

    where: str
    reason: str


Item = Found | Unsupported | Rejected


@dataclass(frozen=True)
class Source:
    """One discovered input, not read yet.

    ``signature`` is cheap (names, sizes, modification times; no contents) and changes when the input does.
    ``read`` returns the environment or raises :class:`RejectedInput`.
    """

    where: str
    format: str
    signature: Callable[[], str]
    read: Callable[[], Environment]


def read_source(source: Source) -> Item:
    """Read one source; whatever goes wrong in it becomes a :class:`Rejected` and never stops the rest."""
    try:
        environment = source.read()
    except RejectedInput as problem:
        return Rejected(source.where, str(problem))
    except OSError as problem:
        return Rejected(source.where, f"cannot be read: {problem.strerror or problem}")
    except Exception as problem:  # noqa: BLE001 - one hostile input in 14,600 must not stop the others; it is named
        return Rejected(source.where, f"the {source.format} reader failed: {type(problem).__name__}: {problem}"[:500])
    if environment.unsupported:
        return Unsupported(environment, source.where)
    return Found(environment, source.where)


def rejected_source(where: str, format: str, reason: str) -> Source:
    """A source that is known to be bad already when it is discovered."""

    def read() -> Environment:
        raise RejectedInput(reason)

    return Source(where, format, lambda: f"rejected:{READER_VERSION}:{reason}", read)


def location(path: str | os.PathLike[str]) -> str:
    """``path`` as text that can be stored: bytes that are not UTF-8 are written out as ``\\xff``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
