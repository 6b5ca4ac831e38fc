"""Where audit workers leave their records, so that the catalog is free for readers while they work.

Each worker appends to its own file below ``<catalog>.d/spool``: one record, one line, one write. Large contents lie
beside it in ``<catalog>.d/blobs`` under their hash. ``absorb`` takes what is there into the catalog, and removes it
only when that is committed: a process killed at any moment loses at most the line it was writing, and absorbing again
adds nothing twice. A file is renamed before it is read, under the same lock that an append holds, so that no line is
written behind the reader's back.
"""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
import re
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from river_envs.catalog import codec
from river_envs.catalog import delta as delta_blob
from river_envs.catalog.records import ImageRecord, PlanRecord, SurveyRecord
from river_envs.catalog.store import now
from river_envs.environment import RiverError, sha256
from river_envs.probes.base import Result
from river_envs.sandbox.base import Delta

if TYPE_CHECKING:
    from river_envs.catalog.catalog import Catalog
    from river_envs.catalog.writer import Writer

Record = Result | PlanRecord | SurveyRecord | ImageRecord

_KINDS: dict[str, Any] = {kind.__name__: kind for kind in (Result, PlanRecord, SurveyRecord, ImageRecord)}
_PORTION = 2000
_LOG = logging.getLogger(__name__)


