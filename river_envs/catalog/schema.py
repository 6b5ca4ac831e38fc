"""Bringing a file to the schema of this version: migrations in order, then the views.

A database without any table is new. A database with tables but without ``river_schema`` is somebody else's.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from river_envs.environment import RiverError, digest

if TYPE_CHECKING:
    import duckdb


class Migration(NamedTuple):
    """One step of the schema's history."""

    version: int
    name: str
    text: str


@cache
def migrations() -> tuple[Migration, ...]:
    """Every migration, oldest first; the versions are 1, 2, 3, ..."""
    found = []
    for entry in resources.files("river_envs.catalog.migrations").iterdir():
        match = re.fullmatch(r"(\d{4})_(\w+)\.sql", entry.name)
        if match:
            found.append(Migration(int(match[1]), match[2], entry.read_text(encoding="utf-8")))
    found.sort()
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        raise RuntimeError("the migrations are not numbered 1, 2, 3, ...")
    return tuple(found)


def current_version() -> int:
    """The schema version that this release reads and writes."""
    return migrations()[-1].version


@cache
def views() -> tuple[tuple[str, str], ...]:
    """(file stem, text) of every view; ``environments_view`` first, because others read it."""
    found = [
        (entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8"))
        for entry in resources.files("river_envs.catalog.views").iterdir()
        if entry.name.endswith(".sql")
    ]
    return tuple(sorted(found, key=lambda view: (view[0] != "environments_view", view[0])))


def version_of(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    """The version of an open catalog, 0 for a new file. Raises RiverError when the tables are somebody else's."""
    tables = {row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if not tables:
        return 0
    if "river_schema" not in tables:
        raise RiverError(f"{path} is a DuckDB file but no river catalog; give --catalog the file that ingest wrote")
    newest = connection.execute("SELECT max(version) FROM river_schema").fetchall()[0][0]
    return int(newest or 0)


def check_readable(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Raise one clear sentence unless the open file is a catalog of this release's version."""
    version = version_of(connection, path)
    if version == 0:
        raise RiverError(f"{path} holds no catalog yet; fill it with: river-envs ingest PATH --catalog {path}")
    _refuse_newer(version, path)
    if version < current_version():
        raise RiverError(
            f"the catalog {path} has schema version {version}, this release reads {current_version()}; "
            f"bring it up to date with: river-envs catalog vacuum --catalog {path}"
        )


def bring_up_to_date(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    """Apply the missing migrations, each in a transaction, and the views; returns how many were applied."""
    version = version_of(connection, path)
    _refuse_newer(version, path)
    missing = [migration for migration in migrations() if migration.version > version]
    for migration in missing:
        connection.begin()
        try:
            if migration.version == 1:
                connection.execute(
                    "CREATE TABLE river_schema (version INTEGER, name VARCHAR, applied_at TIMESTAMPTZ);"
                    "CREATE TABLE river_views (digest VARCHAR);"
                )
            connection.execute(migration.text)
            connection.execute("INSERT INTO river_schema VALUES (?, ?, now())", [migration.version, migration.name])
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
    _create_views(connection, force=bool(missing))
    return len(missing)


def _refuse_newer(version: int, path: Path) -> None:
    if version > current_version():
        raise RiverError(
            f"the catalog {path} has schema version {version}, newer than this release; upgrade river-envs"
        )


def _create_views(connection: duckdb.DuckDBPyConnection, *, force: bool) -> None:
    wanted = digest(views())
    present = connection.execute("SELECT max(digest) FROM river_views").fetchall()[0][0]
    if not force and present == wanted:
        return
    connection.begin()
    try:
        for _, text in views():
            connection.execute(text)
        connection.execute("DELETE FROM river_views")
        connection.execute("INSERT INTO river_views VALUES (?)", [wanted])
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
