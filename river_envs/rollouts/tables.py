"""Parquet tables: one row per turn, and beside it one row per trial.

    turns:  trial, command, observation  [model, task, turn, exit_code, format_error, seconds, tokens]
    trials: trial, reward                [model, task, exception, submitted]

A table of turns is joined with the table of trials in the same directory: the one named after it (``turns.parquet`` and
``trials.parquet``), or the only one there. The rows of a trial stand together. A turn without a command is an invalid
action.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from river_envs.outcome import Status
from river_envs.rollouts.actions import is_submission
from river_envs.rollouts.harbor import task_of
from river_envs.rollouts.reading import (
    MIB,
    Item,
    Read,
    TurnKeeper,
    Unread,
    Unreadable,
    name_of,
    number_of,
    text_of,
    whole_of,
)
from river_envs.rollouts.records import Rollout, Turn, status_without_reward

FORMAT = "turns-parquet"
ROWS = 64
"""Rows read at a time: one of them may be large."""
ROW_GROUP_BYTES = 1024 * MIB
Row = dict[str, Any]
Key = tuple[str, str]


@dataclass(frozen=True)
class Pair:
    """A table of turns and the table of trials that belongs to it; one of them may be missing."""

    turns: Path | None
    trials: Path | None

    @property
    def path(self) -> Path:
        """The file that names the pair."""
        path = self.turns or self.trials
        assert path is not None
        return path


def columns(path: Path) -> set[str]:
    """The names of a parquet file's columns; empty for what is no parquet file."""
    import pyarrow
    import pyarrow.parquet

    try:
        return set(pyarrow.parquet.read_schema(path).names)
    except (pyarrow.ArrowException, OSError, ValueError):
        return set()


def is_turns(names: set[str]) -> bool:
    """Whether these columns make a table of turns."""
    return {"trial", "command", "observation"} <= names


def is_trials(names: set[str]) -> bool:
    """Whether these columns make a table of trials."""
    return {"trial", "reward"} <= names and not is_turns(names)


def pairs(paths: list[Path]) -> list[Pair]:
    """The tables among ``paths``, which lie in one directory, in pairs."""
    named = {path: columns(path) for path in paths}
    turns = [path for path in paths if is_turns(named[path])]
    trials = [path for path in paths if is_trials(named[path])]
    found, taken = [], set()
    for path in turns:
        partner = path.with_name(path.name.replace("turns", "trials"))
        if partner not in trials:
            partner = trials[0] if len(trials) == len(turns) == 1 else path
        found.append(Pair(path, partner if partner in trials else None))
        taken.add(partner)
    return found + [Pair(None, path) for path in trials if path not in taken]


def read(pair: Pair, where: str) -> Iterator[Item]:
    """Every rollout of a pair of tables, trials without turns last."""
    try:
        trials = {_key(row): row for row in rows(pair.trials)} if pair.trials else {}
        seen: set[Key] = set()
        for key, keeper in _grouped(rows(pair.turns) if pair.turns else iter(())):
            place = f"{where}#{key[0]}/{key[1]}"
            if key in seen:
                reason = f"the rows of trial {key[1]} do not stand together; sort the table by trial"
                yield Unread(place, FORMAT, reason)
                continue
            seen.add(key)
            yield Read(place, FORMAT, _rollout(key, keeper, trials.get(key)))
        for key, row in trials.items():
            if key not in seen:
                keeper = TurnKeeper()
                yield Read(f"{where}#{key[0]}/{key[1]}", FORMAT, _rollout(key, keeper, row, ("no-trajectory",)))
    except Unreadable as problem:
        yield Unread(where, FORMAT, str(problem))


def rows(path: Path) -> Iterator[Row]:
    """The rows of a parquet file, read a few at a time. Raises Unreadable when it cannot be read."""
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as table:
            for index in range(table.metadata.num_row_groups):
                if table.metadata.row_group(index).total_byte_size > ROW_GROUP_BYTES:
                    raise Unreadable("too-large", f"row group {index} of {path.name} is larger than 1 GiB")
            for batch in table.iter_batches(batch_size=ROWS):
                yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:160]
        raise Unreadable("broken-trajectory", f"{path.name} cannot be read: {reason}") from error


def _key(row: Row) -> Key:
    return name_of(row.get("model")), name_of(row.get("trial"))


def _grouped(table: Iterator[Row]) -> Iterator[tuple[Key, TurnKeeper]]:
    """Consecutive rows of one trial, as turns."""
    current: Key | None = None
    keeper = TurnKeeper()
    for row in table:
        key = _key(row)
        if key != current:
            if current is not None:
                yield current, keeper
            current, keeper = key, TurnKeeper()
        keeper.add(_turn(row))
    if current is not None:
        yield current, keeper


def _turn(row: Row) -> Turn:
    command = None if row.get("format_error") is True else text_of(row.get("command"))
    return Turn(
        0, command, text_of(row.get("observation")), whole_of(row.get("exit_code")), number_of(row.get("seconds")),
        whole_of(row.get("tokens")), command is not None and is_submission(command),
    )


def _rollout(key: Key, keeper: TurnKeeper, trial: Row | None, problems: tuple[str, ...] = ()) -> Rollout:
    row = trial or {}
    reward = number_of(row.get("reward"))
    exception = name_of(row.get("exception")) or None
    turns = keeper.turns()
    told = row.get("submitted")
    return Rollout(
        task=name_of(row.get("task"), task_of(key[1])), trial=key[1], model=key[0], turns=turns,
        status=Status.GRADED if reward is not None else status_without_reward(exception), reward=reward,
        exception=exception,
        submitted=told if isinstance(told, bool) else any(turn.submits for turn in turns) if turns else None,
        problems=(*(() if trial is not None else ("no-result",)), *problems, *keeper.problems()),
    )
