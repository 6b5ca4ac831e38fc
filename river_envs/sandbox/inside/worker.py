"""File operations done as root of the user namespace, so that owners come out as a sandbox will see them.

A worker is forked by the launcher for one operation. Archives are written from inside ``chroot(destination)``:
whatever a hostile member name or link says, it cannot leave the destination.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tarfile
from typing import Any

from . import copying, syscalls, tree, wire
from .holder import Context

_OPAQUE = "SCHILY.xattr.user.overlay.opaque"


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
            _extract(archive)
            return {}
        case "copy":
            source = _open(request["source"], descriptors, "source")
            _enter(request["dest"], descriptors)
            copying.copy(source, ".")
            return {}
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
    """Extraction by number instead of by name, without devices; safe for any member because of the chroot around it."""

    if hasattr(tarfile, "fully_trusted_filter"):
        extraction_filter = staticmethod(tarfile.fully_trusted_filter)

    def makedev(self, tarinfo: tarfile.TarInfo, targetpath: Any) -> None:
        """Leave devices out: a user namespace cannot make them, and a sandbox brings its own."""

    def chown(self, tarinfo: tarfile.TarInfo, targetpath: Any, numeric_owner: bool) -> None:
        """Give the owner; where a single user is mapped every file is root's."""
        with contextlib.suppress(OSError):
            os.lchown(targetpath, tarinfo.uid, tarinfo.gid)


def _extract(archive: Any) -> None:
    directories = []
    with _Archive.open(fileobj=archive, mode="r:*") as members:
        for member in members:
            name = os.path.normpath("/" + member.name)
            if member.isdev() or name == "/":
                continue
            _make_way(name, member)
            members.extract(member, "/", set_attrs=not member.isdir(), numeric_owner=True)
            if member.isdir():
                directories.append((name, member))
    for name, member in sorted(directories, key=lambda item: item[0], reverse=True):
        with contextlib.suppress(OSError):  # as in chown above
            os.lchown(name, member.uid, member.gid)
        os.chmod(name, member.mode & 0o7777)
        if _OPAQUE in member.pax_headers:
            os.setxattr(name, "user.overlay.opaque", b"y")
        os.utime(name, (member.mtime, member.mtime))


def _make_way(name: str, member: tarfile.TarInfo) -> None:
    """Make room for ``member``: a later member of an archive takes the place of an earlier one."""
    if not os.path.lexists(name):
        os.makedirs(os.path.dirname(name), 0o755, exist_ok=True)
    elif os.path.islink(name) or not os.path.isdir(name):
        os.unlink(name)
    elif not member.isdir():
        shutil.rmtree(name)


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
