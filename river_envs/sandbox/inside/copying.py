"""Copy a tree with modes, owners, times, hard links and overlay markers, without sockets, FIFOs and devices."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_UNMAPPED = 65534
_MARKER = "user.overlay.opaque"


def copy(source: int, target: str) -> None:
    """Copy what is in the open directory ``source`` into the empty directory ``target``, and its attributes onto it."""
    _Copy().directory(source, target)


class _Copy:
    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], str] = {}

    def directory(self, source: int, target: str) -> None:
        try:
            for name in os.listdir(source):
                self._entry(source, name, f"{target}/{name}")
            _attributes(target, os.fstat(source))
            with contextlib.suppress(OSError):  # no such attribute
                os.setxattr(target, _MARKER, os.getxattr(source, _MARKER))
            os.utime(target, ns=(os.fstat(source).st_atime_ns, os.fstat(source).st_mtime_ns))
        finally:
            os.close(source)

    def _entry(self, source: int, name: str, path: str) -> None:
        status = os.stat(name, dir_fd=source, follow_symlinks=False)
        mode = status.st_mode
        key = (status.st_dev, status.st_ino)
        if stat.S_ISDIR(mode):
            os.mkdir(path, 0o700)
            self.directory(os.open(name, _DIRECTORY, dir_fd=source), path)
        elif (stat.S_ISREG(mode) or stat.S_ISCHR(mode)) and key in self._seen:
            os.link(self._seen[key], path)
        elif stat.S_ISREG(mode):
            self._seen[key] = path
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=source)
            with os.fdopen(descriptor, "rb") as reader, open(path, "xb") as writer:
                shutil.copyfileobj(reader, writer, 1 << 20)
            _attributes(path, status)
        elif stat.S_ISLNK(mode):
            os.symlink(os.readlink(name, dir_fd=source), path)
            _attributes(path, status)
        elif stat.S_ISCHR(mode) and status.st_rdev == 0:
            self._seen[key] = path
            os.mknod(path, stat.S_IFCHR, os.makedev(0, 0))  # a whiteout


def _attributes(path: str, status: os.stat_result) -> None:
    uid = 0 if status.st_uid == _UNMAPPED else status.st_uid
    gid = 0 if status.st_gid == _UNMAPPED else status.st_gid
    with contextlib.suppress(OSError):  # where a single user is mapped every file is root's
        os.lchown(path, uid, gid)
    if not stat.S_ISLNK(status.st_mode):
        os.chmod(path, stat.S_IMODE(status.st_mode))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns), follow_symlinks=False)
