"""The statements that change the rows of a catalog: nothing else in the project does (merge.sql joins whole catalogs).

Everything goes in as Arrow tables, in bulk: DuckDB takes about a million rows a second this way, and two thousand
through ``executemany``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

Row = Mapping[str, Any]

_GENERATED = {"attempt": frozenset({"actions", "facts", "rewards", "receipt", "log"})}
"""Columns that DuckDB computes from others."""


def now() -> datetime:
    """The time that rows are stamped with."""
    return datetime.now(UTC)


class Store:
    """Bulk statements on one open connection; the caller owns the transaction."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self._schemas: dict[str, pa.Schema] = {}

    def insert(self, table: str, rows: Sequence[Row], *, unless: Sequence[str] = ()) -> int:
        """Append ``rows``; with ``unless``, only those whose ``unless`` columns match no row yet.

        Returns how many went in. Rows equal in ``unless`` among themselves: the first counts.
        """
        if not rows:
            return 0
        listed = ", ".join(_quoted(name) for name in self._schema(table).names)
        condition = ""
        if unless:
            rows = list({tuple(row[name] for name in unless): row for row in reversed(rows)}.values())[::-1]
            same = " AND ".join(f"known.{_quoted(name)} = incoming.{_quoted(name)}" for name in unless)
            condition = f" WHERE NOT EXISTS (SELECT 1 FROM {table} known WHERE {same})"
        with _registered(self.connection, self._arrow(table, rows)) as incoming:
            done = self.connection.execute(
                f"INSERT INTO {table} ({listed}) SELECT {listed} FROM {incoming} incoming{condition}"
            ).fetchall()
        return int(done[0][0])

    def replace(self, table: str, rows: Sequence[Row], *, by: Sequence[str], unless_newer: bool = False) -> None:
        """Put ``rows`` in the place of those that are equal in the columns ``by``; the last of equal rows counts.

        With ``unless_newer``, a row in the table that was recorded later stays.
        """
        rows = list({tuple(row[name] for name in by): row for row in rows}.values())
        if not rows:
            return
        with _registered(self.connection, self._arrow(table, rows)) as incoming:
            same = " AND ".join(f"{table}.{_quoted(name)} = incoming.{_quoted(name)}" for name in by)
            if unless_newer:
                same += f" AND {table}.recorded_at <= incoming.recorded_at"
            self.connection.execute(f"DELETE FROM {table} USING {incoming} incoming WHERE {same}")
        self.insert(table, rows, unless=by)

    def delete(self, table: str, column: str, keys: Iterable[str]) -> int:
        """Delete the rows whose ``column`` is among ``keys``; returns how many."""
        import pyarrow as pa

        with _registered(self.connection, pa.table({"key": pa.array(list(keys), pa.string())})) as incoming:
            done = self.connection.execute(
                f"DELETE FROM {table} WHERE {_quoted(column)} IN (SELECT key FROM {incoming})"
            ).fetchall()
        return int(done[0][0])

    def known(self, table: str, column: str, keys: Iterable[str]) -> set[str]:
        """Those of ``keys`` that occur in ``column``."""
        import pyarrow as pa

        with _registered(self.connection, pa.table({"key": pa.array(list(keys), pa.string())})) as incoming:
            found = self.connection.execute(
                f"SELECT key FROM {incoming} WHERE key IN (SELECT {_quoted(column)} FROM {table})"
            ).fetchall()
        return {row[0] for row in found}

    def pairs(self, table: str, key: str, value: str, keys: Iterable[str]) -> dict[str, Any]:
        """``value`` by ``key`` for those of ``keys`` that occur."""
        import pyarrow as pa

        with _registered(self.connection, pa.table({"key": pa.array(list(keys), pa.string())})) as incoming:
            found = self.connection.execute(
                f"SELECT {_quoted(key)}, {_quoted(value)} FROM {table} "
                f"WHERE {_quoted(key)} IN (SELECT key FROM {incoming})"
            ).fetchall()
        return dict(found)

    def values(self, query: str) -> list[str]:
        """The first column of one small SELECT."""
        return [row[0] for row in self.connection.execute(query).fetchall()]

    def update(self, statement: str, values: Sequence[Any]) -> None:
        """One small statement with its values."""
        self.connection.execute(statement, list(values))

    def _schema(self, table: str) -> pa.Schema:
        if table not in self._schemas:
            columns = self.connection.execute(f"PRAGMA table_info('{table}')").fetchall()
            generated = _GENERATED.get(table, frozenset())
            self._schemas[table] = _arrow_schema(tuple((row[1], row[2]) for row in columns if row[1] not in generated))
        return self._schemas[table]

    def _arrow(self, table: str, rows: Sequence[Row]) -> pa.Table:
        import pyarrow as pa

        schema = self._schema(table)
        unknown = rows[0].keys() ^ set(schema.names)
        if unknown:
            raise ValueError(f"rows for {table} do not fit its columns: {', '.join(sorted(unknown))}")
        columns = [pa.array([row[name] for row in rows], schema.field(name).type) for name in schema.names]
        return pa.table(columns, schema=schema)


@cache
def _arrow_schema(columns: tuple[tuple[str, str], ...]) -> pa.Schema:
    import pyarrow as pa

    types = {
        "VARCHAR": pa.string(), "JSON": pa.string(), "BLOB": pa.large_binary(), "BOOLEAN": pa.bool_(),
        "INTEGER": pa.int32(), "BIGINT": pa.int64(), "DOUBLE": pa.float64(), "VARCHAR[]": pa.list_(pa.string()),
        "UBIGINT[]": pa.list_(pa.uint64()),
        "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", "UTC"),
    }
    return pa.schema([(name, types[kind]) for name, kind in columns])


class _registered:
    """An Arrow table under a name that SQL can read, for the length of a ``with``."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, table: pa.Table) -> None:
        self._connection = connection
        self._table = table

    def __enter__(self) -> str:
        self._connection.register("river_incoming", self._table)
        return "river_incoming"

    def __exit__(self, *_: object) -> None:
        self._connection.unregister("river_incoming")


def _quoted(name: str) -> str:
    return f'"{name}"'


def clean(text: str) -> str:
    """``text`` as a column can hold it: what is no valid Unicode is written as an escape."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text
