"""Users and groups as the sandbox's own /etc/passwd and /etc/group define them; hostile text, read with a cap."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

_MAX_BYTES = 1 << 20
UNMAPPED = (
    "this machine maps a single user into sandboxes; install the package uidmap and give your user subordinate ids in "
    "/etc/subuid and /etc/subgid"
)


@dataclass(frozen=True)
class Identity:
    """Who a command runs as."""

    name: str
    uid: int
    gid: int
    groups: list[int]
    home: str

    @property
    def is_plain_root(self) -> bool:
        """Whether this is root and in no group but root's."""
        return self.uid == 0 and self.groups == [0]


class Users:
    """Lookups that are remembered as long as the two files do not change."""

    def __init__(self) -> None:
        self._version: list[tuple[int, int, int] | None] = []
        self._known: dict[str, Identity | str] = {}

    def find(self, user: str) -> Identity | str:
        """See :func:`find`."""
        version = [_version("/etc/passwd"), _version("/etc/group")]
        if version != self._version:
            self._version, self._known = version, {}
        if user not in self._known:
            self._known[user] = find(user)
        return self._known[user]


def _version(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_ctime_ns, status.st_size


def find(user: str) -> Identity | str:
    """``name``, ``uid``, ``name:group`` or ``uid:gid``; a sentence saying what is wrong when there is no such user."""
    name, _, group = user.partition(":")
    if user in ("root", "0", ""):
        name = "root"
    entries = _rows("/etc/passwd", 7)
    entry = next((row for row in entries if row[0] == name), None)
    if entry is None and name.isdigit():
        entry = next((row for row in entries if row[2] == name), None)
    if entry is not None and entry[2].isdigit() and entry[3].isdigit():
        uid, gid, home = int(entry[2]), int(entry[3]), entry[5] or "/"
        name = entry[0]
    elif name == "root":
        uid, gid, home = 0, 0, "/root"
    elif name.isdigit() and int(name) < 1 << 31:
        uid, gid, home = int(name), 0, "/"
    else:
        return f"unable to find user {name}: no matching entries in passwd file"
    groups_file = _rows("/etc/group", 4)
    if group:
        row = next((row for row in groups_file if row[0] == group), None)
        number = row[2] if row else group
        if not number.isdigit():
            return f"unable to find group {group}: no matching entries in group file"
        return Identity(name, uid, int(number), [int(number)], home)
    groups = [int(row[2]) for row in groups_file if row[2].isdigit() and name in row[3].split(",")]
    return Identity(name, uid, gid, sorted({gid, *groups}), home)


def _rows(path: str, columns: int) -> list[list[str]]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []  # an image without the file has no users beyond root and numbers
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return []
        text = os.read(descriptor, _MAX_BYTES).decode("utf-8", "surrogateescape")
    finally:
        os.close(descriptor)
    rows = [line.split(":") for line in text.splitlines()]
    return [row for row in rows if len(row) >= columns]
