"""Tar archives, compressed or not, read in two passes with a bound on what they expand to."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import IO

from river_envs.formats.archives import Archive, member_name, root_of, stat_signature
from river_envs.formats.base import MIB, Bounds, RejectedInput
from river_envs.formats.tree import Entry, MemoryTree, Tree

MOST_EXPANSION = 100
SPARE = 1024 * MIB
"""A tar may expand to ``MOST_EXPANSION`` times its size plus this; text compresses 5 to 20 times, a bomb 1,000."""

MOST_BUFFERED = 512 * MIB
"""Bytes of unfinished tasks held at once; members of one task normally follow each other."""

_DAMAGE = (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile, ValueError)


class TarArchive(Archive):
    """A tar file. Contents are had by streaming, in the order of the archive."""

    def __init__(self, path: str, bounds: Bounds) -> None:
        super().__init__(path, bounds)
        self._stat = stat_signature(path)
        self._stream: Iterator[tuple[str, dict[str, bytes]]] | None = None
        self._roots: dict[str, int] = {}
        self._last_member: dict[str, int] = {}
        self._index()

    def order(self, roots: list[str]) -> list[str]:
        """``roots`` by their last members."""
        self._roots = dict.fromkeys(roots, 0)
        last = dict.fromkeys(roots, 0)
        for position, name in enumerate(self.entries):
            root = root_of(name, self._roots)
            if root is not None:
                self._roots[root] += 1
                last[root] = position
        self._last_member = last
        return sorted(roots, key=lambda root: last[root])

    def tree(self, root: str, entries: Mapping[str, Entry], corpus: str) -> Tree:
        """A tree whose contents are streamed when the first file is read."""
        return TarTree(self, root, entries, corpus)

    @property
    def stamp(self) -> str:
        """Changes when the archive is written again (its members carry no checksum)."""
        return self._stat

    def load(self, root: str) -> dict[str, bytes]:
        """The contents below ``root``. Cheap in the order of :meth:`order`; out of order the archive is read again."""
        for _ in range(2):
            if self._stream is None:
                self._stream = self._tasks()
            for found, contents in self._stream:
                if found == root:
                    return contents
            self._stream = None
        raise RejectedInput("the archive changed while it was read")

    def _index(self) -> None:
        try:
            with _open(self.path, self.bounds) as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
                for info in tar:
                    tar.members = []  # type: ignore[attr-defined] # it keeps every header otherwise
                    self.add(info.name, _entry(info))
        except _DAMAGE as problem:
            if not self.entries:
                raise RejectedInput(f"is not a readable tar file: {problem}") from problem
            self._damaged(str(problem))
        except RejectedInput as problem:
            self._damaged(str(problem))

    def _damaged(self, reason: str) -> None:
        """The index ends here: say so, and give up the member at which it broke."""
        self.problems.append(("", f"the archive ends early: {reason}"))
        if self.entries:
            last = next(reversed(self.entries))
            self.entries[last] = Entry("other", problem="at the damaged end of the archive")

    def _tasks(self) -> Iterator[tuple[str, dict[str, bytes]]]:
        left = Counter(self._roots)
        pending: dict[str, dict[str, bytes]] = {}
        buffered = 0
        seen: set[str] = set()
        with _open(self.path, self.bounds) as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
            for info in tar:
                tar.members = []  # type: ignore[attr-defined]
                name = _name(info)
                root = root_of(name, self._roots) if name else None
                if name is None or root is None or name in seen:
                    continue
                seen.add(name)
                contents = pending.setdefault(root, {})
                if info.isreg() and info.size <= self.bounds.file_bytes and buffered <= MOST_BUFFERED:
                    data = _content(tar, info)
                    contents[name[len(root) + 1 :] if root else name] = data
                    buffered += len(data)
                left[root] -= 1
                if not left[root]:
                    buffered -= sum(map(len, contents.values()))
                    yield root, pending.pop(root)


class TarTree(MemoryTree):
    """A task inside a tar file."""

    def __init__(self, archive: TarArchive, root: str, entries: Mapping[str, Entry], corpus: str) -> None:
        super().__init__(root.rpartition("/")[2], corpus, archive.bounds, {}, entries)
        self._archive = archive
        self._root = root
        self._loaded: dict[str, bytes] | None = None

    def signature(self) -> str:
        """Members carry no checksum, so the archive's own stamp is part of it."""
        return f"{super().signature()}:{self._archive.stamp}"

    def content(self, path: str, limit: int) -> bytes:
        """The bytes of one member."""
        if self._loaded is None:
            try:
                self._loaded = self._archive.load(self._root)
            except _DAMAGE as problem:
                raise RejectedInput(f"the archive cannot be read up to this task: {problem}") from problem
        if path not in self._loaded:
            raise RejectedInput(f"{path} cannot be had: the members of this task are scattered through the archive")
        return self._loaded[path][: limit + 1]


class _Bounded(io.RawIOBase):
    """A readable, forward-seeking stream that stops a bomb: in all, and in one read (a header may declare any size)."""

    def __init__(self, stream: IO[bytes], most: int, most_at_once: int) -> None:
        self._inner = stream
        self._most = most
        self._most_at_once = most_at_once
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > self._most_at_once:
            raise RejectedInput("a header declares an absurd size")
        data = self._inner.read(size)
        self._count(len(data))
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence != os.SEEK_SET or offset < self._at:
            raise RejectedInput("the members are not in order")
        while self._at < offset:
            skipped = self._inner.read(min(MIB, offset - self._at))
            if not skipped:
                break
            self._count(len(skipped))
        return self._at

    def _count(self, size: int) -> None:
        self._at += size
        if self._at > self._most:
            raise RejectedInput(f"it expands to over {self._most:,} bytes")

    def close(self) -> None:
        self._inner.close()
        super().close()


def _open(path: str, bounds: Bounds) -> _Bounded:
    packed = os.stat(path).st_size  # noqa: PTH116 - a str
    opener: Callable[..., IO[bytes]] = open if path.endswith(".tar") else gzip.open  # type: ignore[assignment]
    return _Bounded(opener(path, "rb"), MOST_EXPANSION * packed + SPARE, max(bounds.file_bytes, MIB))


def _name(info: tarfile.TarInfo) -> str | None:
    try:
        return member_name(info.name)
    except RejectedInput:
        return None  # recorded as a problem in the first pass


def _content(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    stream = tar.extractfile(info)
    return stream.read() if stream else b""


def _entry(info: tarfile.TarInfo) -> Entry:
    if info.isdir():
        return Entry("directory")
    if info.isreg():
        return Entry("file", info.size, info.mode & 0o777, stamp=int(info.mtime))
    if info.issym():
        return Entry("link", target=info.linkname, stamp=int(info.mtime))
    if info.islnk():
        return Entry("other", problem="a hard link")
    return Entry("other", problem="a FIFO" if info.isfifo() else "a device")
