"""Join two catalogs: audits of one corpus that ran on two machines, or two corpora.

Identities are content hashes, so the same environment, file and attempt have the same id everywhere and unite. What was
concluded stays only where no attempt was added to what it rests on; the rest is to be scored again.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from river_envs.catalog import connection, schema
from river_envs.catalog.catalog import Catalog, open_catalog
from river_envs.catalog.upkeep import snapshot
from river_envs.environment import RiverError

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Merged:
    """How many environments and attempts were new, and how many environments wait for ``river-envs score``."""

    environments: int
    attempts: int
    unscored: int


def merge(first: str | Path, second: str | Path, output: str | Path | None = None) -> Merged:
    """Take the catalog ``second`` into ``first``, or both into a new catalog ``output``.

    ``second`` is left as it is, apart from taking in its own spool. Raises RiverError when one of them is no
    catalog, when they are one file, or when ``output`` exists.
    """
    into, other = open_catalog_any(first), open_catalog_any(second)
    if into.path.resolve() == other.path.resolve():
        raise RiverError(f"{first} and {second} are one file; merge needs two catalogs")
    for catalog in (into, other):
        catalog.absorb_spool()
    with tempfile.TemporaryDirectory(prefix="river-merge-", dir=into.path.parent) as folder:
        copy = Path(folder) / "other.duckdb"
        snapshot(other.path, copy)
        with connection.writing(copy) as held:
            schema.bring_up_to_date(held, copy)
        if output is not None:
            snapshot(into.path, Path(output))
            into = Catalog(Path(output))
        return _take(into, copy)


def open_catalog_any(path: str | Path) -> Catalog:
    """The catalog at ``path``, brought up to date when an older release wrote it."""
    catalog = Catalog(Path(path))
    with connection.reading(catalog.path) as held:
        old = 0 < schema.version_of(held, catalog.path) < schema.current_version()
    if old:
        with connection.writing(catalog.path) as held:
            schema.bring_up_to_date(held, catalog.path)
    return open_catalog(path)


def _take(into: Catalog, copy: Path) -> Merged:
    import duckdb

    text = resources.files("river_envs.catalog").joinpath("merge.sql").read_text(encoding="utf-8")
    with connection.writing(into.path, locked=False) as held:
        schema.bring_up_to_date(held, into.path)
        before = _counts(held)
        held.execute(f"ATTACH {connection.literal(copy)} AS other (READ_ONLY)")
        held.begin()
        try:
            held.execute(text)
            waiting = held.execute(
                "SELECT count(*) FROM dropped WHERE environment_id NOT IN (SELECT environment_id FROM verdict)"
            ).fetchall()[0][0]
            held.commit()
        except BaseException:
            with suppress(duckdb.Error):  # a transaction that DuckDB ended itself; the first error tells more
                held.rollback()
            raise
        after = _counts(held)
        held.execute("DETACH other")
    return Merged(after[0] - before[0], after[1] - before[1], int(waiting))


def _counts(held: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    rows = held.execute("SELECT (SELECT count(*) FROM environment), (SELECT count(*) FROM attempt)").fetchall()
    return int(rows[0][0]), int(rows[0][1])
