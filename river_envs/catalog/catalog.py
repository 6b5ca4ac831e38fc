"""The catalog as every stage sees it: one file, opened for short moments."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from river_envs.catalog import connection, schema
from river_envs.catalog.reader import Reader
from river_envs.catalog.writer import Writer

if TYPE_CHECKING:
    import duckdb


class Catalog(Reader):
    """One DuckDB file that holds environments, attempts, findings, verdicts, scores, marks and subsets.

    Safe to use from several threads and, one writer at a time, from several processes: nothing stays open
    between calls.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mine = threading.local()
        self._checked = False

    def __repr__(self) -> str:
        return f"Catalog({str(self.path)!r})"

    @contextmanager
    def writer(self) -> Iterator[Writer]:
        """Write in one transaction: committed at the end of the ``with``, rolled back when it raises.

        An older catalog is migrated first. Keep it short: no other process can read meanwhile. Reading inside the
        ``with`` sees what was written. Raises CatalogBusy, and RiverError where the file cannot be written or its disk
        is full.
        """
        import duckdb

        with connection.writing(self.path) as held:
            schema.bring_up_to_date(held, self.path)
            held.begin()
            self._mine.connection = held
            try:
                yield Writer(held)
            except BaseException:
                with suppress(duckdb.Error):  # a transaction that DuckDB ended itself; the first error tells more
                    held.rollback()
                raise
            else:
                held.commit()
            finally:
                self._mine.connection = None

    def absorb_spool(self, run: str | None = None) -> int:
        """Take into the catalog what workers spooled (of one run, or of all); returns how many records were new."""
        from river_envs.catalog.spool import absorb

        return absorb(self, run)

    def _read_only(self) -> bool:
        return getattr(self._mine, "connection", None) is None

    @contextmanager
    def _reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        if not self._read_only():
            yield self._mine.connection
            return
        with connection.reading(self.path) as held:
            if not self._checked:
                schema.check_readable(held, self.path)
                self._checked = True
            yield held


def open_catalog(path: str | Path, create: bool = False) -> Catalog:
    """The catalog at ``path``. With ``create``, an empty one is made where there is none.

    Raises RiverError, in one sentence, when there is no file, when it is no catalog, or when it is of a newer version.
    """
    catalog = Catalog(Path(path))
    if create:
        with connection.writing(catalog.path, create=True) as held:
            schema.bring_up_to_date(held, catalog.path)
    else:
        with catalog._reading():
            pass
    return catalog
