"""Archives of file systems, flattened and made safe.

Every kind of image archive ends as one plain tar: a docker-save archive (layers with ``.wh.`` whiteouts), a
docker-export archive, any root file system as a tar, or a directory. Archives are hostile: absolute names, ``..``,
members that lie below a link, and links of the hard kind that lead out are refused by name; devices, sockets and FIFOs
are left out.
"""

from __future__ import annotations

import hashlib
import io
import os
import posixpath
import stat
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from river_envs.environment import RiverError

WHITEOUT = ".wh."
OPAQUE = ".wh..wh..opq"
MAX_MEMBERS = 2_000_000
NOBODY = 65534
_LEFT_OUT = frozenset({".dockerenv"})


class BadArchive(RiverError):
    """An archive that is damaged, hostile or of an unknown kind."""


@dataclass(frozen=True)
class Entry:
    """One path of a file system: its attributes, and how to open its content."""

    info: tarfile.TarInfo
    open: Callable[[], IO[bytes] | None]
    layer: int


Tree = dict[str, Entry]


def add_layer(tree: Tree, archive: tarfile.TarFile, layer: int, *, whiteouts: bool) -> None:
    """Put a layer's members on top of ``tree``."""
    members: dict[str, tarfile.TarInfo] = {}
    removed: set[str] = set()
    for count, member in enumerate(archive):
        if count > MAX_MEMBERS:
            raise BadArchive(f"the archive has more than {MAX_MEMBERS} members")
        path = member_path(member.name)
        folder, name = posixpath.split(path)
        if whiteouts and name == OPAQUE:
            removed.add(folder + "/")
        elif whiteouts and name.startswith(WHITEOUT):
            removed.add(posixpath.join(folder, name[len(WHITEOUT) :]))
        elif path and (member.isfile() or member.isdir() or member.issym() or member.islnk()):
            if member.islnk():
                member.linkname = member_path(member.linkname)
            members[path] = member
    replaced = {path for path, member in members.items() if path in tree and not member.isdir()}
    _remove(tree, removed, replaced)
    for path, member in members.items():
        tree[path] = Entry(member, _opener(archive, member), layer)


def member_path(name: str) -> str:
    """The path of a member without leading ``./``. Raises BadArchive when it leads out of the root."""
    if name.startswith("/") or ".." in name.split("/") or "\0" in name:
        raise BadArchive(f"the archive's member {name[:80]!r} leads out of the root: refused")
    path = posixpath.normpath(name)
    return "" if path == "." else path


