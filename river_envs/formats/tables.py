"""Parquet tables read a row group at a time, so that unchanged rows need no contents and memory stays bounded."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from river_envs.formats.archives import stat_signature
from river_envs.formats.base import MIB, RejectedInput
from river_envs.formats.metadata import clean

LARGEST_ROW_GROUP = 1024 * MIB
"""Declared bytes of one row group; it is read as a whole."""


class Table:
    """A parquet file: its columns, one column as a list, and single rows."""

    def __init__(self, path: str, label: str = "") -> None:
        import pyarrow
        import pyarrow.parquet

        self.path = path
        self.label = label
        self._failures = (pyarrow.ArrowException, OSError, ValueError, TypeError, ArithmeticError)
        try:
            self._file = pyarrow.parquet.ParquetFile(path)
        except PermissionError:
            raise
        except self._failures as problem:
            raise RejectedInput(f"is not a readable parquet file: {_line(problem)}") from problem
        self.stamp = stat_signature(path)
        self._starts: list[int] = [0]
        for index in range(self._file.metadata.num_row_groups):
            self._starts.append(self._starts[-1] + self._file.metadata.row_group(index).num_rows)
        self._held: tuple[int, list[dict[str, Any]]] | None = None

    @property
    def columns(self) -> set[str]:
        """The names of the columns."""
        return set(self._file.schema_arrow.names)

    def column(self, name: str) -> list[Any]:
        """All values of the column ``name``."""
        try:
            values: list[Any] = self._file.read(columns=[name]).column(name).to_pylist()
        except self._failures as problem:
            raise RejectedInput(f"column {name} cannot be read: {_line(problem)}") from problem
        return values

    def row(self, number: int) -> dict[str, Any]:
        """The row ``number``, counted from 0; rows in order are cheap."""
        index = next(i for i, start in enumerate(self._starts[1:]) if number < start)
        if self._held is None or self._held[0] != index:
            if self._file.metadata.row_group(index).total_byte_size > LARGEST_ROW_GROUP:
                raise RejectedInput(f"row group {index} is larger than {LARGEST_ROW_GROUP:,} bytes")
            try:
                self._held = (index, self._file.read_row_group(index).to_pylist())
            except self._failures as problem:
                raise RejectedInput(f"row group {index} cannot be read: {_line(problem)}") from problem
        return self._held[1][number - self._starts[index]]

    def close(self) -> None:
        """Let go of the file."""
        self._held = None
        self._file.close()

    def __enter__(self) -> Table:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class RowNames:
    """A stable, unique name for every row: its task id, or its number where the id is missing or taken."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, task_id: object, number: int) -> str:
        """The name of row ``number``."""
        name = clean(task_id) if isinstance(task_id, str) and task_id else f"row-{number}"
        if name in self._taken:
            name = f"{name}@row-{number}"
        self._taken.add(name)
        return name


def text_of(row: dict[str, Any], column: str) -> str:
    """The text in ``column``, or the reason why there is none."""
    value = row.get(column)
    if not isinstance(value, str):
        raise RejectedInput(f"column {column} holds {type(value).__name__}, not text")
    return value


def _line(problem: BaseException) -> str:
    return " ".join(str(problem).split())[:200]
