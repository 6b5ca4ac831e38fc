"""Bring environments into a catalog: read what is new or changed, write in short transactions, account for every input.

An input whose signature (names, sizes, modification times) is the one that the catalog remembers is not read again; its
former result stands. So ingesting a corpus twice writes nothing the second time, and an interrupted ingest continues.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from river_envs.environment import Environment
from river_envs.formats.base import MIB, Bounds, Item, Rejected, RejectedInput, Source, Unsupported, read_source
from river_envs.formats.detect import discover

if TYPE_CHECKING:
    from river_envs.catalog import Catalog
    from river_envs.catalog.records import IngestResult, Known

BATCH_ENVIRONMENTS = 512
BATCH_BYTES = 48 * MIB
"""A transaction is one batch: large enough for bulk inserts, small enough for memory and for readers that wait."""

Progress = Callable[["InputResult"], None]


@dataclass(frozen=True)
class InputResult:
    """What became of one input."""

    where: str
    result: IngestResult
    environment_id: str | None = None
    name: str = ""
    reason: str = ""


@dataclass(frozen=True)
class IngestReport:
    """What became of all inputs, in the order in which they were found."""

    items: tuple[InputResult, ...]
    seconds: float
    run_id: str | None = None
    counts: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", Counter(item.result for item in self.items))

    @property
    def ingested(self) -> int:
        """Environments that are new in the catalog and can be audited."""
        return self.counts["ingested"]

    @property
    def unchanged(self) -> int:
        """Inputs that the catalog had already."""
        return self.counts["unchanged"]

    @property
    def duplicate(self) -> int:
        """Inputs with the content of another input."""
        return self.counts["duplicate"]

    @property
    def unsupported(self) -> int:
        """Environments that are kept but cannot be run yet."""
        return self.counts["unsupported"]

    @property
    def rejected(self) -> int:
        """Inputs from which no environment could be read."""
        return self.counts["rejected"]

    @property
    def found(self) -> int:
        """Inputs that are environments."""
        return len(self.items) - self.rejected


def ingest(
    catalog: Catalog,
    paths: Sequence[str | os.PathLike[str]],
    format: str = "auto",
    progress: Progress | None = None,
    bounds: Bounds | None = None,
) -> IngestReport:
    """Read every environment below ``paths`` into ``catalog``; ``progress`` is called once for each input.

    Raises :class:`RiverError` when a path does not exist; a bad input never raises, it is reported as rejected.
    """
    started = time.monotonic()
    run_id = f"ingest-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.urandom(3).hex()}"
    batch = _Batch(catalog, run_id)
    known = catalog.known_sources()
    results: list[InputResult | None] = []
    for source in discover(paths, format, bounds):
        signature = _signature(source)
        before = known.get(source.where)
        if before is not None and signature and before.signature == signature:
            results.append(_remembered(source.where, before))
        else:
            batch.add(read_source(source), signature, len(results))
            results.append(None)
        if batch.is_full():
            _settle(results, batch.write(), progress)
        elif results[-1] is not None and progress:
            progress(results[-1])
    _settle(results, batch.write(), progress)
    items = tuple(result for result in results if result is not None)
    return IngestReport(items, time.monotonic() - started, run_id if batch.wrote else None)


def preview(
    paths: Sequence[str | os.PathLike[str]],
    format: str = "auto",
    progress: Progress | None = None,
    bounds: Bounds | None = None,
) -> IngestReport:
    """What :func:`ingest` into an empty catalog would report; nothing is written."""
    started = time.monotonic()
    seen: set[str] = set()
    items = []
    for source in discover(paths, format, bounds):
        item = read_source(source)
        result = _result(item, "duplicate" if not isinstance(item, Rejected) and item.environment.id in seen else None)
        if result.environment_id:
            seen.add(result.environment_id)
        items.append(result)
        if progress:
            progress(result)
    return IngestReport(tuple(items), time.monotonic() - started)


class _Batch:
    """What was read and is not written yet; positions tell where the results belong."""

    def __init__(self, catalog: Catalog, run_id: str) -> None:
        self._catalog = catalog
        self._run_id = run_id
        self._items: list[tuple[Item, str, int]] = []
        self._bytes = 0
        self.wrote = False

    def add(self, item: Item, signature: str, position: int) -> None:
        self._items.append((item, signature, position))
        self._bytes += 0 if isinstance(item, Rejected) else _weight(item.environment)

    def is_full(self) -> bool:
        return len(self._items) >= BATCH_ENVIRONMENTS or self._bytes >= BATCH_BYTES

    def write(self) -> Iterator[tuple[int, InputResult]]:
        """Write the batch in one transaction; yields the results by position."""
        from river_envs.catalog.records import InputRow

        items, self._items, self._bytes = self._items, [], 0
        if not items:
            return
        read = [(item, signature) for item, signature, _ in items if not isinstance(item, Rejected)]
        with self._catalog.writer() as writer:
            words = iter(
                writer.add_environments(
                    [item.environment for item, _ in read],
                    [item.where for item, _ in read],
                    [signature for _, signature in read],
                )
                if read
                else ()
            )
            results = [_result(item, None if isinstance(item, Rejected) else next(words)) for item, _, _ in items]
            writer.add_inputs(
                self._run_id,
                [
                    InputRow(result.where, signature, result.result, result.environment_id, result.reason)
                    for result, (_, signature, _) in zip(results, items, strict=True)
                ],
            )
        self.wrote = True
        yield from zip((position for _, _, position in items), results, strict=True)


def _settle(
    results: list[InputResult | None], written: Iterator[tuple[int, InputResult]], progress: Progress | None
) -> None:
    for position, result in written:
        results[position] = result
        if progress:
            progress(result)


def _result(item: Item, word: IngestResult | None) -> InputResult:
    if isinstance(item, Rejected):
        return InputResult(item.where, "rejected", reason=item.reason)
    environment = item.environment
    reason = item.reason if isinstance(item, Unsupported) else ""
    if word == "duplicate":
        reason = f"has the same content as environment {environment.id}"
    word = word or ("unsupported" if reason else "ingested")
    return InputResult(item.where, word, environment.id, environment.name, reason)


def _remembered(where: str, known: Known) -> InputResult:
    """The former result; what was new then is unchanged now."""
    word: IngestResult = "unchanged" if known.result == "ingested" else known.result
    return InputResult(where, word, known.environment_id, reason=known.reason)


def _signature(source: Source) -> str:
    """The signature, or nothing (which matches nothing) where the input cannot even be listed; reading it will say
    why.
    """
    try:
        return source.signature()
    except (OSError, RejectedInput):
        return ""


def _weight(environment: Environment) -> int:
    solution = environment.reference.files if environment.reference else ()
    files = (*environment.image.context, *environment.verifier.files, *solution)
    return sum(len(file.content) for file in files) + len(environment.instruction)
