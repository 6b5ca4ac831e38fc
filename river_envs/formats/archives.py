"""Read task directories out of zip and tar files without unpacking them to disk.

A zip has an index, so its members are read when asked for. A compressed tar has none: it is streamed twice, once for
the names and once for the contents, and a task is handed out when its last member has gone by. Names that leave the
archive, members that appear twice, special files and bombs are refused where they are; the other tasks are still
read.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Generic, TypeVar

from river_envs.formats.base import Bounds, RejectedInput
from river_envs.formats.tree import Entry, Tree, special_kind

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz")
LONGEST_TARGET = 4096

Reader = TypeVar("Reader")


def is_archive(name: str) -> bool:
    """Whether ``name`` ends like an archive that can be read here."""
    return name.endswith(SUFFIXES)


def open_archive(path: str, bounds: Bounds) -> Archive:
    """The archive at ``path``, its index read; raises :class:`RejectedInput` when it is none."""
    from river_envs.formats.tars import TarArchive

    try:
        return ZipArchive(path, bounds) if path.endswith(".zip") else TarArchive(path, bounds)
    except (RejectedInput, OSError):
        raise
    except Exception as problem:
        raise RejectedInput(f"is not a readable archive: {type(problem).__name__}: {problem}"[:300]) from problem


class Archive(ABC):
    """The names in an archive, and trees over parts of it.

    ``problems`` are (member, reason) for members that belong to no task because their names are refused.
    """

    def __init__(self, path: str, bounds: Bounds) -> None:
        self.path = path
        self.bounds = bounds
        self.entries: dict[str, Entry] = {}
        self.problems: list[tuple[str, str]] = []

    @abstractmethod
    def tree(self, root: str, entries: Mapping[str, Entry], corpus: str) -> Tree:
        """The tree below ``root``, whose listing is ``entries`` (relative to it)."""

    def add(self, raw: str, entry: Entry) -> str | None:
        """Record a member; returns its clean name, or None when the name is refused."""
        try:
            name = member_name(raw)
        except RejectedInput as problem:
            self.problems.append((raw, str(problem)))
            return None
        if not name:
            if entry.kind != "directory":
                self.problems.append((raw, "a member has no name"))
            return None
        known = self.entries.get(name)
        if known is not None and not (known.kind == entry.kind == "directory"):
            entry = Entry("other", problem="twice in the archive")
        self.entries[name] = entry
        return name

    def order(self, roots: list[str]) -> list[str]:
        """``roots`` in the order in which their contents can be had."""
        return roots


class Tasks(Generic[Reader]):
    """The tasks in an archive: which folders are tasks, by ``recognise``, and the listing of each."""

    def __init__(self, archive: Archive, recognise: Callable[[Set[str]], Reader | None]) -> None:
        self.archive = archive
        self.readers: dict[str, Reader] = {}
        self.listings: dict[str, dict[str, Entry]] = {}
        self._find(recognise)
        self._list()
        self.roots = archive.order(sorted(self.readers))

    def tree(self, root: str, corpus: str) -> Tree:
        """The tree of the task at ``root``."""
        return self.archive.tree(root, self.listings[root], corpus)

    def _find(self, recognise: Callable[[Set[str]], Reader | None]) -> None:
        children: dict[str, set[str]] = {"": set()}
        for member in self.archive.entries:
            name = member
            while name:
                parent, _, last = name.rpartition("/")
                names = children.setdefault(parent, set())
                if last in names:
                    break
                names.add(last)
                name = parent
        ahead = [""]
        while ahead:
            folder = ahead.pop()
            reader = recognise(children[folder])
            if reader is not None:
                self.readers[folder] = reader
                continue
            below = (f"{folder}/{name}" if folder else name for name in children[folder])
            ahead += [path for path in below if path in children]

    def _list(self) -> None:
        for root in self.readers:
            self.listings[root] = {}
        for name, entry in self.archive.entries.items():
            above = root_of(name, self.readers)
            if above is not None:
                relative = name[len(above) + 1 :] if above else name
                self.listings[above][relative] = _below_file(name, above, self.archive.entries) or entry


def root_of(name: str, roots: Mapping[str, object]) -> str | None:
    """The one of ``roots`` above ``name``; None when there is none."""
    if "" in roots:
        return ""
    at = name.find("/")
    while at != -1:
        if name[:at] in roots:
            return name[:at]
        at = name.find("/", at + 1)
    return None


def member_name(raw: str) -> str:
    """``raw`` as a relative path, or the reason why it is refused."""
    if raw.startswith(("/", "\\")) or (len(raw) > 1 and raw[1] == ":"):
        raise RejectedInput("its path is absolute")
    parts = [part for part in raw.split("/") if part not in ("", ".")]
    if ".." in parts or ".." in raw.split("\\"):
        raise RejectedInput("its path leaves the archive")
    if "\x00" in raw:
        raise RejectedInput("its name holds a NUL")
    return "/".join(parts)


def _below_file(name: str, root: str, entries: Mapping[str, Entry]) -> Entry | None:
    at = name.rfind("/")
    while at > len(root):
        above = entries.get(name[:at])
        if above is not None and above.kind != "directory":
            return Entry("other", problem="below a member that is no directory")
        at = name.rfind("/", 0, at)
    return None


class ZipArchive(Archive):
    """A zip file. Declared sizes are checked before reading; reading stops at the limit whatever was declared."""

    def __init__(self, path: str, bounds: Bounds) -> None:
        super().__init__(path, bounds)
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as problem:
            raise RejectedInput(f"is not a readable zip file: {problem}") from problem
        self._members: dict[str, zipfile.ZipInfo] = {}
        for info in self._zip.infolist():
            name = self.add(info.filename, self._entry(info))
            if name:
                self._members[name] = info

    def tree(self, root: str, entries: Mapping[str, Entry], corpus: str) -> Tree:
        """A tree that reads members when asked for."""
        return ZipTree(self, root, entries, corpus)

    def member(self, name: str, limit: int) -> bytes:
        """At most ``limit + 1`` bytes of the member ``name``."""
        return self._content(self._members[name], limit)

    def _content(self, info: zipfile.ZipInfo, limit: int) -> bytes:
        try:
            with self._zip.open(info) as stream:
                return stream.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as problem:
            raise RejectedInput(f"{info.filename} cannot be unpacked: {problem}") from problem

    def _entry(self, info: zipfile.ZipInfo) -> Entry:
        mode = info.external_attr >> 16
        if info.filename.endswith("/"):
            return Entry("directory")
        if info.flag_bits & 0x1:
            return Entry("other", problem="encrypted")
        if stat.S_ISLNK(mode):
            return self._link(info)
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            return Entry("other", problem=special_kind(mode))
        return Entry("file", info.file_size, mode & 0o777, stamp=info.CRC)

    def _link(self, info: zipfile.ZipInfo) -> Entry:
        try:
            target = self._content(info, LONGEST_TARGET)
        except RejectedInput:
            return Entry("other", problem="a symbolic link that cannot be unpacked")
        if len(target) > LONGEST_TARGET:
            return Entry("other", problem="a symbolic link with an overlong target")
        return Entry("link", target=os.fsdecode(target), stamp=info.CRC)


class ZipTree(Tree):
    """A task inside a zip file."""

    def __init__(self, archive: ZipArchive, root: str, entries: Mapping[str, Entry], corpus: str) -> None:
        super().__init__(root.rpartition("/")[2], corpus, archive.bounds)
        self._archive = archive
        self._root = root
        self._entries = entries

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The listing."""
        return self._entries

    def content(self, path: str, limit: int) -> bytes:
        """The bytes of one member."""
        return self._archive.member(f"{self._root}/{path}" if self._root else path, limit)


def stat_signature(path: str) -> str:
    """Size and modification time of a file: changes when it is written again."""
    found = os.stat(path)  # noqa: PTH116 - one call, on a str
    return f"{found.st_size}:{found.st_mtime_ns}"


def rejected_members(archive: Archive) -> Iterator[tuple[str, str]]:
    """The refused members by where and reason."""
    for raw, reason in archive.problems:
        yield f"{archive.path}!{raw}", reason
