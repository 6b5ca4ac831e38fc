"""Look at a built image once, before any probe: which files stand where tasks live, and what the small ones hold.

Everything is bounded: a survey is kept in the catalog for every environment. What is read is chosen by what probes
need: files that the instruction names, then names that sound like answers, then whatever is small and near the top.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from typing import Final

from river_envs.environment import Environment
from river_envs.probes import instruction
from river_envs.probes.base import Peek, Survey
from river_envs.sandbox.base import Listing, Sandbox

WHOLE: Final = 8 << 10
"""Files up to so many bytes are read to their end."""
HEAD: Final = 1 << 10
"""So many bytes are read of larger files that the instruction names or whose names sound like answers."""
TOTAL: Final = 40 << 10
"""Bytes read from one image, together."""
FILES: Final = 60
"""Files read from one image."""
INSTALLED: Final = 400
"""A tree of more entries in the further places is an installed program, and no part of a task."""

MOST_TREES: Final = 40
"""Trees looked at where one of the further places holds many entries."""

_ROOTS = ("/app", "/data", "/home", "/mnt", "/root", "/srv", "/tmp", "/work", "/workspace")
_FURTHER = ("/usr/local/bin", "/var/backups", "/var/tmp")
_SPREAD = ("/opt", "/usr/local/share")
_WHOLE = frozenset(
    {
        "",
        "/",
        "/bin",
        "/boot",
        "/dev",
        "/etc",
        "/lib",
        "/lib64",
        "/proc",
        "/run",
        "/sbin",
        "/sys",
        "/usr",
        "/usr/bin",
        "/usr/lib",
        "/usr/local",
        "/opt",
        "/usr/local/share",
        "/var",
        "/var/lib",
    }
)
_FOREIGN = re.compile(r"/(\.git|node_modules|site-packages|dist-packages|__pycache__|\.venv|venv|\.cache/pip|\.npm)/")
_TELLING = re.compile(
    r"truth|expect|golden|oracle|solution|answer|reference|label|hidden|secret|correct|backup|\.bak|\.orig",
    re.IGNORECASE,
)
_BINARY = (".pyc", ".so", ".gz", ".tgz", ".zip", ".bz2", ".xz", ".png", ".jpg", ".pdf", ".db", ".sqlite", ".npy", ".o")


def survey(sandbox: Sandbox, environment: Environment) -> Survey:
    """List the task directories, the working directory, the parents of every path that the instruction or the recipe
    names, and the places where further programs and data are put; read some of the small files.
    """
    workdir = environment.workdir or sandbox.image.workdir
    named = instruction.paths(environment.instruction, workdir)
    roots = _outermost({*_ROOTS, workdir, *(posixpath.dirname(path.rstrip("/")) for path in named)})
    built = {posixpath.dirname(path.rstrip("/")) for path in instruction.paths(environment.image.text)}
    found = {entry.path: entry for entry in sandbox.list(roots)}
    for place in (*_SPREAD, *_outermost({*_FURTHER, *built})):
        if not any(_below(place, root) for root in roots):
            entries = _small_trees(sandbox, place)
            found.update({entry.path: entry for entry in entries if _of_the_task(entry.path, environment)})
    listing = tuple(found[path] for path in sorted(found))
    return Survey(listing, workdir, peeks=_peeks(sandbox, listing, {path.rstrip("/") for path in named}))


def _of_the_task(path: str, environment: Environment) -> bool:
    """Whether a path is more than what any machine has in /usr/local: named by the recipe, where there is one."""
    recipe, name = environment.image.text, posixpath.basename(path)
    return not path.startswith("/usr/local/") or not recipe or name in recipe or name in environment.instruction


def _small_trees(sandbox: Sandbox, place: str) -> tuple[Listing, ...]:
    """What lies below a place, installed programs left out."""
    entries = sandbox.list([place], limit=INSTALLED + 1)
    if len(entries) <= INSTALLED:
        return entries
    if place not in _SPREAD:
        return ()
    script = 'for path in "$1"/* "$1"/.[!.]*; do echo "$path"; done'
    told = sandbox.exec(["sh", "-c", script, "sh", place], timeout_sec=10)
    inside = [path for path in told.text.splitlines() if path.startswith(place + "/") and len(path) < 256]
    trees = (sandbox.list([path], limit=INSTALLED + 1) for path in inside[:MOST_TREES])
    return tuple(entry for tree in trees if len(tree) <= INSTALLED for entry in tree)


def _outermost(paths: Iterable[str]) -> list[str]:
    wanted = sorted(path for path in set(paths) if path not in _WHOLE and path.startswith("/"))
    return [path for path in wanted if not any(_below(path, other) for other in wanted if other != path)]


def _below(path: str, other: str) -> bool:
    return path == other or path.startswith(other + "/")


def _peeks(sandbox: Sandbox, listing: Iterable[Listing], named: set[str]) -> tuple[Peek, ...]:
    """What the most telling small text files hold, in path order."""
    left = TOTAL
    peeks: list[Peek] = []
    files = [entry for entry in listing if _readable(entry)]
    files.sort(key=lambda entry: (_rank(entry, named), entry.path.count("/"), entry.size, entry.path))
    for entry in files[: FILES * 2]:
        telling = _rank(entry, named) < 2
        limit = WHOLE if entry.size <= WHOLE else HEAD if telling else 0
        if not limit or min(entry.size, limit) > left or len(peeks) >= FILES:
            continue
        content = _text(sandbox, entry.path, limit)
        if content is not None:
            peeks.append(Peek(entry.path, content, entry.size <= limit))
            left -= min(entry.size, limit)
    return tuple(sorted(peeks, key=lambda peek: peek.path))


def _readable(entry: Listing) -> bool:
    return (
        entry.kind == "file"
        and entry.size > 0
        and not _FOREIGN.search(entry.path)
        and not entry.path.lower().endswith(_BINARY)
    )


def _rank(entry: Listing, named: set[str]) -> int:
    if entry.path in named:
        return 0
    return 1 if _TELLING.search(entry.path) else 2


def _text(sandbox: Sandbox, path: str, limit: int) -> str | None:
    """The beginning of a text file; None for what is no text or cannot be read."""
    try:
        content = sandbox.get(path, limit=limit)
    except OSError:
        return None  # removed meanwhile, or no regular file: then nothing is known of it
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        cut = len(content) == limit and error.start >= limit - 3
        return content[: error.start].decode() if cut else None
