"""The changes of a container read from the daemon's overlay directories, where they are on this machine and readable.

``docker diff`` compares sizes and times only, so it misses a file rewritten with the same length and an old time, and
it walks the whole image. The upper directory says exactly what was touched, in milliseconds. Everything in it is
hostile: it is walked by directory handles, and no link is followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from river_envs.environment import sha256
from river_envs.sandbox.base import Change
from river_envs.sandbox.docker_changes import Collected, Entry, left_out

_OPAQUE = "trusted.overlay.opaque"
_REDIRECTED = ("trusted.overlay.redirect", "trusted.overlay.metacopy")


class Unreadable(Exception):
    """These directories cannot be read here, or hold features that are not read here: ask the daemon instead."""


@dataclass(frozen=True)
class Overlay:
    """The directories of one container, the topmost lower first."""

    upper: str
    lowers: tuple[str, ...]


def overlay_of(inspected: dict[str, Any]) -> Overlay:
    """The directories that the daemon names. Raises Unreadable."""
    driver = inspected.get("GraphDriver") or {}
    data = driver.get("Data") or {}
    if driver.get("Name") != "overlay2" or "UpperDir" not in data:
        raise Unreadable(f"the storage driver is {driver.get('Name')!r}")
    overlay = Overlay(data["UpperDir"], tuple(data.get("LowerDir", "").split(":")))
    if not all(os.access(path, os.R_OK | os.X_OK) for path in (overlay.upper, *overlay.lowers)):
        raise Unreadable("the daemon's directories are not readable here")
    return overlay


def collect(overlay: Overlay, limit: int) -> Collected:
    """What the upper directory holds. Raises Unreadable, and SandboxError above ``limit`` bytes."""
    collected = Collected(limit)
    with _opened(overlay.upper) as top:
        _walk(overlay, top, "", False, collected)
    return collected


def _walk(overlay: Overlay, folder: int, path: str, cut: bool, collected: Collected) -> None:
    """Collects what is in ``folder``; ``cut``: nothing of the lowers shines through here."""
    names = sorted(os.listdir(folder))
    if cut:
        for name in sorted(_children(overlay.lowers, path) - set(names)):
            collected.gone(f"{path}/{name}".lstrip("/"))
    for name in names:
        below = f"{path}/{name}".lstrip("/")
        if left_out(below):
            continue
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISCHR(found.st_mode) and found.st_rdev == 0:
                collected.gone(below)
            elif stat.S_ISDIR(found.st_mode):
                with _opened(name, folder) as child:
                    collected.add(_change(below, found), _before(overlay.lowers, below))
                    _walk(overlay, child, below, cut or _opaque(child), collected)
            elif stat.S_ISREG(found.st_mode):
                collected.room_for(found.st_size)
                collected.add(_change(below, found, content=_read(name, folder)), _before(overlay.lowers, below))
            elif stat.S_ISLNK(found.st_mode):
                link = os.readlink(name, dir_fd=folder)
                collected.add(_change(below, found, link=link), _before(overlay.lowers, below))
            else:
                collected.skip(below)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENOTDIR):
                continue  # a process of the sandbox took it away while we looked
            raise


def _change(path: str, found: os.stat_result, *, content: bytes = b"", link: str | None = None) -> Change:
    kind: Literal["directory", "file", "link"] = "directory" if stat.S_ISDIR(found.st_mode) else "file"
    if link is not None:
        kind = "link"
    mode, mtime = stat.S_IMODE(found.st_mode), int(found.st_mtime)
    return Change(path, kind, mode, found.st_uid, found.st_gid, content, link, mtime)


@contextmanager
def _opened(name: str, folder: int | None = None) -> Iterator[int]:
    handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)


def _read(name: str, folder: int) -> bytes:
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(handle).st_mode) else b""


def _attribute(target: int | str, name: str) -> bytes:
    try:
        return os.getxattr(target, name)
    except OSError as error:
        if error.errno in (errno.ENODATA, errno.ENOTSUP):
            return b""
        raise Unreadable(f"extended attributes are not readable: {error}") from error


def _opaque(folder: int | str) -> bool:
    if any(_attribute(folder, name) for name in _REDIRECTED):
        raise Unreadable("the overlay uses redirects")
    return _attribute(folder, _OPAQUE) == b"y"


def _find(lowers: tuple[str, ...], path: str) -> Iterator[str]:
    """Where the image holds ``path``: one place for a file, every merged place, topmost first, for a directory."""
    parts = path.split("/") if path else []
    for layer in lowers:
        place, closed, missing = layer, False, False
        for part in parts:
            place = f"{place}/{part}"
            try:
                mode = os.lstat(place)
            except (FileNotFoundError, NotADirectoryError):
                missing = True
                break
            if stat.S_ISCHR(mode.st_mode) and mode.st_rdev == 0:
                return
            if not stat.S_ISDIR(mode.st_mode):
                if place == f"{layer}/{path}":
                    yield place
                return
            closed = closed or _opaque(place)
        if not missing:
            yield place
        if closed:
            return


def _children(lowers: tuple[str, ...], path: str) -> set[str]:
    """The names that the image has in the directory ``path``."""
    names: dict[str, bool] = {}
    for place in _find(lowers, path):
        if not os.path.isdir(place) or os.path.islink(place):  # noqa: PTH112, PTH114 - plain strings all through here
            break
        for entry in os.scandir(place):
            found = entry.stat(follow_symlinks=False)
            names.setdefault(entry.name, not (stat.S_ISCHR(found.st_mode) and found.st_rdev == 0))
    return {name for name, present in names.items() if present}


def _before(lowers: tuple[str, ...], path: str) -> Entry | None:
    """What the image has at ``path``."""
    place = next(_find(lowers, path), None)
    if place is None:
        return None
    found = os.lstat(place)
    mode, owner = stat.S_IMODE(found.st_mode), (found.st_uid, found.st_gid)
    if stat.S_ISDIR(found.st_mode):
        return Entry("directory", mode, *owner)
    if stat.S_ISLNK(found.st_mode):
        return Entry("link", mode, *owner, os.readlink(place))  # noqa: PTH115
    if stat.S_ISREG(found.st_mode):
        with open(place, "rb") as file:
            return Entry("file", mode, *owner, sha256(file.read()))
    return Entry("special", mode, *owner)
