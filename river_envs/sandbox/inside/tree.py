"""File work below a root directory that hostile processes may be changing: nothing here follows a link out of the root.

Paths are resolved by ``openat2`` with the root as /, final components are never followed where something is written or
removed, and nothing but a regular file is ever opened for reading.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import Any

from . import syscalls, users

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NOT_ENTERED = ("proc", "sys", "dev")


class Refused(Exception):
    """The request cannot be carried out; the message says why, for a person."""


def split(path: str) -> tuple[str, str]:
    """The parent and the last component of ``path``. Refuses the root, ``.`` and ``..`` as last components."""
    parent, _, name = path.rstrip("/").rpartition("/")
    if name in ("", ".", "..") or "\0" in path:
        raise Refused(f"{path!r} does not name a file below the root")
    return parent or "/", name


def open_directory(root: int, path: str) -> int:
    """A directory for listing and for ``*at`` calls; links are followed inside the root."""
    return syscalls.open_inside(root, path, os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK)


def make_directories(root: int, path: str, uid: int, gid: int, mode: int = 0o755) -> int:
    """Open ``path``, making what is missing of it."""
    try:
        return open_directory(root, path)
    except FileNotFoundError:
        pass
    parent_path, name = split(path)
    parent = make_directories(root, parent_path, uid, gid)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, mode, dir_fd=parent)
            give(parent, name, uid, gid)
    finally:
        os.close(parent)
    return open_directory(root, path)


def give(parent: int, name: str, uid: int, gid: int) -> None:
    """Make an entry of an open directory belong to a user; refuses users that are not mapped."""
    try:
        os.chown(name, uid, gid, dir_fd=parent, follow_symlinks=False)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise Refused(f"{name} cannot belong to {uid}:{gid}: {users.UNMAPPED}") from None


def exists(root: int, path: str) -> bool:
    """Whether ``path`` names anything, a dangling link included."""
    try:
        os.close(syscalls.open_inside(root, path, os.O_PATH | os.O_NOFOLLOW))
    except OSError:
        return False
    return True


def get(root: int, path: str, limit: int) -> bytes:
    """The first ``limit`` bytes of a regular file. Raises OSError; never blocks on a FIFO or device."""
    _check_regular(syscalls.open_inside(root, path, os.O_PATH), path, close=True)
    descriptor = syscalls.open_inside(root, path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        _check_regular(descriptor, path)
        return read(descriptor, limit)
    finally:
        os.close(descriptor)


def _check_regular(descriptor: int, path: str, *, close: bool = False) -> None:
    mode = os.fstat(descriptor).st_mode
    if close:
        os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", path)


def read(descriptor: int, limit: int) -> bytes:
    """Up to ``limit`` bytes from an open file."""
    parts = []
    left = limit
    while left > 0:
        part = os.read(descriptor, min(left, 1 << 20))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def remove(root: int, path: str) -> None:
    """Remove ``path`` and all below it; the last component is not followed. Nothing happens where there is none."""
    parent_path, name = split(path)
    try:
        parent = open_directory(root, parent_path)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        remove_at(parent, name)
    finally:
        os.close(parent)


def remove_at(parent: int, name: str) -> None:
    """Remove an entry of an open directory, recursively."""
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            _remove_directory(parent, name)
        else:
            os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return


def _remove_directory(parent: int, name: str) -> None:
    try:
        descriptor = os.open(name, _DIRECTORY, dir_fd=parent)
    except PermissionError:  # overlay work directories have mode 000
        os.chmod(name, 0o700, dir_fd=parent)
        descriptor = os.open(name, _DIRECTORY, dir_fd=parent)
    try:
        with os.scandir(descriptor) as entries:
            names = [entry.name for entry in entries]
        for child in names:
            remove_at(descriptor, child)
    finally:
        os.close(descriptor)
    os.rmdir(name, dir_fd=parent)


def write(root: int, path: str, content: bytes | memoryview, mode: int, uid: int, gid: int, *, link: str | None = None,
          mtime: int | None = None) -> None:
    """Put a file or link at ``path``, in place of whatever is there."""
    parent_path, name = split(path)
    parent = make_directories(root, parent_path, uid, gid)
    try:
        remove_at(parent, name)
        if link is not None:
            os.symlink(link, name, dir_fd=parent)
            give(parent, name, uid, gid)
        else:
            _write_regular(parent, name, content, mode, uid, gid)
        if mtime is not None:
            os.utime(name, (mtime, mtime), dir_fd=parent, follow_symlinks=False)
    finally:
        os.close(parent)


def _write_regular(parent: int, name: str, content: bytes | memoryview, mode: int, uid: int, gid: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o600, dir_fd=parent)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view):]
        give(parent, name, uid, gid)
        os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)


def put(root: int, message: dict[str, Any], payload: bytes) -> None:
    """Write many files: ``files`` holds [path, mode, link, size] each, ``payload`` their contents in that order."""
    owner = users.find(message["user"])
    if isinstance(owner, str):
        raise Refused(owner)
    view = memoryview(payload)
    offset = 0
    for path, mode, link, size in message["files"]:
        write(root, path, view[offset:offset + size], mode, owner.uid, owner.gid, link=link)
        offset += size


def apply(root: int, changes: list[list[Any]], payload: bytes) -> None:
    """Make the changes of a delta: [path, kind, mode, uid, gid, size, link, mtime] each, contents in ``payload``."""
    view = memoryview(payload)
    offset = 0
    directories = []
    for path, kind, mode, uid, gid, size, link, mtime in changes:
        if kind == "deleted":
            remove(root, path)
        elif kind == "directory":
            _apply_directory(root, path, mode, uid, gid)
            directories.append((path, mtime))
        else:
            write(root, path, view[offset:offset + size], mode, uid, gid, link=link, mtime=mtime)
            offset += size
    for path, mtime in reversed(directories):
        descriptor = open_directory(root, path)
        os.utime(descriptor, (mtime, mtime))
        os.close(descriptor)


def _apply_directory(root: int, path: str, mode: int, uid: int, gid: int) -> None:
    parent_path, name = split(path)
    parent = make_directories(root, parent_path, 0, 0)
    try:
        try:
            descriptor = os.open(name, _DIRECTORY, dir_fd=parent)
        except (FileNotFoundError, NotADirectoryError, OSError):
            remove_at(parent, name)
            os.mkdir(name, 0o700, dir_fd=parent)
            descriptor = os.open(name, _DIRECTORY, dir_fd=parent)
        give(parent, name, uid, gid)
        os.fchmod(descriptor, mode)
        os.close(descriptor)
    finally:
        os.close(parent)


def survey(root: int, roots: list[str], limit: int) -> list[list[Any]]:
    """[path, kind, size, mode] of the entries below ``roots``, at most ``limit``, in path order, links not followed."""
    found: dict[str, list[Any]] = {}
    for start in roots:
        path = "/" + start.strip("/")
        try:
            descriptor = open_directory(root, path)
        except OSError:
            continue  # what is not there, or no directory, has nothing below it
        _survey_directory(descriptor, path.rstrip("/"), found, limit)
    return [found[path] for path in sorted(found)]


def _survey_directory(descriptor: int, path: str, found: dict[str, list[Any]], limit: int) -> None:
    try:
        with os.scandir(descriptor) as entries:
            names = sorted(entry.name for entry in entries)
        for name in names:
            if len(found) >= limit:
                return
            child = f"{path}/{name}"
            if not path and name in _NOT_ENTERED:
                continue
            with contextlib.suppress(FileNotFoundError, PermissionError):  # removed while we look, or not ours to read
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                kind = _kind(status.st_mode)
                if kind:
                    found[child] = [child, kind, status.st_size if kind == "file" else 0, stat.S_IMODE(status.st_mode)]
                if kind == "directory":
                    _survey_directory(os.open(name, _DIRECTORY, dir_fd=descriptor), child, found, limit)
    finally:
        os.close(descriptor)


def _kind(mode: int) -> str | None:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "link" if stat.S_ISLNK(mode) else None
