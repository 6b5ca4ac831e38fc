"""Read ``allenai/TMax-15K``: a parquet table of texts, and ``tasks.zip`` with the corpus directories and their
fixtures.

Each row becomes a corpus directory in memory, over which the directory of the archive is laid; the ordinary TMax
reader reads the result. Without the archive a row whose recipe copies fixtures cannot be built: it is kept, marked
unsupported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from river_envs.environment import Environment
from river_envs.formats import tmax
from river_envs.formats.archives import Archive, Tasks
from river_envs.formats.base import Bounds, RejectedInput, Source, location, rejected_source
from river_envs.formats.tables import RowNames, Table, text_of
from river_envs.formats.tree import Entry, MemoryTree, Tree

FORMAT = "tmax-parquet"
ARCHIVE = "tasks.zip"
COLUMNS = {"task_id", "description", "test_final_state", "container_def"}

_SETTINGS = (
    "domain", "skill_type", "primitive_skills", "task_complexity", "command_complexity", "scenario", "language",
    "truth", "verifier_kind", "fixture_kind", "corpus_kind", "base_image",
)


def sources(tables: Sequence[Table], archive: Archive | None, bounds: Bounds, rest: bool) -> Iterator[Source]:
    """The rows of ``tables``; then, when ``rest``, the tasks of the archive that no row names."""
    tasks = Tasks(archive, _recognise) if archive else None
    roots = {root.rpartition("/")[2]: root for root in tasks.roots} if tasks else {}
    claimed = set()
    for table in tables:
        names = RowNames()
        try:
            ids = table.column("task_id")
        except RejectedInput as problem:
            yield rejected_source(location(table.path), FORMAT, str(problem))
            continue
        for number, task_id in enumerate(ids):
            root = roots.get(task_id) if isinstance(task_id, str) else None
            claimed.add(root)
            over = tasks.tree(root, table.label) if tasks and root is not None else None
            yield _row_source(table, number, names.name(task_id, number), over, bounds)
    if tasks and rest:
        for root in tasks.roots:
            if root not in claimed:
                tree = tasks.tree(root, tables[0].label)
                where = f"{location(tasks.archive.path)}!{location(root)}"
                yield Source(where, tmax.FORMAT, tree.signature, lambda tree=tree: tmax.read(tree))  # type: ignore[misc]


def _recognise(names: Set[str]) -> str | None:
    return tmax.FORMAT if tmax.is_task(names) or tmax.is_fragment(names) else None


def _row_source(table: Table, number: int, name: str, over: Tree | None, bounds: Bounds) -> Source:
    def signature() -> str:
        return f"{table.stamp}:{number}:{bounds.key()}:{over.signature() if over else ''}"

    def read() -> Environment:
        row = table.row(number)
        tree = _RowTree(name, table.label, bounds, _contents(row, name), over)
        environment = replace(tmax.read(tree), format=FORMAT)
        missing = [] if over else tmax.missing_sources(tree, environment.image.text)
        if missing:
            reason = f"{len(missing)} fixtures are missing ({missing[0][:80]}): put {ARCHIVE} next to the parquet file"
            environment = replace(environment, unsupported=(*environment.unsupported, reason))
        return environment

    return Source(f"{location(table.path)}#{name}", FORMAT, signature, read)


def _contents(row: dict[str, object], name: str) -> dict[str, bytes]:
    settings = {key: row[key] for key in _SETTINGS if row.get(key) is not None}
    settings |= {"name": name, "description": text_of(row, "description")}
    return {
        "task.json": json.dumps(settings, default=str).encode(),
        tmax.RECIPE: text_of(row, "container_def").encode("utf-8", "surrogatepass"),
        tmax.ENTRY: text_of(row, "test_final_state").encode("utf-8", "surrogatepass"),
    }


class _RowTree(MemoryTree):
    """A row as a corpus directory, with the directory of the archive (where there is one) laid over it."""

    def __init__(
        self, name: str, corpus: str, bounds: Bounds, contents: Mapping[str, bytes], over: Tree | None
    ) -> None:
        super().__init__(name, corpus, bounds, contents)
        self._over = over
        self._joined: Mapping[str, Entry] = {**self._entries, **over.entries} if over else self._entries

    @property
    def entries(self) -> Mapping[str, Entry]:
        """Both listings; the archive's wins."""
        return self._joined

    def content(self, path: str, limit: int) -> bytes:
        """The bytes from wherever the name comes from."""
        if self._over and self._over.has(path):
            return self._over.content(path, limit)
        return super().content(path, limit)
