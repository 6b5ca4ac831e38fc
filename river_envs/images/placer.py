"""The program that puts files into an image. It runs inside a sandbox, as the sandbox's root, and imports nothing of
ours.

    python placer.py SPEC.json

It sees the image that is being built at ``root`` and other images read-only next to it, so that owners, links and
permissions come out as the image's own processes will see them. Every path is resolved below its root: a link in an
image never leads out of it. It ends with status 3 and one line on standard error when the recipe asks for something
that is not there.
"""

from __future__ import annotations

import contextlib
import fnmatch
import json
import os
import posixpath
import shutil
import stat
import sys
import tarfile
from typing import Any

MTIME = 1704067200
"""The time that context files get (2024-01-01), so that the same recipe makes the same files."""


class Trouble(Exception):
    """What the recipe asks for cannot be done."""


def main(spec_path: str) -> int:
    """Carry out a specification; returns the exit status."""
    os.umask(0)
    with open(spec_path, encoding="utf-8") as file:
        spec = json.load(file)
    try:
        for placement in spec["placements"]:
            _Placer(spec["root"], placement).place()
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        return 3
    return 0


def resolve(root: str, path: str, *, last: bool = True) -> str:
    """The real path of ``path`` inside ``root``; links lead to places inside it. ``last``: also a link at the end."""
    todo = [part for part in path.split("/") if part not in ("", ".")]
    done: list[str] = []
    links = 0
    while todo:
        part = todo.pop(0)
        if part == "..":
            del done[-1:]
            continue
        here = os.path.join(root, *done, part)
        if os.path.islink(here) and (todo or last):
            links += 1
            if links > 40:
                raise Trouble(f"too many links in {path}")
            target = os.readlink(here)
            if target.startswith("/"):
                done = []
            todo = [item for item in target.split("/") if item not in ("", ".")] + todo
            continue
        done.append(part)
    return os.path.join(root, *done)


