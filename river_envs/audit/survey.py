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
_FURTHER_LIMIT: Final = 2000

_ROOTS = ("/app", "/data", "/home", "/mnt", "/root", "/srv", "/tmp", "/work", "/workspace")
_FURTHER = ("/opt", "/usr/local/bin", "/usr/local/share", "/var/backups", "/var/tmp")
_WHOLE = frozenset(
    {
        "",
        "/",
        "/bin",
        "/boot",
        "/dev",
        "/lib",
        "/lib64",
        "/proc",
        "/run",
        "/sbin",
        "/sys",
        "/usr",
        "/usr/bin",
        "/usr/lib",
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
    built = (posixpath.dirname(path.rstrip("/")) for path in instruction.paths(environment.image.text))
    further = [
        root for root in _outermost({*_FURTHER, *built}) if not any(_below(root, other) for other in roots)
    ]
    found = {entry.path: entry for entry in sandbox.list(roots)}
    found.update({entry.path: entry for entry in sandbox.list(further, limit=_FURTHER_LIMIT)})
    listing = tuple(found[path] for path in sorted(found))
    return Survey(listing, workdir, peeks=_peeks(sandbox, listing, {path.rstrip("/") for path in named}))


def _outermost(paths: Iterable[str]) -> list[str]:
    wanted = sorted(path for path in set(paths) if path not in _WHOLE and path != "/etc" and path.startswith("/"))
    return [path for path in wanted if not any(_below(path, other) for other in wanted if other != path)]


def _below(path: str, other: str) -> bool:
    return path == other or path.startswith(other + "/")


def _peeks(sandbox: Sandbox, listing: Iterable[Listing], named: set[str]) -> tuple[Peek, ...]:
    """What the most telling small text files hold, in path order."""
    left, peeks = TOTAL, []
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
