"""Published corpora that are files: parquet tables with the archive that belongs to them, and plain archives of tasks.

Files are collected while directories are walked and read at the end, because a table and its archive may lie in
different folders (``data/train-*.parquet`` next to ``tasks.zip``), and an archive that a table claims is not read
twice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from river_envs.formats import open_instruct, tmax_parquet
from river_envs.formats.archives import Archive, Tasks, open_archive, rejected_members
from river_envs.formats.base import Bounds, RejectedInput, Source, location, rejected_source
from river_envs.formats.tables import Table

TABLE_FORMATS = (tmax_parquet, open_instruct)


@dataclass
class _Group:
    """The tables of one format that share one archive (or have none)."""

    format: str
    archive: str | None
    tables: list[tuple[str, str]] = field(default_factory=list)


class Corpora:
    """The files found so far; :meth:`sources` turns them into sources once all are known."""

    def __init__(self, format: str, bounds: Bounds) -> None:
        self._format = format
        self._bounds = bounds
        self._files: dict[str, str] = {}

    def add(self, path: str, label: str) -> None:
        """Remember a parquet file or an archive, and the corpus it was found in."""
        self._files.setdefault(path, location(label))

    def sources(self) -> Iterator[Source]:
        """Every task in the files."""
        groups: dict[tuple[str, str | None], _Group] = {}
        for path, label in sorted(self._files.items()):
            if not path.endswith(".parquet"):
                continue
            try:
                module = self._module(path)
            except (RejectedInput, OSError) as problem:
                yield rejected_source(location(path), "parquet", _reason(problem))
                continue
            archive = self._beside(path, module.ARCHIVE)
            group = groups.setdefault((module.FORMAT, archive), _Group(module.FORMAT, archive))
            group.tables.append((path, label))
        for group in groups.values():
            yield from self._group(group)
        claimed = {group.archive for group in groups.values()}
        for path, label in sorted(self._files.items()):
            if not path.endswith(".parquet") and path not in claimed:
                yield from self._plain(path, label)

    def _module(self, path: str):  # type: ignore[no-untyped-def] # noqa: ANN202 - a module
        with Table(path) as table:
            columns = table.columns
        for module in TABLE_FORMATS:
            if columns >= module.COLUMNS and self._format in ("auto", module.FORMAT):
                return module
        shown = ", ".join(sorted(columns)[:12])
        raise RejectedInput(f"is a parquet file of no known corpus (its columns: {shown})")

    def _beside(self, path: str, name: str) -> str | None:
        folder = os.path.dirname(path)  # noqa: PTH120 - paths here are str, names may not be UTF-8
        for place in (folder, os.path.dirname(folder)):  # noqa: PTH120
            candidate = os.path.join(place, name)  # noqa: PTH118
            if candidate in self._files or os.path.isfile(candidate):  # noqa: PTH113
                return candidate
        return None

    def _group(self, group: _Group) -> Iterator[Source]:
        module = next(module for module in TABLE_FORMATS if group.format == module.FORMAT)
        archive = None
        if group.archive is not None:
            try:
                archive = open_archive(group.archive, self._bounds)
            except (RejectedInput, OSError) as problem:
                yield rejected_source(location(group.archive), group.format, _reason(problem))
            else:
                yield from _refused(archive)
        tables = [Table(path, label) for path, label in group.tables]
        try:
            yield from module.sources(tables, archive, self._bounds, rest=group.archive in self._files)
        finally:
            for table in tables:
                table.close()

    def _plain(self, path: str, label: str) -> Iterator[Source]:
        from river_envs.formats.detect import recognise

        try:
            archive = open_archive(path, self._bounds)
        except (RejectedInput, OSError) as problem:
            yield rejected_source(location(path), "archive", _reason(problem))
            return
        yield from _refused(archive)
        tasks = Tasks(archive, lambda names: recognise(names, self._format))
        if not tasks.roots and not archive.problems:
            yield rejected_source(location(path), "archive", "holds no environment of a known format")
        for root in tasks.roots:
            yield archive_source(tasks, root, label)


def archive_source(tasks: Tasks, root: str, label: str) -> Source:  # type: ignore[type-arg]
    """The source for the task at ``root`` of an archive."""
    tree = tasks.tree(root, label)
    found = tasks.readers[root]
    where = f"{location(tasks.archive.path)}!{location(root)}"
    return Source(where, found.format, tree.signature, lambda: found.read(tree))


def _reason(problem: Exception) -> str:
    return f"cannot be read: {problem.strerror}" if isinstance(problem, OSError) else str(problem)


def _refused(archive: Archive) -> Iterator[Source]:
    for where, reason in rejected_members(archive):
        yield rejected_source(location(where), "archive", reason)
