"""File locks that hold between threads and between processes, and vanish with their holder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock


class FileLock:
    """An flock on one path, held until ``release``. Several shared holders, or one exclusive holder."""

    def __init__(self, path: Path, *, exclusive: bool, wait: bool = True) -> None:
        self.path = path
        self._descriptor = self._open(fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH, wait)

    def _open(self, kind: int, wait: bool) -> int:
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, kind if wait else kind | fcntl.LOCK_NB)
                if _same(descriptor, self.path):
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)  # the file was removed while we waited: lock its successor

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def locked(path: Path, *, exclusive: bool = True) -> Iterator[None]:
    """Hold a lock for the length of a block, waiting for it."""
    lock = FileLock(path, exclusive=exclusive)
    try:
        yield
    finally:
        lock.release()


def try_lock(path: Path) -> FileLock | None:
    """An exclusive lock when nobody holds one, else None."""
    try:
        return FileLock(path, exclusive=True, wait=False)
    except BlockingIOError:
        return None


class Pins:
    """Shared locks with a count: what is pinned here is not removed by any process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._guard = Lock()
        self._held: dict[str, tuple[FileLock, int]] = {}

    def add(self, name: str) -> None:
        """Pin ``name`` once more."""
        with self._guard:
            lock, count = self._held.get(name, (None, 0))
            self._held[name] = (lock or FileLock(self._folder / name, exclusive=False), count + 1)

    def drop(self, name: str) -> None:
        """Undo one ``add``."""
        with self._guard:
            lock, count = self._held.pop(name)
            if count > 1:
                self._held[name] = (lock, count - 1)
            else:
                lock.release()

    def close(self) -> None:
        """Undo every ``add``."""
        with self._guard:
            for lock, _ in self._held.values():
                lock.release()
            self._held.clear()
