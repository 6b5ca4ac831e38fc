"""Find every input below the given paths, and say which reader takes it.

A directory is recognised by the names in it; below a recognised task nothing is looked for. Directories are visited
in the order of their names, so that the same corpus gives the same order everywhere, and no symbolic link is
followed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from river_envs.environment import Environment, RiverError
from river_envs.formats import harbor, terminal_bench, tmax
from river_envs.formats.archives import is_archive
from river_envs.formats.base import Bounds, Item, Source, location, read_source, rejected_source
from river_envs.formats.corpora import Corpora
from river_envs.formats.leftovers import leftover
from river_envs.formats.tree import DirectoryTree, Tree

DIRECTORY_FORMATS: tuple[ModuleType, ...] = (harbor, tmax, terminal_bench)
FORMATS = ("auto", harbor.FORMAT, tmax.FORMAT, terminal_bench.FORMAT, "tmax-parquet", "open-instruct")
MOST_DEPTH = 64
AnyPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Recognised:
    """What a directory is: its format and the reader of it."""

    format: str
    read: Callable[[Tree], Environment]


def recognise(names: Set[str], format: str = "auto") -> Recognised | None:
    """What a directory holding ``names`` is, complete tasks before fragments; None when it is just a folder."""
    modules = [module for module in DIRECTORY_FORMATS if format in ("auto", module.FORMAT)]
    for module in modules:
        if module.is_task(names):
            return Recognised(module.FORMAT, module.read)
    for module in modules:
        if module.is_fragment(names):
            return Recognised(module.FORMAT, module.read)
    return None


def discover(paths: Sequence[AnyPath], format: str = "auto", bounds: Bounds | None = None) -> Iterator[Source]:
    """Every input below ``paths``, unread; read each before asking for the next, as archives are streamed.

    Raises :class:`RiverError` when a path or the format does not exist.
    """
    if format not in FORMATS:
        raise RiverError(f"unknown format {format!r}: use one of {', '.join(FORMATS)}")
    for path in paths:
        if not os.path.lexists(path):
            raise RiverError(f"{location(path)} does not exist")
    return _discover(paths, format, bounds or Bounds())


def read_all(paths: Sequence[AnyPath], format: str = "auto", bounds: Bounds | None = None) -> Iterator[Item]:
    """Every environment below ``paths``: found, unsupported or rejected, each with where it is."""
    return (read_source(source) for source in discover(paths, format, bounds))


def _discover(paths: Iterable[AnyPath], format: str, bounds: Bounds) -> Iterator[Source]:
    corpora = Corpora(format, bounds)
    for given in paths:
        root = Path(given).resolve()
        if root.is_dir():
            yield from _walk(os.fspath(root), format, bounds, corpora)
        elif root.is_file():
            yield from _file(root, format, bounds, corpora)
        else:
            yield rejected_source(location(root), "unknown", "is neither a directory nor a regular file")
    yield from corpora.sources()


def _file(path: Path, format: str, bounds: Bounds, corpora: Corpora) -> Iterator[Source]:
    if path.name in ("task.toml", "task.json", "task.yaml"):
        yield from _walk(os.fspath(path.parent), format, bounds, corpora)
    elif path.suffix == ".parquet" or is_archive(path.name):
        corpora.add(os.fspath(path), path.parent.name)
    else:
        yield rejected_source(location(path), "unknown", "is no task directory, parquet file or archive of tasks")


def _walk(root: str, format: str, bounds: Bounds, corpora: Corpora) -> Iterator[Source]:
    ahead = [(root, 0)]
    while ahead:
        folder, depth = ahead.pop()
        try:
            with os.scandir(folder) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except OSError as problem:
            yield rejected_source(location(folder), "unknown", f"cannot be read: {problem.strerror}")
            continue
        if depth > MOST_DEPTH:
            yield rejected_source(location(folder), "unknown", f"is nested over {MOST_DEPTH} levels deep")
            continue
        found = recognise({item.name for item in items}, format)
        if found:
            label = os.path.basename(root if depth else os.path.dirname(root))  # noqa: PTH119, PTH120 - see DirectoryTree
            yield _directory_source(folder, label, found, bounds)
            continue
        reason = leftover(items, format)
        if reason:
            yield rejected_source(location(folder), "unknown", reason)
            continue
        below = []
        for item in items:
            if item.is_dir(follow_symlinks=False):
                below.append((item.path, depth + 1))
            elif item.is_symlink():
                yield from _link(item, root, format)
            elif item.is_file(follow_symlinks=False) and (item.name.endswith(".parquet") or is_archive(item.name)):
                corpora.add(item.path, os.path.basename(root))  # noqa: PTH119
        ahead += reversed(below)


def _directory_source(folder: str, label: str, found: Recognised, bounds: Bounds) -> Source:
    tree = DirectoryTree(folder, location(label), bounds)
    return Source(location(folder), found.format, tree.signature, lambda: found.read(tree))


def _link(item: os.DirEntry[str], root: str, format: str) -> Iterator[Source]:
    """A link to a task elsewhere is named; one to a task below the same root is reached under its own name."""
    target = os.path.realpath(item.path)
    if target.startswith(root + os.sep) or not os.path.isdir(target):  # noqa: PTH112
        return
    try:
        names = set(os.listdir(target))  # noqa: PTH208
    except OSError:
        names = set()  # what cannot be listed is not known to be a task
    if recognise(names, format):
        reason = "is a symbolic link to a task elsewhere: give the task itself"
        yield rejected_source(location(item.path), "unknown", reason)
