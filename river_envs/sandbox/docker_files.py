"""Files in and out of a container through the daemon's archive calls.

The daemon unpacks and packs inside a chroot of the container's root, so that links resolve inside the sandbox, and it
never opens FIFOs or devices. No program of the image takes part, whatever the agent did to it.
"""

from __future__ import annotations

import errno
import io
import os
import posixpath
import tarfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, Literal

from river_envs.environment import File
from river_envs.sandbox.base import Change, Delta, Listing
from river_envs.sandbox.docker_client import daemon_errors, short

_DIRECTORY, _LINK, _SPECIAL = 1 << 31, 1 << 27, 1 << 26 | 1 << 25 | 1 << 24 | 1 << 21 | 1 << 19
"""Bits of Go's FileMode: directory; symbolic link; device, FIFO, socket, character device, irregular."""

_PATH_ERRORS = {
    errno.ENOENT: ("Could not find the file", "no such file or directory"),
    errno.ENOTDIR: ("not a directory",),
    errno.EEXIST: ("file exists",),
    errno.ELOOP: ("too many links", "too many levels of symbolic links"),
}
"""How the daemon says what the kernel told it; OSError picks the fitting subclass."""

_HIDDEN = ("proc", "sys", "dev")
_MAX_LINKS = 8


def pack(files: Iterable[File], root: str, uid: int, gid: int) -> bytes:
    """A tar of ``files`` below ``root``; the parents are left to the daemon, which makes missing ones 0o755."""
    now = int(time.time())
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in files:
            member = tarfile.TarInfo(posixpath.join(root, file.path).lstrip("/"))
            member.mtime, member.uid, member.gid = now, uid, gid
            if file.link is not None:
                member.type, member.linkname, member.mode = tarfile.SYMTYPE, file.link, 0o777
                archive.addfile(member)
            else:
                member.mode, member.size = file.mode, len(file.content)
                archive.addfile(member, io.BytesIO(file.content))
    return target.getvalue()


def pack_delta(delta: Delta) -> bytes:
    """A tar of everything that ``delta`` adds or changes; its deletions need a running container."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for change in delta.changes:
            if change.kind != "deleted":
                member = _member(change)
                archive.addfile(member, io.BytesIO(change.content) if change.kind == "file" else None)
    return target.getvalue()


def _member(change: Change) -> tarfile.TarInfo:
    member = tarfile.TarInfo(change.path)
    member.mode, member.uid, member.gid, member.mtime = change.mode, change.uid, change.gid, change.mtime
    if change.kind == "directory":
        member.type = tarfile.DIRTYPE
    elif change.kind == "link":
        member.type, member.linkname = tarfile.SYMTYPE, change.link or ""
    else:
        member.size = len(change.content)
    return member


class _Chunks(io.RawIOBase):
    """A stream of byte strings as the file that ``tarfile`` reads."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def open_tar(chunks: Iterator[bytes]) -> tarfile.TarFile:
    """A tar that is read while it arrives."""
    return tarfile.open(fileobj=io.BufferedReader(_Chunks(chunks), 1 << 20), mode="r|", errorlevel=1)


def path_error(error: BaseException, path: str) -> OSError | None:
    """The OSError behind a daemon's error, where it says that something is wrong with a path of the container."""
    reason = short(error)
    for number, signs in _PATH_ERRORS.items():
        if any(sign in reason for sign in signs):
            return OSError(number, os.strerror(number), path)
    return None


def unpack(api: Any, container: str, content: bytes, root: str) -> None:
    """Unpack a tar in the container. Raises OSError where something stands in the way of a parent."""
    import docker.errors

    with daemon_errors("writing files"):
        try:
            api.put_archive(container, "/", content)
        except docker.errors.APIError as error:
            raise path_error(error, root) or error from None


@contextmanager
def archive(api: Any, container: str, path: str) -> Iterator[tuple[dict[str, Any], tarfile.TarFile]]:
    """What is at ``path`` (links not followed), as the daemon's stat and a tar. Raises FileNotFoundError.

    Leaving early closes the connection: the daemon stops packing.
    """
    import docker.errors

    try:
        chunks, stat = api.get_archive(container, path, chunk_size=1 << 20)
    except docker.errors.APIError as error:
        raise path_error(error, path) or error from None
    with closing(chunks), open_tar(chunks) as tar:
        yield stat, tar


def read_file(api: Any, container: str, path: str, limit: int) -> bytes:
    """The first ``limit`` bytes of the regular file at ``path``; links are followed inside the container."""
    wanted = posixpath.join("/", path)
    for _ in range(_MAX_LINKS):
        with daemon_errors(f"reading {path}"), archive(api, container, wanted) as (stat, tar):
            mode = int(stat["mode"])
            if mode & _LINK:
                wanted = str(stat["linkTarget"])
                continue
            if mode & _DIRECTORY:
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            if mode & _SPECIAL:
                raise OSError(errno.EINVAL, "not a regular file", path)
            member = tar.next()
            content = tar.extractfile(member) if member else None
            return content.read(limit) if content else b""
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def exists(api: Any, container: str, path: str) -> bool:
    """Whether anything is at ``path``, a dangling link included."""
    try:
        with daemon_errors(f"looking at {path}"), archive(api, container, path):
            return True
    except (FileNotFoundError, NotADirectoryError):
        return False


def listing(api: Any, container: str, root: str) -> list[Listing]:
    """The entries below ``root`` (``root`` itself when it is no directory); the kernel's file systems are left out."""
    base = posixpath.normpath(posixpath.join("/", root))
    found: list[Listing] = []
    sizes: dict[str, int] = {}
    try:
        with daemon_errors(f"listing {root}"), archive(api, container, base) as (_, tar):
            for path, member in members(tar, base):
                kind = kind_of(member)
                if kind is None or hidden(path) or (path == base and kind == "directory"):
                    continue
                size = sizes.get(member.linkname, 0) if member.islnk() else member.size
                if kind == "file":
                    sizes[member.name] = size
                elif kind == "link":
                    size = len(os.fsencode(member.linkname))
                found.append(Listing(path, kind, size, member.mode & 0o7777))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return found


def members(tar: tarfile.TarFile, base: str) -> Iterator[tuple[str, tarfile.TarInfo]]:
    """The members of an archive of ``base`` with their absolute paths; the first is ``base`` itself."""
    for member in tar:
        _, _, below = member.name.strip("/").partition("/") if base != "/" else ("", "", member.name.strip("/"))
        yield posixpath.normpath(posixpath.join(base, below)), member


def kind_of(member: tarfile.TarInfo) -> Literal["file", "directory", "link"] | None:
    """What a member is; None for FIFOs and devices (sockets are never packed)."""
    if member.isdir():
        return "directory"
    if member.issym():
        return "link"
    return "file" if member.isreg() or member.islnk() else None


def hidden(path: str) -> bool:
    """Whether ``path`` belongs to a file system of the kernel."""
    return path.lstrip("/").partition("/")[0] in _HIDDEN
