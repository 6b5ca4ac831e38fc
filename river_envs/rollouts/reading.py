"""What every reader shares: bounds on hostile input, text made storable, and the two ends an input can come to.

A rollout file is written by an agent's harness, and most of its text by the agent and by what it ran. Nothing of it is
trusted: sizes are checked before reading, a text that is too long loses its middle, and bytes that are no text are
written out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from river_envs.catalog.store import clean
from river_envs.rollouts.records import Rollout, Turn

MIB = 1 << 20
FILE_BYTES = 128 * MIB
"""Largest JSON file, or line of one, that is parsed."""
JSON_VALUES = 8_000_000
"""Most values in it, told by its commas and brackets: small values cost ten times their text in memory."""
TEXT_CHARACTERS = 65_536
"""Characters kept of one command or observation."""
ROLLOUT_CHARACTERS = 16 * MIB
"""Characters kept of one rollout; beyond, every further text is kept to ``SHORT_CHARACTERS``."""
SHORT_CHARACTERS = 512
TURNS = 20_000
"""Turns kept of one rollout."""
NAME_CHARACTERS = 500


class Unreadable(Exception):
    """An input that cannot be read; ``problem`` is a name in ``records.PROBLEMS``."""

    def __init__(self, problem: str, reason: str) -> None:
        super().__init__(reason)
        self.problem = problem


@dataclass(frozen=True)
class Read:
    """A rollout and where it was read; ``where`` is unique within a catalog."""

    where: str
    format: str
    rollout: Rollout


@dataclass(frozen=True)
class Unread:
    """An input that gave no rollout, and why."""

    where: str
    format: str
    reason: str


Item = Read | Unread


@dataclass(frozen=True)
class Source:
    """One input that was found and not read yet; it may hold many rollouts."""

    where: str
    format: str
    read: Callable[[], Iterator[Item]]


def load_json(path: Path, problem: str) -> Any:
    """The JSON in a file. Raises Unreadable with ``problem``, or ``too-large``."""
    try:
        if path.stat().st_size > FILE_BYTES:
            raise Unreadable("too-large", f"{path.name} is larger than {FILE_BYTES // MIB} MiB")
        with path.open("rb") as stream:
            content = stream.read(FILE_BYTES + 1)
    except OSError as error:
        raise Unreadable(problem, f"{path.name} cannot be read: {error.strerror or error}") from error
    return parse_json(content, path.name, problem)


def parse_json(content: bytes, name: str, problem: str) -> Any:
    """The JSON in ``content``. Raises Unreadable with ``problem``, or ``too-large``."""
    if len(content) > FILE_BYTES or content.count(b",") + content.count(b"[") + content.count(b"{") > JSON_VALUES:
        raise Unreadable("too-large", f"{name} has more than {FILE_BYTES // MIB} MiB or {JSON_VALUES:,} values")
    try:
        return json.loads(content.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError) as error:
        raise Unreadable(problem, f"{name} is not valid JSON: {' '.join(str(error).split())[:120]}") from error


def text_of(value: object) -> str | None:
    """The text in a message: a string, bytes, or a list of parts with a ``text`` each; None for nothing."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in value]
        return "\n".join(part for part in parts if isinstance(part, str))
    return None


def name_of(*values: object) -> str:
    """The first of ``values`` that is a text, cleaned and of bounded length; empty when none is."""
    for value in values:
        if isinstance(value, str) and value:
            return clean(value.replace("\x00", "\\x00")[:NAME_CHARACTERS])
    return ""


def number_of(value: object, most: float = 1e15) -> float | None:
    """``value`` as a finite number, None for everything else (a truth value is none)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= most:
        return None
    return float(value)


def whole_of(value: object) -> int | None:
    """``value`` as a whole number below 2**31, None for everything else."""
    number = number_of(value, 2**31 - 1)
    return None if number is None or number != int(number) else int(number)


def mapping(value: object) -> dict[str, Any]:
    """``value`` where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: object) -> list[Any]:
    """``value`` where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


class TurnKeeper:
    """Takes turns as they were read and keeps them within the bounds; says what had to be done to them."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._characters = 0
        self._problems: dict[str, None] = {}

    def add(self, turn: Turn) -> None:
        """Take one turn; its number is its place among those taken."""
        if len(self._turns) >= TURNS:
            self._problems["turns-cut"] = None
            return
        command, cut_command = self._kept(turn.command)
        observation, cut_observation = self._kept(turn.observation)
        cut = turn.cut + cut_command + cut_observation
        self._turns.append(
            replace(turn, number=len(self._turns), command=command, observation=observation, cut=cut)
        )

    def _kept(self, text: str | None) -> tuple[str | None, int]:
        if text is None:
            return None, 0
        cut = 0
        limit = TEXT_CHARACTERS if self._characters <= ROLLOUT_CHARACTERS else SHORT_CHARACTERS
        if len(text) > limit:
            half = limit // 2
            cut = len(text) - 2 * half
            text = f"{text[:half]}\n[... {cut} characters left out ...]\n{text[-half:]}"
            self._problems["text-cut"] = None
        storable = clean(text)
        if "\x00" in storable:
            storable = storable.replace("\x00", "\\x00")
        if storable is not text:
            self._problems["binary-text"] = None
        self._characters += len(storable)
        return storable, cut

    def turns(self) -> tuple[Turn, ...]:
        """What was kept."""
        return tuple(self._turns)

    def problems(self) -> tuple[str, ...]:
        """Names in ``records.PROBLEMS``, in the order in which they were met."""
        return tuple(self._problems)


def keep(turns: Iterable[Turn]) -> tuple[tuple[Turn, ...], tuple[str, ...]]:
    """``turns`` within the bounds, and the problems that were met."""
    keeper = TurnKeeper()
    for turn in turns:
        keeper.add(turn)
    return keeper.turns(), keeper.problems()


def bounded(rollout: Rollout) -> Rollout:
    """``rollout`` with its turns within the bounds and its problems told; the same value where nothing was to do."""
    turns, problems = keep(rollout.turns)
    return replace(rollout, turns=turns, problems=tuple(dict.fromkeys((*rollout.problems, *problems))))