class _Placer:
    """One placement."""

    def __init__(self, root: str, placement: dict[str, Any]) -> None:
        self.root = root
        self.what = placement
        self.owner = self.find_owner(placement["owner"])
        self.mode = self.find_mode(placement["mode"])
        self.fresh = placement["from"] is None
        self.links: dict[tuple[int, int], str] = {}

    def place(self) -> None:
        target = self.what["target"]
        if self.what["make"]:
            self.make_folders(resolve(self.root, target))
            return
        for name, directory, path in self.sources():
            if directory:
                self.directory(name, path, target)
            else:
                self.file(name, path, target)

    def sources(self) -> list[tuple[str, bool, str]]:
        """(name, whether a directory, path) of everything that is to be copied."""
        if self.fresh:
            return [(source["name"], source["directory"], source["path"]) for source in self.what["sources"]]
        origin = self.what["from"]
        found = []
        for pattern in self.what["patterns"]:
            matches = match(origin, pattern)
            if not matches:
                raise Trouble(f"{pattern} is not in the image that is copied from")
            for path in matches:
                real = resolve(origin, path)
                found.append((posixpath.basename(path.rstrip("/")), os.path.isdir(real), real))
        if len(found) > 1 and not self.what["target"].endswith("/"):
            self.what["target"] += "/"
        return found

    def directory(self, name: str, path: str, target: str) -> None:
        real = resolve(self.root, target)
        if self.what["nest"] and name and (target.endswith("/") or os.path.isdir(real)):
            real = resolve(self.root, posixpath.join(target, name))
        self.make_folders(real)
        self.tree(path, real)

    def file(self, name: str, path: str, target: str) -> None:
        real = resolve(self.root, target)
        if target.endswith("/") or os.path.isdir(real):
            self.make_folders(real)
            if self.what["unpack"] and self.unpack(path, real):
                return
            real = resolve(self.root, posixpath.join(target, name))
        elif self.what["unpack"] and tarfile.is_tarfile(path):
            self.make_folders(real)
            self.unpack(path, real)
            return
        self.make_folders(os.path.dirname(real))
        self.entry(path, real)

    def make_folders(self, real: str) -> None:
        """Make a directory and what is missing above it."""
        if os.path.isdir(real):
            return
        if os.path.lexists(real):
            raise Trouble(f"{real.removeprefix(self.root)} is not a directory")
        self.make_folders(os.path.dirname(real))
        os.mkdir(real, 0o755)
        self.give(real, self.owner or (0, 0))

    def tree(self, source: str, target: str) -> None:
        """Copy what is below a directory."""
        for name in sorted(os.listdir(source)):
            self.entry(os.path.join(source, name), os.path.join(target, name))

    def entry(self, source: str, target: str) -> None:
        """Copy one file, link or directory onto ``target``, whose place is resolved already."""
        status = os.lstat(source)
        directory = stat.S_ISDIR(status.st_mode)
        if os.path.lexists(target) and not (directory and os.path.isdir(target) and not os.path.islink(target)):
            if os.path.isdir(target) and not os.path.islink(target):
                raise Trouble(f"{target.removeprefix(self.root)} is a directory and cannot be replaced by a file")
            os.unlink(target)
        if directory:
            os.makedirs(target, exist_ok=True)
            self.tree(source, target)
        elif stat.S_ISLNK(status.st_mode):
            os.symlink(os.readlink(source), target)
        elif stat.S_ISREG(status.st_mode):
            if status.st_nlink > 1 and (first := self.links.get((status.st_dev, status.st_ino))):
                os.link(first, target)
                return
            self.links[(status.st_dev, status.st_ino)] = target
            with open(source, "rb") as reader, open(target, "xb") as writer:
                shutil.copyfileobj(reader, writer, 1 << 20)
        else:
            return  # sockets, FIFOs and devices are nothing that an image holds
        self.attributes(source, target, status)

    def attributes(self, source: str, target: str, status: os.stat_result) -> None:
        self.give(target, self.owner or ((0, 0) if self.fresh else (status.st_uid, status.st_gid)))
        if stat.S_ISLNK(status.st_mode):
            return
        folder = stat.S_ISDIR(status.st_mode)
        mode = 0o755 if self.fresh and folder else stat.S_IMODE(status.st_mode)
        os.chmod(target, mode if self.mode is None else self.mode)
        if self.fresh:
            os.utime(target, (MTIME, MTIME))
        else:
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
            with contextlib.suppress(OSError):  # most files have none, and some file systems cannot hold any
                os.setxattr(target, "security.capability", os.getxattr(source, "security.capability"))

    def give(self, path: str, owner: tuple[int, int]) -> None:
        try:
            os.lchown(path, *owner)
        except OSError as error:
            if owner != (0, 0) and self.owner:
                raise Trouble(
                    f"files cannot be given to user {owner[0]}: this account has no subordinate ids ({error.strerror})"
                ) from None

    def unpack(self, path: str, target: str) -> bool:
        """Unpack an archive into a directory; False when ``path`` is none."""
        if not tarfile.is_tarfile(path):
            return False
        with tarfile.open(path, "r:*") as archive:
            safe: dict[str, Any] = {"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}  # not in older Pythons
            archive.extractall(target, numeric_owner=True, **safe)
        return True

    def find_owner(self, text: str) -> tuple[int, int] | None:
        """``user[:group]`` by number or by the image's own passwd and group files."""
        if not text:
            return None
        user, _, group = text.partition(":")
        uid = self.lookup("passwd", user)
        if uid is None:
            raise Trouble(f"there is no user {user!r} in the image")
        gid = self.lookup("group", group) if group else (uid if user.isdigit() else self.primary(user))
        if gid is None:
            raise Trouble(f"there is no group {group!r} in the image")
        return uid, gid

    def table(self, name: str) -> list[list[str]]:
        try:
            with open(resolve(self.root, f"/etc/{name}"), encoding="utf-8", errors="replace") as file:
                return [line.rstrip("\n").split(":") for line in file]
        except OSError:
            return [["root", "x", "0", "0"]]

    def lookup(self, table: str, name: str) -> int | None:
        if name.isdigit():
            return int(name)
        return self.number(table, name, 2)

    def primary(self, user: str) -> int:
        return self.number("passwd", user, 3) or 0

    def number(self, table: str, name: str, column: int) -> int | None:
        rows = [row for row in self.table(table) if row[0] == name and len(row) > column and row[column].isdigit()]
        return int(rows[0][column]) if rows else None

    def find_mode(self, text: str) -> int | None:
        if not text:
            return None
        if not text.isdigit() or any(char in "89" for char in text):
            raise Trouble(f"--chmod={text} is no octal mode")
        return int(text, 8)


def match(root: str, pattern: str) -> list[str]:
    """The paths inside ``root`` that a pattern means; a path without magic is itself, when it is there."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    found = ["/"]
    for part in parts:
        following = []
        for folder in found:
            if not any(char in part for char in "*?["):
                if os.path.lexists(resolve(root, posixpath.join(folder, part), last=False)):
                    following.append(posixpath.join(folder, part))
                continue
            real = resolve(root, folder)
            if os.path.isdir(real):
                following += [posixpath.join(folder, name) for name in sorted(fnmatch.filter(os.listdir(real), part))]
        found = following
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
