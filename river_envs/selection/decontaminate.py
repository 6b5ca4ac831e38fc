"""Which environments share text with a benchmark: training on them would spoil what is later reported on it.

The usual criterion is a common run of 13 words (Brown et al. 2020, appendix C). Every such run leaves a common
fingerprint in both texts (``signatures/words.py``), and fingerprints were stored at ingest, so only the few texts that
share one are read, and only a run that is really there counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from river_envs.environment import RiverError
from river_envs.signatures.words import SHARED_WORDS, hashed, runs, winnowed, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from river_envs.catalog import Catalog

_PORTION = 1000


@dataclass(frozen=True)
class Overlap:
    """A benchmark's task, and the first 13 words in a row that an environment's instruction shares with its own."""

    task: str
    words: str


def contaminated(catalog: Catalog, paths: Sequence[str | Path], ids: Sequence[str]) -> dict[str, Overlap]:
    """Those of ``ids`` whose instruction shares 13 words in a row with a task of a benchmark, by id.

    Args:
        catalog: holds the environments, with signatures.
        paths: benchmarks: catalog files, or whatever ``ingest`` reads.
        ids: environments to look at.

    Raises:
        RiverError: a path does not exist or holds no environment, or a signature is missing.
    """
    benchmark = _Benchmark([task for path in paths for task in _tasks(Path(path))])
    suspects = catalog.sharing_grams(benchmark.grams(), ids)
    found: dict[str, Overlap] = {}
    for start in range(0, len(suspects), _PORTION):
        for name, instruction in catalog.instructions(suspects[start:start + _PORTION]).items():
            overlap = benchmark.overlap(words(instruction))
            if overlap is not None:
                found[name] = overlap
    return found


class _Benchmark:
    """The words of its tasks, one after the other, and where each run of 13 stands."""

    def __init__(self, tasks: Sequence[tuple[str, str]]) -> None:
        import numpy as np

        self._names = [name for name, _ in tasks]
        self._words = [words(instruction) for _, instruction in tasks]
        self._hashes = [hashed(found) for found in self._words]
        all_runs = [runs(found, SHARED_WORDS) for found in self._hashes]
        values = np.concatenate([np.empty(0, np.uint64), *all_runs])
        self._order = np.argsort(values, kind="stable")  # of equal runs, the first task's comes first
        self._runs = values[self._order]
        self._ends = np.cumsum([len(found) for found in all_runs], dtype=np.int64)

    def grams(self) -> NDArray[np.uint64]:
        """All fingerprints, each once."""
        import numpy as np

        return np.unique(np.concatenate([np.empty(0, np.uint64), *map(winnowed, self._hashes)]))

    def overlap(self, text: Sequence[str]) -> Overlap | None:
        """The first run of ``text`` that a task holds too, word for word."""
        import numpy as np

        found = runs(hashed(text), SHARED_WORDS)
        for place in np.flatnonzero(np.isin(found, self._runs)).tolist():
            run = list(text[place:place + SHARED_WORDS])
            position = int(self._order[np.searchsorted(self._runs, found[place])])
            task = int(np.searchsorted(self._ends, position, side="right"))
            begin = position - (int(self._ends[task - 1]) if task else 0)
            if self._words[task][begin:begin + SHARED_WORDS] == run:  # a hash is no proof
                return Overlap(self._names[task], " ".join(run))
        return None


def _tasks(path: Path) -> Iterator[tuple[str, str]]:
    """(name, instruction) of every environment at ``path``."""
    number = 0
    for number, task in enumerate(_catalogued(path) if _is_catalog(path) else _published(path), start=1):  # noqa: B007
        yield task
    if not number:
        raise RiverError(f"{path} holds no environment to decontaminate against; name a catalog or a corpus of tasks")


def _is_catalog(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(12)[8:] == b"DUCK"
    except OSError as error:
        raise RiverError(f"{path} cannot be read: {error.strerror}; check its permissions") from error


def _catalogued(path: Path) -> Iterator[tuple[str, str]]:
    from river_envs.catalog import open_catalog

    frame = open_catalog(path).sql("SELECT name, instruction FROM environment ORDER BY id")
    yield from zip(frame["name"], frame["instruction"], strict=True)


def _published(path: Path) -> Iterator[tuple[str, str]]:
    from river_envs.formats.base import Rejected
    from river_envs.formats.detect import read_all

    for item in read_all([path]):
        if not isinstance(item, Rejected):
            yield item.environment.name, item.environment.instruction
