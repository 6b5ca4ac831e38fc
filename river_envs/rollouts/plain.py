"""This project's own format of rollouts, which its trainer and solver write: JSON lines, or one parquet file.

    with RolloutWriter(Path("rollouts.jsonl")) as writer:
        writer.write(Rollout(task="fix-the-parser", trial="run-1/0/3", turns=turns, reward=1.0))

A line is an object with ``"river_rollouts": 1`` and the fields of :class:`~river_envs.rollouts.records.Rollout` by
their names, ``turns`` a list of objects with the fields of a Turn. The parquet file has the same names as columns and
``river_rollouts`` in its schema's metadata. Fields that a reader does not know are passed over, fields that are missing
take their default; ``task`` and ``trial`` must be there. A line is flushed when it is written, so that a killed run
loses the one it was writing; a torn line is named by the reader.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any

from river_envs.environment import RiverError
from river_envs.outcome import Status
from river_envs.rollouts.reading import (
    FILE_BYTES,
    Item,
    Read,
    Unread,
    Unreadable,
    bounded,
    keep,
    listing,
    mapping,
    name_of,
    number_of,
    parse_json,
    text_of,
    whole_of,
)
from river_envs.rollouts.records import PROBLEMS, Rollout, Turn

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "river-rollouts"
KEY = "river_rollouts"
VERSION = 1
_PORTION = 64
_TURN = tuple(field.name for field in fields(Turn) if field.name != "number")


class RolloutWriter:
    """Writes rollouts to ``path``: a ``.jsonl`` file line by line, a ``.parquet`` file in portions.

    Texts are kept within the bounds of the readers. ``append`` continues a ``.jsonl`` file, also after a torn line.

    Raises RiverError for another ending, for a file that exists and is not to be continued, and for one that cannot be
    written.
    """

    def __init__(self, path: Path, *, append: bool = False) -> None:
        self.path = path
        self._parquet = path.suffix == ".parquet"
        self._waiting: list[Rollout] = []
        self._stream: IO[bytes] | None = None
        self._table: Any = None
        if path.suffix not in (".jsonl", ".parquet"):
            raise RiverError(f"{path} ends in neither .jsonl nor .parquet; name a file that does")
        if append and self._parquet:
            raise RiverError(f"{path} is a parquet file, which cannot be continued; use .jsonl")
        if path.exists() and not append:
            raise RiverError(f"{path} exists; name a new file, or continue a .jsonl file with append")
        try:
            self._open()
        except OSError as error:
            raise RiverError(f"{path} cannot be written: {error.strerror or error}") from error

    def _open(self) -> None:
        if self._parquet:
            import pyarrow.parquet

            self._table = pyarrow.parquet.ParquetWriter(self.path, _schema(), compression="zstd")
            return
        self._stream = self.path.open("ab+")
        if self._stream.tell():
            self._stream.seek(-1, 2)
            if self._stream.read(1) != b"\n":
                self._stream.write(b"\n")

    def write(self, rollout: Rollout) -> None:
        """Add one rollout."""
        rollout = bounded(rollout)
        if self._stream is not None:
            self._stream.write(json.dumps({KEY: VERSION, **_record(rollout)}).encode() + b"\n")
            self._stream.flush()
            return
        self._waiting.append(rollout)
        if len(self._waiting) >= _PORTION:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._waiting:
            rows = [_record(rollout) for rollout in self._waiting]
            self._table.write_table(pa.Table.from_pylist(rows, schema=_schema()))
        self._waiting = []

    def close(self) -> None:
        """Write what is left and let go of the file."""
        if self._stream is not None:
            self._stream.close()
        elif self._table is not None:
            self._flush()
            self._table.close()

    def __enter__(self) -> RolloutWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def write_rollouts(path: Path, rollouts: Iterable[Rollout]) -> int:
    """Write ``rollouts`` to a new file; returns how many. Raises RiverError as the writer does."""
    number = 0
    with RolloutWriter(path) as writer:
        for rollout in rollouts:
            writer.write(rollout)
            number += 1
    return number


def is_ours(path: Path) -> bool:
    """Whether a parquet file was written by :class:`RolloutWriter`."""
    import pyarrow
    import pyarrow.parquet

    try:
        return KEY.encode() in (pyarrow.parquet.read_schema(path).metadata or {})
    except (pyarrow.ArrowException, OSError, ValueError):
        return False


def read_lines(path: Path, where: str) -> Iterator[Item]:
    """The rollouts of a ``.jsonl`` file, each at its line number; empty lines are passed over."""
    try:
        with path.open("rb") as stream:
            number = 0
            while line := stream.readline(FILE_BYTES + 1):
                number += 1
                place = f"{where}#{number}"
                if len(line) > FILE_BYTES:
                    yield Unread(place, FORMAT, f"line {number} is longer than {FILE_BYTES >> 20} MiB")
                    while line and not line.endswith(b"\n"):
                        line = stream.readline(FILE_BYTES)
                elif line.strip():
                    yield _line(line, place, number)
    except OSError as error:
        yield Unread(where, FORMAT, f"cannot be read: {error.strerror or error}")


def read_table(path: Path, where: str) -> Iterator[Item]:
    """The rollouts of a parquet file, each at its row number."""
    from river_envs.rollouts.tables import rows

    try:
        for number, row in enumerate(rows(path)):
            yield _item(row, f"{where}#{number}")
    except Unreadable as problem:
        yield Unread(where, FORMAT, str(problem))


def _line(line: bytes, place: str, number: int) -> Item:
    try:
        record = mapping(parse_json(line, f"line {number}", "broken-trajectory"))
    except Unreadable as problem:
        return Unread(place, FORMAT, str(problem))
    version = record.get(KEY)
    if version != VERSION:
        return Unread(place, FORMAT, f"line {number} has {KEY}={version!r:.40}, this release reads {VERSION}")
    return _item(record, place)


def _item(record: Mapping[str, Any], place: str) -> Item:
    task, trial = name_of(record.get("task")), name_of(record.get("trial"))
    if not task or not trial:
        return Unread(place, FORMAT, "has no task or no trial")
    turns, problems = keep(map(_turn, map(mapping, listing(record.get("turns")))))
    reward = number_of(record.get("reward"))
    told = [name for name in listing(record.get("problems")) if name in PROBLEMS]

    def name(key: str) -> str:
        return name_of(record.get(key))

    rollout = Rollout(
        task=task, trial=trial, turns=turns, status=_status(record.get("status"), reward), reward=reward,
        model=name("model"), agent=name("agent"), source=name("source"),
        environment_id=name("environment_id") or None, task_checksum=name("task_checksum") or None,
        exception=name("exception") or None, submitted=_truth(record.get("submitted")),
        seconds=number_of(record.get("seconds")), prompt_tokens=whole_of(record.get("prompt_tokens")),
        completion_tokens=whole_of(record.get("completion_tokens")), problems=tuple(dict.fromkeys((*told, *problems))),
    )  # fmt: skip
    return Read(place, FORMAT, rollout)


def _status(value: object, reward: float | None) -> Status:
    """The status as written, where it agrees with the reward."""
    known = next((status for status in Status if status.value == value), Status.NO_REWARD_FILE)
    if reward is not None:
        return Status.GRADED
    return Status.NO_REWARD_FILE if known is Status.GRADED else known


def _turn(record: Mapping[str, Any]) -> Turn:
    return Turn(
        0, text_of(record.get("command")), text_of(record.get("observation")), whole_of(record.get("exit_code")),
        number_of(record.get("seconds")), whole_of(record.get("tokens")), record.get("submits") is True,
        max(whole_of(record.get("cut")) or 0, 0),
    )


def _truth(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _record(rollout: Rollout) -> dict[str, Any]:
    """The fields of a rollout as plain values; a turn's place says its number."""
    record = asdict(rollout)
    turns = [{name: getattr(turn, name) for name in _TURN} for turn in rollout.turns]
    return {**record, "status": rollout.status.value, "turns": turns, "problems": list(rollout.problems)}


def _schema() -> pa.Schema:
    import pyarrow as pa

    turn = pa.struct([
        ("command", pa.string()), ("observation", pa.string()), ("exit_code", pa.int32()), ("seconds", pa.float64()),
        ("tokens", pa.int32()), ("submits", pa.bool_()), ("cut", pa.int32()),
    ])
    texts = [(name, pa.string()) for name in (
        "task", "trial", "model", "status", "agent", "source", "environment_id", "task_checksum", "exception",
    )]
    others = [
        ("reward", pa.float64()), ("submitted", pa.bool_()), ("seconds", pa.float64()), ("prompt_tokens", pa.int32()),
        ("completion_tokens", pa.int32()), ("problems", pa.list_(pa.string())), ("turns", pa.list_(turn)),
    ]
    return pa.schema([*texts, *others], metadata={KEY: str(VERSION)})
