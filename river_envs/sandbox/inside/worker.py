"""File operations done as root of the user namespace, so that owners come out as a sandbox will see them.

A worker is forked by the launcher for one operation. Archives and copies are written from inside ``chroot(destination)``:
whatever a hostile member name or link says, it cannot leave the destination.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tarfile
from typing import Any

from . import syscalls, tree, wire
from .holder import Context

_WHITEOUT = ".wh."
_OPAQUE = ".wh..wh..opq"
_UNMAPPED = 65534


def work(channel: wire.Channel, request: dict[str, Any], descriptors: list[int], context: Context) -> None:
    """Do one operation (the launcher forks into this function) and answer."""
    syscalls.unshare(syscalls.CLONE_NEWNS)
    syscalls.mount("river", context.workshop, "tmpfs", syscalls.MS_NOSUID, "mode=755,size=1m")
    os.chdir(context.workshop)
    try:
        answer = _operate(request, descriptors)
    except (OSError, tarfile.TarError, tree.Refused, EOFError, ValueError) as error:
        answer = {"refused": f"{type(error).__name__}: {error}"}
    channel.send(answer)


def _operate(request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
    match request["op"]:
        case "untar":
            archive = os.fdopen(descriptors[request["archive"]], "rb")
            _enter(request["dest"], descriptors)
            return {"skipped": _extract(archive, whiteouts=request["whiteouts"])}
        case "copy":
            source = _open(request["source"], descriptors, "source")
            _enter(request["dest"], descriptors)
            return {"skipped": _Copy().directory(source, ".")}
        case "rmtree":
            parent = _open(request["parent"], descriptors, "parent")
            tree.remove_at(parent, request["name"])
            return {}
        case "size":
            return {"bytes": _size(_open(request["path"], descriptors, "path"), set())}
        case other:
            raise tree.Refused(f"unknown operation {other!r}")


def _open(source: str | int, descriptors: list[int], name: str) -> int:
    if isinstance(source, int):
        os.mkdir(name)
        syscalls.attach_mount(descriptors[source], name)
        source = name
    return os.open(source, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _enter(dest: str | int, descriptors: list[int]) -> None:
    os.fchdir(_open(dest, descriptors, "dest"))
    os.chroot(".")


class _Archive(tarfile.TarFile):
    """Extraction by number instead of by name, without devices."""

    def makedev(self, tarinfo: tarfile.TarInfo, targetpath: Any) -> None:
        """Leave devices out: a user namespace cannot make them, and a sandbox brings its own."""

    def chown(self, tarinfo: tarfile.TarInfo, targetpath: Any, numeric_owner: bool) -> None:
        """Give the owner; where a single user is mapped every file is root's."""
        with contextlib.suppress(OSError):
            os.lchown(targetpath, tarinfo.uid, tarinfo.gid)


def _extract(archive: Any, *, whiteouts: bool) -> list[str]:
    skipped: list[str] = []
    directories = []
    with _Archive.open(fileobj=archive, mode="r:*") as members:
        for member in members:
            name = os.path.normpath("/" + member.name)
            base = os.path.basename(name)
            if member.isdev():
                skipped.append(member.name)
            elif whiteouts and base.startswith(_WHITEOUT):
                _whiteout(name, base)
            elif name != "/":
                _replace(name, member)
                members.extract(member, "/", set_attrs=not member.isdir(), numeric_owner=True, filter="fully_trusted")
                if member.isdir():
                    directories.append((name, member))
    for name, member in sorted(directories, key=lambda item: item[0], reverse=True):
        with contextlib.suppress(OSError):
            os.lchown(name, member.uid, member.gid)
        os.chmod(name, member.mode & 0o7777)
        os.utime(name, (member.mtime, member.mtime))
    return skipped


def _replace(name: str, member: tarfile.TarInfo) -> None:
    """Make way for ``member``: a later member of an archive takes the place of an earlier one."""
    if not os.path.lexists(name):
        os.makedirs(os.path.dirname(name), 0o755, exist_ok=True)
    elif os.path.islink(name) or not os.path.isdir(name):
        os.unlink(name)
    elif not member.isdir():
        shutil.rmtree(name)


def _whiteout(name: str, base: str) -> None:
    parent = os.path.dirname(name)
    os.makedirs(parent, 0o755, exist_ok=True)
    if base == _OPAQUE:
        os.setxattr(parent, "user.overlay.opaque", b"y")
    else:
        target = os.path.join(parent, base[len(_WHITEOUT):])
        if not os.path.lexists(target):
            os.mknod(target, stat.S_IFCHR, os.makedev(0, 0))


class _Copy:
    """A faithful copy of a tree: modes, owners, times, hard links, overlay markers. Sockets, FIFOs and devices are left out."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], str] = {}
        self._skipped: list[str] = []

    def directory(self, source: int, target: str) -> list[str]:
        for name in sorted(os.listdir(source)):
            path = f"{target}/{name}"
            status = os.stat(name, dir_fd=source, follow_symlinks=False)
            self._entry(source, name, path, status)
        _attributes(target, os.fstat(source))
        with contextlib.suppress(OSError):
            os.setxattr(target, "user.overlay.opaque", os.getxattr(source, "user.overlay.opaque"))
        os.close(source)
        return self._skipped

    def _entry(self, source: int, name: str, path: str, status: os.stat_result) -> None:
        mode = status.st_mode
        key = (status.st_dev, status.st_ino)
        if stat.S_ISDIR(mode):
            os.mkdir(path, 0o700)
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            self.directory(os.open(name, flags, dir_fd=source), path)
        elif stat.S_ISREG(mode) and status.st_nlink > 1 and key in self._seen:
            os.link(self._seen[key], path)
        elif stat.S_ISREG(mode):
            self._seen[key] = path
            with os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=source), "rb") as reader:
                with open(path, "xb") as writer:
                    shutil.copyfileobj(reader, writer, 1 << 20)
            _attributes(path, status)
        elif stat.S_ISLNK(mode):
            os.symlink(os.readlink(name, dir_fd=source), path)
            _attributes(path, status)
        elif stat.S_ISCHR(mode) and status.st_rdev == 0:
            os.mknod(path, stat.S_IFCHR, os.makedev(0, 0))
        else:
            self._skipped.append(path.removeprefix("./"))


def _attributes(path: str, status: os.stat_result) -> None:
    uid = 0 if status.st_uid == _UNMAPPED else status.st_uid
    gid = 0 if status.st_gid == _UNMAPPED else status.st_gid
    with contextlib.suppress(OSError):  # where a single user is mapped every file is root's
        os.lchown(path, uid, gid)
    if not stat.S_ISLNK(status.st_mode):
        os.chmod(path, stat.S_IMODE(status.st_mode))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns), follow_symlinks=False)


def _size(directory: int, seen: set[tuple[int, int]]) -> int:
    """Bytes on disk below an open directory, hard links counted once."""
    total = 0
    for name in os.listdir(directory):
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        key = (status.st_dev, status.st_ino)
        if stat.S_ISDIR(status.st_mode):
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            total += 4096 + _size(os.open(name, flags, dir_fd=directory), seen)
        elif key not in seen:
            seen.add(key)
            total += status.st_blocks * 512
    os.close(directory)
    return total
