"""The files of one task, wherever they lie: in a directory, an archive or memory.

Readers see a :class:`Tree`: a listing that was made without reading contents, and bounded reads. What a tree does not
hand out: special files (opening a FIFO would block), links that leave the tree, files over the bounds, names that are
not text.
"""

from __future__ import annotations

import hashlib
import os
import stat
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from river_envs.environment import File
from river_envs.formats.base import Bounds, RejectedInput
from river_envs.formats.text import decode

Kind = Literal["file", "directory", "link", "other"]
MOST_HOPS = 40
MOST_DEPTH = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a tree. ``stamp`` changes when the content does (a modification time or a checksum)."""

    kind: Kind
    size: int = 0
    mode: int = 0o644
    target: str | None = None
    stamp: int = 0
    problem: str | None = None


def file_mode(mode: int) -> int:
    """Permission bits reduced to what git keeps: executable or not."""
    return 0o755 if mode & 0o111 else 0o644


class Tree(ABC):
    """The files of one task below one root; paths are relative, with ``/`` between the parts.

    ``corpus`` names the collection the task belongs to, and becomes ``Environment.source``.
    """

    def __init__(self, name: str, corpus: str, bounds: Bounds) -> None:
        self.name = name
        self.corpus = corpus
        self.bounds = bounds
        self._taken = 0

    @property
    @abstractmethod
    def entries(self) -> Mapping[str, Entry]:
        """Every name below the root."""

    @abstractmethod
    def content(self, path: str, limit: int) -> bytes:
        """The bytes of the file ``path``, at most ``limit + 1`` of them."""

    def signature(self) -> str:
        """A hash over names, sizes, stamps and modes, without reading contents."""
        state = hashlib.blake2b(repr(self.bounds.key()).encode(), digest_size=16)
        for path in sorted(self.entries):
            entry = self.entries[path]
            line = (path, entry.kind, entry.size, entry.mode, entry.target, entry.stamp, entry.problem)
            state.update(repr(line).encode("utf-8", "backslashreplace"))
        return state.hexdigest()

    def has(self, path: str) -> bool:
        """Whether ``path`` exists (a link counts)."""
        return path in self.entries

    def has_files(self, under: str) -> bool:
        """Whether anything but directories lies below ``under``."""
        return any(path.startswith(f"{under}/") and e.kind != "directory" for path, e in self.entries.items())

    def read(self, path: str, limit: int | None = None) -> bytes:
        """The bytes of ``path`` (links inside the tree are followed), refused above ``limit`` without reading it."""
        real = self.resolved(path)
        entry = self.entries.get(real)
        if entry is None:
            raise RejectedInput(f"{path} is missing")
        if entry.kind != "file":
            raise RejectedInput(f"{path} is {entry.problem or f'a {entry.kind}'}, not a file")
        limit = self.bounds.file_bytes if limit is None else limit
        if entry.size > limit:
            raise RejectedInput(f"{path} is too large: {entry.size:,} bytes, the limit is {limit:,}")
        content = self.content(real, limit)
        if len(content) > limit:
            raise RejectedInput(f"{path} holds more than it declares, over the limit of {limit:,} bytes")
        self._taken += len(content)
        if self._taken > self.bounds.environment_bytes:
            raise RejectedInput(f"the files are too large together: over {self.bounds.environment_bytes:,} bytes")
        return content

    def text(self, path: str, limit: int | None = None) -> str:
        """``path`` as UTF-8 text."""
        return decode(self.read(path, self.bounds.settings_bytes if limit is None else limit), path)

    def instruction(self, path: str) -> str:
        """``path`` as an instruction: text that is not blank and within the bounds."""
        return self.checked_instruction(self.text(path, self.bounds.instruction_bytes), path)

    def checked_instruction(self, text: str, name: str) -> str:
        """``text`` when an agent could be given it; else the reason why not."""
        if not text.strip():
            raise RejectedInput(f"{name} is empty")
        if len(text) > self.bounds.instruction_bytes:
            raise RejectedInput(f"{name} is too long: {len(text):,} characters")
        if text.count("\n") > self.bounds.instruction_lines:
            raise RejectedInput(f"{name} is too long: over {self.bounds.instruction_lines:,} lines")
        return text

    def files(self, under: str = "", only: Iterable[str] | None = None) -> tuple[File, ...]:
        """The files and links below ``under`` in path order, with paths relative to it; ``only`` selects some of
        them.
        """
        prefix = f"{under}/" if under else ""
        paths = sorted(self.entries if only is None else set(only))
        found = []
        for path in paths:
            if not path.startswith(prefix):
                continue
            entry = self.entries[path]
            relative = path[len(prefix) :]
            _check_name(path)
            if entry.kind == "other":
                raise RejectedInput(f"{path} is {entry.problem}")
            if entry.kind == "link":
                self.resolved(relative, under)
                _check_name(entry.target or "")
                found.append(File(relative, mode=0o644, link=entry.target))
            elif entry.kind == "file":
                found.append(File(relative, self.read(path), file_mode(entry.mode)))
        return tuple(found)

    def resolved(self, path: str, root: str = "") -> str:
        """Where ``path`` (relative to ``root``) leads, links followed part by part; it must not leave ``root``.

        Returned relative to the tree. Part by part, because joining the text of two links can hide an escape.
        """
        prefix = f"{root}/" if root else ""
        parts: list[str] = []
        ahead = deque(path.split("/"))
        hops = 0
        while ahead:
            part = ahead.popleft()
            if part in ("", "."):
                continue
            if part == "..":
                if not parts:
                    raise RejectedInput(f"{prefix}{path} is a symbolic link out of the tree")
                parts.pop()
                continue
            parts.append(part)
            entry = self.entries.get(prefix + "/".join(parts))
            if entry is None or entry.kind != "link":
                continue
            hops += 1
            target = entry.target or ""
            if target.startswith("/"):
                raise RejectedInput(f"{prefix}{path} is a symbolic link out of the tree (to {target})")
            if hops > MOST_HOPS:
                raise RejectedInput(f"{prefix}{path} is a loop of symbolic links")
            parts.pop()
            ahead.extendleft(reversed(target.split("/")))
        return prefix + "/".join(parts)


class DirectoryTree(Tree):
    """A task directory on disk. The listing is made once, when first asked for; nothing in it is followed."""

    def __init__(self, path: str, corpus: str, bounds: Bounds) -> None:
        super().__init__(os.path.basename(path), corpus, bounds)  # noqa: PTH119 - 14,600 of them, names may not be UTF-8
        self._path = path

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The listing, cut off one entry above the bound (which :meth:`content` then refuses)."""
        found: dict[str, Entry] = {}
        ahead = [(self._path, "", 0)]
        while ahead:
            folder, prefix, depth = ahead.pop()
            try:
                with os.scandir(folder) as listing:
                    for item in listing:
                        path = prefix + item.name
                        entry = found[path] = _entry(item)
                        if entry.kind == "directory" and depth < MOST_DEPTH:
                            ahead.append((item.path, path + "/", depth + 1))
                        elif entry.kind == "directory":
                            found[path] = Entry("other", problem=f"nested over {MOST_DEPTH} levels deep")
                        if len(found) > self.bounds.entries:
                            raise RejectedInput(f"holds over {self.bounds.entries:,} files")
            except OSError as problem:
                if not prefix:
                    raise
                found[prefix[:-1]] = Entry("other", problem=f"unreadable: {problem.strerror}")
        return found

    def content(self, path: str, limit: int) -> bytes:
        """The bytes of a regular file; opened so that neither a link nor a FIFO put there meanwhile can do harm."""
        try:
            descriptor = os.open(f"{self._path}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as problem:
            raise RejectedInput(f"{path} cannot be read: {problem.strerror}") from problem
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise RejectedInput(f"{path} is not a regular file")
            content = os.read(descriptor, min(found.st_size, limit) + 1)
            while len(content) <= limit and (more := os.read(descriptor, limit + 1 - len(content))):
                content += more
            return content
        finally:
            os.close(descriptor)


class MemoryTree(Tree):
    """Files held in memory: a streamed archive member, a row of a parquet file, a test."""

    def __init__(
        self,
        name: str,
        corpus: str,
        bounds: Bounds,
        contents: Mapping[str, bytes],
        entries: Mapping[str, Entry] | None = None,
    ) -> None:
        super().__init__(name, corpus, bounds)
        self._contents = contents
        self._entries = entries or {path: Entry("file", len(data)) for path, data in contents.items()}

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The listing."""
        return self._entries

    def content(self, path: str, limit: int) -> bytes:
        """The bytes."""
        return self._contents[path][: limit + 1]


def _entry(item: os.DirEntry[str]) -> Entry:
    try:
        found = item.stat(follow_symlinks=False)
        mode = found.st_mode
        if stat.S_ISREG(mode):
            return Entry("file", found.st_size, mode & 0o777, stamp=found.st_mtime_ns)
        if stat.S_ISDIR(mode):
            return Entry("directory")
        if stat.S_ISLNK(mode):
            return Entry("link", target=os.readlink(item.path), stamp=found.st_mtime_ns)  # noqa: PTH115 - keep bytes
    except OSError as problem:
        return Entry("other", problem=f"unreadable: {problem.strerror}")
    return Entry("other", problem=special_kind(mode))


def special_kind(mode: int) -> str:
    """What a special file is, in words."""
    if stat.S_ISFIFO(mode):
        return "a FIFO"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"


def _check_name(path: str) -> None:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise RejectedInput(f"a file name is not UTF-8: {os.fsencode(path)!r}") from problem
    if "\x00" in path:
        raise RejectedInput(f"a file name holds a NUL: {path!r}")
