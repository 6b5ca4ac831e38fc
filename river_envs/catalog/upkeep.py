"""Looking after the file: what is in it, a copy of it, and a smaller one.

DuckDB gives no space back to the file system, so ``vacuum`` writes the catalog anew and puts it in the old one's place.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from river_envs.catalog import connection, schema
from river_envs.catalog.catalog import Catalog
from river_envs.environment import RiverError

_UNUSED_FILES = """
DELETE FROM file WHERE sha256 NOT IN (
    SELECT sha256 FROM environment_file
    UNION ALL SELECT sha256 FROM delta
    UNION ALL SELECT unnest(regexp_extract_all(result::VARCHAR, '"sha256":"([0-9a-f]{64})"', 1)) FROM attempt
)
"""


@dataclass(frozen=True)
class Info:
    """What a catalog holds. Sizes are in bytes, ``spooled`` counts files that wait to be absorbed."""

    path: str
    size: int
    schema_version: int
    content_hash: str
    rows: dict[str, int]
    verdicts: dict[str, int]
    spooled: int


def info(catalog: Catalog) -> Info:
    """Count what is in ``catalog``."""
    with catalog._reading() as held:
        tables = [row[0] for row in held.execute(
            "SELECT table_name FROM duckdb_tables() WHERE table_name NOT LIKE 'river_%' ORDER BY table_name"
        ).fetchall()]
        query = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in tables)
        counts = held.execute(query).fetchall()
        verdicts = held.execute("SELECT verdict, count(*) FROM verdict GROUP BY verdict ORDER BY verdict").fetchall()
        version = schema.version_of(held, catalog.path)
    spool = catalog.path.with_name(catalog.path.name + ".d") / "spool"
    return Info(
        str(catalog.path), catalog.path.stat().st_size, version, catalog.content_hash(), dict(sorted(counts)),
        dict(verdicts), len(list(spool.glob("*"))) if spool.is_dir() else 0,
    )


def snapshot(source: Path, target: Path) -> None:
    """Write a compact copy of the catalog ``source`` to ``target``. Raises RiverError when ``target`` exists."""
    import duckdb

    if target.exists():
        raise RiverError(f"{target} exists; name a file that does not, or remove it first")
    if not target.parent.is_dir():
        raise RiverError(f"the folder {target.parent} does not exist; make it first")
    with connection.reading(source, locked=False) as held:
        try:
            held.execute(f"ATTACH {connection.literal(target)} AS copy_target (READ_WRITE)")
            _copy(held)
        except duckdb.Error as error:
            target.unlink(missing_ok=True)
            raise connection.explain(error, target) from error


def vacuum(path: str | Path) -> tuple[int, int]:
    """Bring the catalog up to date, drop contents that nothing refers to, and write it anew without the gaps.

    Returns its size before and after, in bytes. It needs the file to itself for that long, and as much free disk.
    """
    catalog = Catalog(Path(path))
    with connection.reading(catalog.path) as held:
        if schema.version_of(held, catalog.path) == 0:
            schema.check_readable(held, catalog.path)
    with connection.writing(catalog.path) as held:
        schema.bring_up_to_date(held, catalog.path)
    catalog.absorb_spool()
    before = catalog.path.stat().st_size
    fresh = catalog.path.with_name(catalog.path.name + ".vacuum")
    fresh.unlink(missing_ok=True)
    try:
        with connection.writing(catalog.path, locked=False) as held:
            held.execute("DELETE FROM delta WHERE digest NOT IN (SELECT delta FROM attempt WHERE delta IS NOT NULL)")
            held.execute("DELETE FROM test_result WHERE attempt_id NOT IN (SELECT id FROM attempt)")
            held.execute(_UNUSED_FILES)
            held.execute("CHECKPOINT")
            held.execute(f"ATTACH {connection.literal(fresh)} AS copy_target (READ_WRITE)")
            _copy(held)
            fresh.replace(catalog.path)  # while the old file is still locked: nobody writes to it in between
    finally:
        fresh.unlink(missing_ok=True)
    return before, catalog.path.stat().st_size


def _copy(held: connection.Connection) -> None:
    """Everything of the open catalog into the attached, empty ``copy_target``, which is detached."""
    name = str(held.execute("SELECT current_database()").fetchall()[0][0]).replace('"', '""')
    held.execute(f'COPY FROM DATABASE "{name}" TO copy_target')
    held.execute("DETACH copy_target")
