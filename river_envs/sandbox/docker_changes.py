"""What counts as a change: the rules that both ways of looking at a container share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from river_envs.environment import sha256
from river_envs.sandbox.base import Change, Delta, SandboxError

_LEFT_OUT = ("proc", "sys", "dev", "logs")
_MOUNTED = frozenset({"etc/hostname", "etc/hosts", "etc/resolv.conf", ".dockerenv"})


def left_out(path: str) -> bool:
    """Whether ``path`` never enters a delta: the kernel's file systems, the logs, and what Docker puts there itself."""
    return path.partition("/")[0] in _LEFT_OUT or path in _MOUNTED


@dataclass(frozen=True)
class Entry:
    """One path of an image, as far as it is compared. ``content`` is a hash for a file, the target for a link."""

    kind: Literal["file", "directory", "link", "special"]
    mode: int
    uid: int
    gid: int
    content: str = ""


def entry_of(change: Change) -> Entry:
    """The compared part of a change."""
    content = sha256(change.content) if change.kind == "file" else change.link or ""
    return Entry(change.kind, change.mode, change.uid, change.gid, content)  # type: ignore[arg-type]  # never "deleted"


class Collected:
    """The changes found so far; at most ``limit`` bytes of content."""

    def __init__(self, limit: int) -> None:
        self._limit, self._size = limit, 0
        self._changes: dict[str, Change] = {}
        self._skipped: set[str] = set()

    def room_for(self, size: int) -> None:
        """Raises SandboxError when ``size`` more bytes are too many."""
        self._size += size
        if self._size > self._limit:
            raise SandboxError(f"the delta is larger than {self._limit >> 20} MiB")

    def add(self, change: Change, before: Entry | None) -> None:
        """Keep ``change`` unless it says what the image has already."""
        if before != entry_of(change):
            self._changes[change.path] = change

    def gone(self, path: str) -> None:
        """A path of the image is no longer there."""
        if not left_out(path):
            self._changes[path] = Change(path, "deleted")

    def skip(self, path: str) -> None:
        """A FIFO, socket or device."""
        self._skipped.add(path)

    def delta(self) -> Delta:
        """Everything, in path order."""
        return Delta(tuple(self._changes[path] for path in sorted(self._changes)), tuple(sorted(self._skipped)))
