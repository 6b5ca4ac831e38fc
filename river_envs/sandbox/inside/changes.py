"""Read a delta out of overlay uppers: what differs between an upper and the lowers that it hides."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from typing import Any

from .tree import Refused, read

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK = 1 << 20
EXCLUDED = frozenset({"proc", "sys", "dev", "logs"})


@dataclass(frozen=True)
class Layer:
    """One writable mount: its upper, a read-only view of its lowers, both open, and its path without a slash."""

    prefix: str
    upper: int
    base: int


@dataclass
class Found:
    """The changes, [path, kind, mode, uid, gid, size, link, mtime] each, and the contents of the files among them."""

    rows: list[tuple[list[Any], bytes]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    left: int = 0

    def add(self, path: str, kind: str, status: os.stat_result, content: bytes = b"", link: str | None = None) -> None:
        """Record one path that exists."""
        self.left -= len(content)
        if self.left < 0:
            raise Refused("the changes hold more data than a delta may")
        row = [path, kind, stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid, len(content), link,
               int(status.st_mtime)]
        self.rows.append((row, content))

    def delete(self, path: str) -> None:
        """Record one path that is gone."""
        self.rows.append(([path, "deleted", 0o644, 0, 0, 0, None, 0], b""))

    def without_own(self, own: dict[str, bytes]) -> Found:
        """Without the files that the backend itself wrote, where they are as it wrote them."""
        rows = [(row, content) for row, content in self.rows if row[0] not in own or own[row[0]] != content]
        return Found(rows, self.skipped, self.left)

    def packed(self) -> tuple[dict[str, Any], bytes]:
        """As a message and its payload, in path order."""
        rows = sorted(self.rows, key=lambda item: item[0][0])
        return {"changes": [row for row, _ in rows], "skipped": sorted(self.skipped)}, b"".join(c for _, c in rows)


def scan(layers: list[Layer], limit: int) -> Found:
    """All changes of ``layers``. Raises Refused when the files among them hold more than ``limit`` bytes."""
    found = Found(left=limit)
    mounts = {layer.prefix for layer in layers if layer.prefix}
    for layer in layers:
        _Scan(found, mounts).directory(layer.upper, layer.base, layer.prefix, opaque=False)
    return found


class _Scan:
    def __init__(self, found: Found, mounts: set[str]) -> None:
        self.found = found
        self.not_entered = EXCLUDED | mounts

    def directory(self, upper: int, base: int | None, path: str, *, opaque: bool) -> None:
        """Compare an upper directory with the lower one that it merges with (or, when opaque, hides)."""
        names = sorted(os.listdir(upper))
        for name in names:
            child = f"{path}/{name}" if path else name
            if child in self.not_entered:
                continue
            try:
                status = os.stat(name, dir_fd=upper, follow_symlinks=False)
            except FileNotFoundError:
                continue  # removed while we look
            self._entry(upper, base, name, child, status, opaque=opaque)
        if opaque and base is not None:
            for name in sorted(set(os.listdir(base)) - set(names)):
                child = f"{path}/{name}" if path else name
                if child not in self.not_entered:
                    self.found.delete(child)

    def _entry(
        self, upper: int, base: int | None, name: str, path: str, status: os.stat_result, *, opaque: bool
    ) -> None:
        before = _status(base, name)
        mode = status.st_mode
        if stat.S_ISCHR(mode) and status.st_rdev == 0:
            if before is not None:
                self.found.delete(path)
        elif stat.S_ISDIR(mode):
            self._directory(upper, base, name, path, status, before, opaque=opaque)
        elif stat.S_ISREG(mode):
            self._file(upper, base, name, path, status, before)
        elif stat.S_ISLNK(mode):
            target = os.readlink(name, dir_fd=upper)
            same = before is not None and stat.S_ISLNK(before.st_mode) and _owner(before) == _owner(status)
            if not (same and base is not None and os.readlink(name, dir_fd=base) == target):
                self.found.add(path, "link", status, link=target)
        else:
            self.found.skipped.append(path)

    def _directory(self, upper: int, base: int | None, name: str, path: str, status: os.stat_result,
                   before: os.stat_result | None, *, opaque: bool) -> None:
        descriptor = os.open(name, _DIRECTORY, dir_fd=upper)
        below = None
        try:
            merges = before is not None and stat.S_ISDIR(before.st_mode)
            if merges and base is not None:
                below = os.open(name, _DIRECTORY, dir_fd=base)
            if not merges or before is None or _attributes(before) != _attributes(status):
                self.found.add(path, "directory", status)
            self.directory(descriptor, below, path, opaque=opaque or _is_opaque(descriptor))
        finally:
            os.close(descriptor)
            if below is not None:
                os.close(below)

    def _file(self, upper: int, base: int | None, name: str, path: str, status: os.stat_result,
              before: os.stat_result | None) -> None:
        if status.st_size > self.found.left:
            raise Refused(f"the changes hold more data than a delta may: {path} has {status.st_size} bytes")
        descriptor = os.open(name, _FILE, dir_fd=upper)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                self.found.skipped.append(path)
                return
            content = read(descriptor, self.found.left + 1)
        finally:
            os.close(descriptor)
        same = before is not None and stat.S_ISREG(before.st_mode) and _attributes(before) == _attributes(status)
        if not (same and base is not None and before is not None and before.st_size == len(content)
                and _has_content(base, name, content)):
            self.found.add(path, "file", status, content)


def _has_content(base: int, name: str, content: bytes) -> bool:
    descriptor = os.open(name, _FILE, dir_fd=base)
    try:
        offset = 0
        while part := os.read(descriptor, _CHUNK):
            if content[offset:offset + len(part)] != part:
                return False
            offset += len(part)
        return offset == len(content)
    finally:
        os.close(descriptor)


def _status(directory: int | None, name: str) -> os.stat_result | None:
    """The entry of a lower directory; a whiteout in the lowest layer counts as nothing."""
    if directory is None:
        return None
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return None if stat.S_ISCHR(status.st_mode) and status.st_rdev == 0 else status


def _owner(status: os.stat_result) -> tuple[int, int]:
    return status.st_uid, status.st_gid


def _attributes(status: os.stat_result) -> tuple[int, int, int]:
    return stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid


def _is_opaque(directory: int) -> bool:
    try:
        return os.getxattr(directory, "user.overlay.opaque") == b"y"
    except OSError:
        return False  # no such attribute, or a file system without attributes
