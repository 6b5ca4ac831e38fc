"""Opening the DuckDB file: who may hold it, for how long, and what went wrong in words.

DuckDB locks its file per process, one writer or many readers. Between processes we try again until the lock is free.
Inside a process DuckDB cannot open one file both ways at once, so a :class:`Gate` per file lets threads read together
and write alone. Nothing else in the process may open the file: closing any handle of it would drop DuckDB's own lock.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from river_envs.environment import RiverError

if TYPE_CHECKING:
    import duckdb

    Connection = duckdb.DuckDBPyConnection

PATIENCE_SEC = 30.0
"""How long to wait for another process to let go of a catalog."""

_GUARD: dict[str, str | bool] = {
    "enable_external_access": False,  # no ATTACH, COPY, INSTALL, read_csv: queries see the catalog and nothing else
    "python_enable_replacements": False,  # no variable of the caller is taken for a table
    "allow_community_extensions": False,
}


class CatalogBusy(RiverError):
    """Another process holds the catalog, and went on holding it."""


class Gate:
    """Many readers or one writer, among the threads of this process. A waiting writer goes first."""

    def __init__(self) -> None:
        self._state = threading.Condition()
        self._readers: dict[int, int] = {}
        self._writer: int | None = None
        self._waiting = 0

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold for reading; a thread that reads already may enter again."""
        me = threading.get_ident()
        with self._state:
            while me not in self._readers and (self._writer is not None or self._waiting):
                self._state.wait()
            self._readers[me] = self._readers.get(me, 0) + 1
        try:
            yield
        finally:
            with self._state:
                self._readers[me] -= 1
                if not self._readers[me]:
                    del self._readers[me]
                self._state.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold for writing."""
        me = threading.get_ident()
        with self._state:
            if me in self._readers or self._writer == me:
                raise RuntimeError("a thread that holds the catalog cannot open it for writing")
            self._waiting += 1
            try:
                while self._writer is not None or self._readers:
                    self._state.wait()
                self._writer = me
            finally:
                self._waiting -= 1
        try:
            yield
        finally:
            with self._state:
                self._writer = None
                self._state.notify_all()


_GATES: dict[str, Gate] = {}
_GATES_LOCK = threading.Lock()


def gate(path: Path) -> Gate:
    """The gate of a catalog file, one per process."""
    with _GATES_LOCK:
        return _GATES.setdefault(str(path.resolve()), Gate())


def check_file(path: Path) -> None:
    """Raise a clear sentence when ``path`` is missing or is no DuckDB file. Call it inside the gate only."""
    if not path.exists():
        raise RiverError(f"there is no catalog at {path}; make one with: river-envs ingest PATH --catalog {path}")
    if not path.is_file():
        raise RiverError(f"{path} is not a file; --catalog names a DuckDB file")
    try:
        with path.open("rb") as stream:
            head = stream.read(12)
    except OSError as error:
        raise RiverError(f"the catalog {path} cannot be read: {error.strerror}") from error
    if head[8:12] != b"DUCK":
        raise RiverError(f"{path} is no catalog: it is not a DuckDB file; give --catalog the file that ingest wrote")


@contextmanager
def reading(path: Path, *, locked: bool = True) -> Iterator[Connection]:
    """A connection that can only read, held as shortly as possible: other processes cannot write meanwhile.

    ``locked=False`` allows ATTACH, and keeps other readers of this process out.
    """
    with _held(path, write=False, locked=locked) as connection:
        yield connection


@contextmanager
def writing(path: Path, *, create: bool = False, locked: bool = True) -> Iterator[Connection]:
    """The one connection that can write. ``locked=False`` allows ATTACH, for merge and vacuum.

    Raises CatalogBusy after PATIENCE_SEC, RiverError for a file that cannot be written or is no DuckDB file.
    """
    with _held(path, write=True, create=create, locked=locked) as connection:
        yield connection


@contextmanager
def _held(path: Path, *, write: bool, create: bool = False, locked: bool = True) -> Iterator[Connection]:
    import duckdb

    door = gate(path)
    until = time.monotonic() + PATIENCE_SEC
    pause = 0.005
    while True:
        with door.alone() if write or not locked else door.shared():
            try:
                connection = _connect(path, write=write, create=create, locked=locked)
            except duckdb.Error as error:
                if not _is_lock(error):
                    plain = explain(error, path)
                    if plain is error:
                        raise
                    raise plain from error
                if time.monotonic() > until:
                    raise CatalogBusy(_busy(path, str(error))) from error
            else:
                try:
                    with connection:
                        yield connection
                except duckdb.Error as error:
                    plain = explain(error, path)
                    if plain is error:
                        raise
                    raise plain from error
                return
        time.sleep(pause * random.uniform(0.5, 1.5))
        pause = min(pause * 1.5, 0.25)


def _connect(path: Path, *, write: bool, create: bool, locked: bool) -> Connection:
    import duckdb

    if not (create and (not path.exists() or path.stat().st_size == 0)):
        check_file(path)
    elif not path.parent.is_dir():
        raise RiverError(f"the folder {path.parent} does not exist; make it before creating a catalog there")
    guard: dict[str, Any] = {**_GUARD, "lock_configuration": True} if locked else {}
    return duckdb.connect(str(path), read_only=not write, config=guard)


def literal(path: Path) -> str:
    """A path as a SQL string."""
    return "'" + str(path).replace("'", "''") + "'"


def _is_lock(error: Exception) -> bool:
    return "Could not set lock" in str(error)


def _busy(path: Path, message: str) -> str:
    pid = re.search(r"\(PID (\d+)\)", message)
    holder = f"process {pid[1]}" if pid else "another process"
    return f"the catalog {path} has been held by {holder} for {PATIENCE_SEC:.0f} s; close what uses it and try again"


def explain(error: Exception, path: Path) -> Exception:
    """What a DuckDB error means for the user, as a RiverError; errors in a query stay what they are."""
    text = str(error)
    lower = text.lower()
    if "no space left" in lower or "file too large" in lower or "disk quota" in lower:
        return RiverError(f"the disk that holds {path} is full; free some space and run the command again")
    if "read-only file system" in lower or "permission denied" in lower or "operation not permitted" in lower or (
        "cannot open file" in lower
    ):
        return RiverError(f"the catalog {path} cannot be written by this user; copy it or change its permissions")
    if "version number" in lower and "database file" in lower:
        return RiverError(f"the catalog {path} was written by another DuckDB release; install a duckdb that reads it")
    if any(word in lower for word in ("corrupt", "not a valid duckdb", "checksum", "could not read enough bytes")):
        return RiverError(f"the catalog {path} is damaged: {text.splitlines()[0]}; restore it from a copy")
    return error