def _opener(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Callable[[], IO[bytes] | None]:
    return lambda: archive.extractfile(member)


def _remove(tree: Tree, removed: set[str], replaced: set[str]) -> None:
    """Drop what a layer hides: paths with all below them; ``path/`` means only what is below."""
    if not removed and not replaced:
        return
    for path in list(tree):
        above = [path[:index] for index, char in enumerate(path) if char == "/"]
        hidden = path in removed or any(
            parent in removed or parent + "/" in removed or parent in replaced for parent in above
        )
        if hidden or "/" in removed:
            del tree[path]


def read_directory(root: Path) -> Iterator[tuple[str, tarfile.TarInfo, Callable[[], IO[bytes] | None]]]:
    """The members of a directory that holds a root file system; other file systems mounted in it are not entered."""
    builder = tarfile.TarFile(fileobj=io.BytesIO(), mode="w")  # only for its gettarinfo, which knows hard links
    device = root.lstat().st_dev
    pending = [root]
    while pending:
        folder = pending.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except PermissionError:
            raise RiverError(f"{folder} cannot be read: import it as its owner, or import a tar of it") from None
        for entry in entries:
            path = Path(entry.path)
            name = str(path.relative_to(root))
            status = entry.stat(follow_symlinks=False)
            kind = stat.S_IFMT(status.st_mode)
            if kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
                continue
            info = builder.gettarinfo(str(path), arcname=name)
            yield name, info, _reader(path, info)
            if kind == stat.S_IFDIR and status.st_dev == device:
                pending.append(path)


def _reader(path: Path, info: tarfile.TarInfo) -> Callable[[], IO[bytes] | None]:
    return lambda: path.open("rb") if info.isreg() else None


def write_flat(tree: Mapping[str, Entry], target: Path) -> str:
    """Write ``tree`` as one tar, parents first and hard links last. Returns its content hash."""
    digest = hashlib.sha256()
    late: list[str] = []
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as out:
        for path in sorted(tree):
            _refuse_links_above(tree, path)
            if path in _LEFT_OUT:
                continue
            if tree[path].info.islnk():
                late.append(path)
            else:
                _emit(out, digest, path, tree[path])
        for path in late:
            entry = tree[path]
            aim = tree.get(entry.info.linkname)
            if aim is not None and aim.layer == entry.layer and not aim.info.islnk():
                _emit(out, digest, path, entry)
            elif (source := _materialise(entry)) is not None:
                _emit(out, digest, path, source)
            else:
                raise BadArchive(f"the hard link {path[:80]!r} leads to {entry.info.linkname[:80]!r}: not there")
    return digest.hexdigest()


def _materialise(entry: Entry) -> Entry | None:
    """A hard link whose target a later layer replaced: the content it had, as a file of its own."""
    try:
        source = entry.open()
    except KeyError:
        return None
    if source is None:
        return None
    with source:
        content = source.read()
    info = tarfile.TarInfo(entry.info.name)
    info.mode, info.uid, info.gid, info.mtime = entry.info.mode, entry.info.uid, entry.info.gid, entry.info.mtime
    info.size = len(content)
    return Entry(info, lambda: io.BytesIO(content), entry.layer)


def _refuse_links_above(tree: Mapping[str, Entry], path: str) -> None:
    parent = posixpath.dirname(path)
    while parent:
        above = tree.get(parent)
        if above is not None and not above.info.isdir():
            raise BadArchive(
                f"the archive's member {path[:80]!r} lies below {parent[:80]!r}, which is no directory: refused"
            )
        parent = posixpath.dirname(parent)


def _emit(out: tarfile.TarFile, digest: hashlib._Hash, path: str, entry: Entry) -> None:
    """One member with its attributes cleaned: no names of owners, no foreign extended attributes."""
    source = entry.info
    info = tarfile.TarInfo(path)
    info.mode, info.mtime = source.mode & 0o7777, int(source.mtime)
    info.uid = source.uid if 0 <= source.uid <= NOBODY else NOBODY
    info.gid = source.gid if 0 <= source.gid <= NOBODY else NOBODY
    info.type, info.linkname = tarfile.REGTYPE if source.isreg() else source.type, source.linkname
    capability = source.pax_headers.get("SCHILY.xattr.security.capability")
    if capability:
        info.pax_headers = {"SCHILY.xattr.security.capability": capability}
    digest.update(repr((path, info.mode, info.mtime, info.uid, info.gid, info.type, info.linkname)).encode())
    if not source.isreg():
        out.addfile(info)
        return
    info.size = source.size
    content = entry.open()
    if content is None:
        raise BadArchive(f"the archive's member {path[:80]!r} has no content")
    with ExitStack() as stack:
        stack.enter_context(content)
        out.addfile(info, _Hashing(content, digest))


class _Hashing(io.RawIOBase):
    """A reader that hashes what passes through it."""

    def __init__(self, source: IO[bytes], digest: hashlib._Hash) -> None:
        self._source = source
        self._digest = digest

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size)
        self._digest.update(data)
        return data


def tree_of(entries: Iterable[tuple[str, tarfile.TarInfo, Callable[[], IO[bytes] | None]]]) -> Tree:
    """A tree of one layer from members."""
    return {member_path(name): Entry(info, opener, 0) for name, info, opener in entries}