class Spool:
    """The append-only file of one worker. Safe to use from several threads; keep one per process.

    ``run`` is the id that ``Writer.start_run`` gave, ``backend`` the sandbox backend that the records come from.
    """

    def __init__(self, catalog: str | Path, run: str, worker: str | int, *, backend: str = "") -> None:
        self.path = folder(Path(catalog), "spool") / f"{_safe(run)}-{_safe(str(worker))}.jsonl"
        self._blobs = folder(Path(catalog), "blobs")
        self._head = {"v": codec.VERSION, "run": run, "backend": backend}
        self._lock = threading.Lock()
        self._descriptor: int | None = None

    def append(self, record: Record, *, delta: Delta | None = None) -> None:
        """Leave one record; ``delta`` is the one whose digest a Result names. It is safe once this returns.

        Raises RiverError when the disk is full or the folder cannot be written; the file is left as it was.
        """
        head: dict[str, Any] = {**self._head, "kind": type(record).__name__, "at": now().isoformat()}
        if delta is not None:
            blob = delta_blob.pack(delta)
            head["delta"] = [delta.digest, sha256(blob), len(delta.changes)]
            self._keep(sha256(blob), blob)
        if isinstance(record, SurveyRecord):
            record = record.stored()
        data = codec.dumps(type(record), record, sink=self._keep)
        line = f'{json.dumps(head)[:-1]}, "data": {data}}}\n'.encode()
        with self._lock, _plain_errors(self.path), self._current() as descriptor:
            end = os.lseek(descriptor, 0, os.SEEK_END)
            if end and os.pread(descriptor, 1, end - 1) != b"\n":
                line = b"\n" + line  # an earlier writer was killed in mid-line
            try:
                written = os.write(descriptor, line)
            except OSError:
                os.ftruncate(descriptor, end)
                raise
            if written != len(line):
                os.ftruncate(descriptor, end)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        """Close the file; it stays where it is until it is absorbed."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _current(self) -> Iterator[int]:
        """The locked file, opened anew when a merger has taken the one that was open."""
        while True:
            if self._descriptor is None:
                self._descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            try:
                mine = os.fstat(self._descriptor)
                there = self.path.stat() if self.path.exists() else None
                if there is not None and (there.st_ino, there.st_dev) == (mine.st_ino, mine.st_dev):
                    yield self._descriptor
                    return
            finally:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
            self._descriptor = None

    def _keep(self, digest: str, content: bytes) -> None:
        target = self._blobs / digest
        if target.exists():
            return
        with _plain_errors(target), tempfile.NamedTemporaryFile(dir=self._blobs, delete=False) as stream:
            try:
                stream.write(content)
                stream.flush()
                Path(stream.name).replace(target)
            except OSError:
                Path(stream.name).unlink(missing_ok=True)
                raise


@dataclass(frozen=True)
class _Line:
    """One record as it was read back."""

    record: Record
    run: str
    backend: str
    at: datetime
    delta: Delta | None


def absorb(catalog: Catalog, run: str | None = None) -> int:
    """Take what was spooled (by one run, or by all) into the catalog; returns how many records were new.

    A torn last line is dropped: its attempt will run again. A whole line that makes no sense is set aside in
    ``<catalog>.d/rejected.jsonl`` with a warning.
    """
    home = catalog.path.with_name(catalog.path.name + ".d")
    if not (home / "spool").is_dir():
        return 0
    with _plain_errors(home), _merger(home):
        taken = list(_take(home / "spool", run))
        used: set[str] = set()
        added = 0
        portion: list[_Line] = []
        for path in taken:
            for line in _lines(path, home, catalog, used):
                portion.append(line)
                if len(portion) >= _PORTION:
                    added += _commit(catalog, portion)
                    portion = []
        added += _commit(catalog, portion)
        for path in taken:
            path.unlink()
        for digest in used:
            (home / "blobs" / digest).unlink(missing_ok=True)
    return added


def _take(spool: Path, run: str | None) -> Iterator[Path]:
    """The files that nobody appends to any more: those taken before, and the live ones, renamed."""
    yield from sorted(spool.glob("*.taken"))
    for path in sorted(spool.glob(f"{_safe(run)}-*.jsonl" if run else "*.jsonl")):
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            taken = path.with_suffix(f".{time.time_ns()}.taken")
            path.rename(taken)
        finally:
            os.close(descriptor)
        yield taken


def _lines(path: Path, home: Path, catalog: Catalog, used: set[str]) -> Iterator[_Line]:
    """The records of one file; the blobs that they need are added to ``used``."""

    def source(digest: str) -> bytes:
        blob = home / "blobs" / digest
        used.add(digest)
        return blob.read_bytes() if blob.exists() else catalog.file(digest)

    with path.open("rb") as stream:
        for raw in stream:
            if not raw.strip():
                continue
            try:
                yield _parse(raw, source)
            except (RiverError, ValueError, KeyError, TypeError, IndexError) as error:
                if raw.endswith(b"\n"):
                    _LOG.warning("%s holds a record that cannot be read (%s); it is set aside", path.name, error)
                    with (home / "rejected.jsonl").open("ab") as rejected:
                        rejected.write(raw)


def _parse(raw: bytes, source: codec.Source) -> _Line:
    head = json.loads(raw)
    if head["v"] != codec.VERSION:
        raise ValueError(f"written by encoding {head['v']}, this release reads {codec.VERSION}")
    record = codec.loads(_KINDS[head["kind"]], json.dumps(head["data"]), source=source)
    delta = delta_blob.unpack(source(head["delta"][1])) if "delta" in head else None
    return _Line(record, head["run"], head["backend"], datetime.fromisoformat(head["at"]), delta)


def _commit(catalog: Catalog, lines: list[_Line]) -> int:
    if not lines:
        return 0
    groups: dict[tuple[str, str, str], list[_Line]] = defaultdict(list)
    for line in sorted(lines, key=lambda line: line.at):
        groups[type(line.record).__name__, line.run, line.backend].append(line)
    with catalog.writer() as writer:
        return sum(_write(writer, kind, run, backend, group) for (kind, run, backend), group in groups.items())


def _write(writer: Writer, kind: str, run: str, backend: str, lines: list[_Line]) -> int:
    records: list[Any] = [line.record for line in lines]
    times = [line.at for line in lines]
    if kind == "Result":
        deltas = [line.delta for line in lines if line.delta is not None]
        return writer.add_results(records, run_id=run, backend=backend, deltas=deltas, times=times)
    if kind == "PlanRecord":
        writer.add_plans(records, run_id=run, times=times)
    elif kind == "SurveyRecord":
        writer.add_surveys(records, run_id=run, times=times)
    else:
        writer.add_images(records, run_id=run, times=times)
    return len(records)


@contextmanager
def _merger(home: Path) -> Iterator[None]:
    """One merger at a time, over all processes and threads."""
    descriptor = os.open(home / "absorb.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def folder(catalog: Path, name: str) -> Path:
    """A folder of ``<catalog>.d``, made where it is missing."""
    path = catalog.with_name(catalog.name + ".d") / name
    with _plain_errors(path):
        path.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def _plain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise RiverError(f"the disk that holds {path} is full; free some space and run the command again: what was "
                             "recorded before is safe") from error
        raise RiverError(f"{path} cannot be written: {error.strerror or error}; check who owns it") from error


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)
