"""Which users of the host a sandbox's users are: the id mapping, and mounts seen through it.

- ``root``: 0 → 1,900,000,000 and 65,535 more, ids that belong to nobody on any host we know of, so that nothing in a
  sandbox is a user of the host. Lowers that belong to the real root are shown through id-mapped mounts.
- ``contained``: root of a container that has few ids itself: 0 → 0 and the ids that it has.
- ``subuid``: an ordinary user with the package uidmap and ranges in /etc/subuid and /etc/subgid: 0 → you, the rest
  yours too.
- ``single``: any other ordinary user: 0 → you, nothing else. Files of others belong to nobody.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from river_envs.sandbox.base import BackendUnavailable
from river_envs.sandbox.inside import syscalls

FIRST_ID = 1_900_000_000
COUNT = 65_536


@dataclass(frozen=True)
class IdMap:
    """A mapping of users and groups, decided once per process."""

    mode: Literal["root", "contained", "subuid", "single"]
    uid_lines: tuple[tuple[int, int, int], ...]
    gid_lines: tuple[tuple[int, int, int], ...]

    @property
    def owner(self) -> tuple[int, int]:
        """The host's user and group that are root inside."""
        return self.uid_lines[0][1], self.gid_lines[0][1]

    def write(self, process: int) -> None:
        """Map the user namespace that ``process`` has just made."""
        if self.mode == "subuid":
            _run_helper("newuidmap", process, self.uid_lines)
            _run_helper("newgidmap", process, self.gid_lines)
            return
        folder = Path(f"/proc/{process}")
        if self.mode == "single":
            (folder / "setgroups").write_text("deny")
        (folder / "uid_map").write_text("\n".join(" ".join(map(str, line)) for line in self.uid_lines))
        (folder / "gid_map").write_text("\n".join(" ".join(map(str, line)) for line in self.gid_lines))


def choose() -> IdMap:
    """The best mapping that this user can have."""
    uid, gid = os.getuid(), os.getgid()
    if uid == 0:
        if _own_ids("uid") > FIRST_ID + COUNT and _own_ids("gid") > FIRST_ID + COUNT:
            whole = ((0, FIRST_ID, COUNT),)
            return IdMap("root", whole, whole)
        uids, gids = min(_own_ids("uid"), COUNT), min(_own_ids("gid"), COUNT)
        return IdMap("contained" if uids > 1 and gids > 1 else "single", ((0, 0, uids),), ((0, 0, gids),))
    more_uids, more_gids = _subordinate("/etc/subuid", uid), _subordinate("/etc/subgid", uid)
    if more_uids and more_gids and shutil.which("newuidmap") and shutil.which("newgidmap"):
        return IdMap("subuid", ((0, uid, 1), (1, *more_uids)), ((0, gid, 1), (1, *more_gids)))
    return IdMap("single", ((0, uid, 1),), ((0, gid, 1),))


def _own_ids(kind: Literal["uid", "gid"]) -> int:
    """How many ids from 0 up this process's own namespace has."""
    for line in Path(f"/proc/self/{kind}_map").read_text().splitlines():
        inside, _, count = map(int, line.split())
        if inside == 0:
            return count
    return 1


def _subordinate(path: str, uid: int) -> tuple[int, int] | None:
    """The first range of at least 1,000 ids that ``path`` gives to a user."""
    names = {str(uid)}
    with contextlib.suppress(KeyError):  # a user without an entry can still be listed by number
        names.add(pwd.getpwuid(uid).pw_name)
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        owner, _, numbers = line.partition(":")
        first, _, count = numbers.partition(":")
        if owner in names and first.isdigit() and count.isdigit() and int(count) >= 1000:
            return int(first), min(int(count), COUNT - 1)
    return None


def _run_helper(program: str, process: int, lines: tuple[tuple[int, int, int], ...]) -> None:
    numbers = [str(number) for line in lines for number in line]
    done = subprocess.run([program, str(process), *numbers], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BackendUnavailable(f"{program} refused to map your subordinate ids: {done.stderr.strip()}")


def detached(path: str, userns: int, *, host_owned: bool) -> int:
    """A detached mount of ``path`` to hand to a namespace (root only); with ``host_owned`` its owners are mapped.

    Where the kernel or the file system cannot map owners the plain mount is returned: its files then belong to nobody
    inside, can be read and cannot be changed.
    """
    mount = syscalls.clone_mount(path)
    if host_owned:
        try:
            syscalls.idmap_mount(mount, userns)
        except OSError:
            return mount
    return mount
