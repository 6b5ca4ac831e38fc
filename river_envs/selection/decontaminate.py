"""Which environments share a passage with a benchmark that results will be reported on.

A shared run of 13 words (GPT-3's rule, arXiv 2005.14165, appendix C) is always found through the fingerprints made at
ingest; the texts of those that share one are read, and only a real run counts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from river_envs.environment import RiverError
from river_envs.signatures.signature import LONGEST, words
from river_envs.signatures.winnow import fingerprints, shared_run

if TYPE_CHECKING:
    from river_envs.catalog import Catalog


@dataclass(frozen=True)
class Overlap:
    """The benchmark task that shares a passage, and the first 13 words of it."""

    task: str
    passage: str

    def __str__(self) -> str:
        return f"shares 13 words with {self.task}: {self.passage[:120]!r}"


def contaminated(catalog: Catalog, paths: Sequence[Path], ids: Iterable[str]) -> dict[str, Overlap]:
    """The overlaps of the environments ``ids`` with the benchmarks at ``paths``.

    Args:
        catalog: holds the environments.
        paths: catalogs, or anything that ``river-envs ingest`` reads.
        ids: the environments to look at; the same task in a benchmark counts as an overlap too.

    Raises:
        RiverError: a path that is not there or holds no environment.
    """
    benchmark = [task for path in paths for task in _tasks(path)]
    holders: dict[int, list[int]] = {}
    for at, (_, text) in enumerate(benchmark):
        for gram in fingerprints(text):
            holders.setdefault(gram, []).append(at)
    wanted = set(ids)
    suspects = {id: grams for id, grams in catalog.sharing(list(holders)).items() if id in wanted}
    found = {}
    for environment in catalog.iterate(suspects):
        own = words(environment.instruction[:LONGEST])
        for at in sorted({at for gram in suspects[environment.id] for at in holders[gram]}):
            passage = shared_run(own, benchmark[at][1])
            if passage is not None:
                found[environment.id] = Overlap(benchmark[at][0], passage)
                break
    return found


def _tasks(path: Path) -> list[tuple[str, list[str]]]:
    """Name and words of each task of a benchmark."""
    from river_envs.catalog import open_catalog
    from river_envs.formats.ingest import ingest

    if not path.exists():
        raise RiverError(f"--decontaminate {path}: there is no such file or directory.")
    if path.is_file() and path.suffix == ".duckdb":
        return _of(open_catalog(path))
    with tempfile.TemporaryDirectory(prefix="river-benchmark-") as folder:
        held = open_catalog(Path(folder) / "benchmark.duckdb", create=True)
        ingest(held, [path])
        found = _of(held)
    if not found:
        raise RiverError(f"--decontaminate {path} holds no task of a known format; see river-envs ingest {path}.")
    return found


def _of(catalog: Catalog) -> list[tuple[str, list[str]]]:
    return [(one.name, words(one.instruction[:LONGEST])) for one in catalog.iterate(catalog.ids())]
