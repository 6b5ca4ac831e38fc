"""Filter a catalog from end to end: candidates, decisions, the directory, the record.

The one module of this room with a clock and a disk; everything that decides is pure.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from river_envs.environment import RiverError
from river_envs.selection.candidates import candidates, subset_record
from river_envs.selection.choose import Decision, choose, counts, why_nothing
from river_envs.selection.export import check_destination, export
from river_envs.selection.manifest import Header
from river_envs.selection.request import Request

if TYPE_CHECKING:
    from river_envs.catalog import Catalog
    from river_envs.signatures.base import Signatures


@dataclass(frozen=True)
class Filtered:
    """What a filter decided. ``output`` is ``None`` when nothing was written."""

    header: Header
    request: Request
    decisions: Sequence[Decision]
    signatures: Signatures
    output: Path | None

    @property
    def environments(self) -> int:
        """The unique environments of the catalog."""
        return len(self.decisions)

    @property
    def kept(self) -> int:
        """How many were kept."""
        return sum(decision.kept for decision in self.decisions)

    @property
    def keep_fraction(self) -> float:
        """The share that was kept: strictly under the share that was asked for."""
        return self.kept / self.environments

    @property
    def expected_sound(self) -> float | None:
        """The mean calibrated P(sound) of the kept ones; ``None`` where some have none."""
        chances = [decision.candidate.p_sound for decision in self.decisions if decision.kept]
        known = [chance for chance in chances if chance is not None]
        return sum(known) / len(known) if known and len(known) == len(chances) else None

    @property
    def grounds(self) -> dict[str, int]:
        """How many environments were kept or dropped on which ground."""
        return counts(self.decisions)


def decide(
    catalog: Catalog,
    request: Request,
    *,
    decontaminate: Sequence[Path] = (),
    command: str = "river_envs.selection.run.decide",
    progress: Callable[[str, int, int], object] = lambda stage, done, total: None,
) -> Filtered:
    """Decide about every environment of ``catalog`` and write nothing but signatures that were missing.

    Args:
        catalog: an open catalog; environments without a verdict are dropped as not audited.
        request: what was asked for.
        decontaminate: benchmarks (catalogs, or what ``ingest`` reads) that no kept environment may share text with.
        command: what to record as the command that made the subset.
        progress: called with a stage, what is done of it, and all there is to do.

    Raises:
        RiverError: a benchmark that cannot be read, or a quota on what no environment has.
    """
    from river_envs.selection.decontaminate import contaminated
    from river_envs.signatures.ensure import ensure_signatures

    ensure_signatures(catalog, lambda done, total: progress("signatures", done, total))
    found = candidates(catalog)
    shared = contaminated(catalog, decontaminate, [one.id for one in found]) if decontaminate else {}
    signatures = catalog.signatures()
    said = {id: f"shares 13 words with {one.task}: {one.words!r}" for id, one in shared.items()}
    decisions = choose(found, request, signatures, said)
    return Filtered(_header(catalog, request, decontaminate, command), request, decisions, signatures, None)


def filter_catalog(
    catalog: Catalog,
    request: Request,
    output: Path | None,
    *,
    decontaminate: Sequence[Path] = (),
    command: str = "river_envs.selection.run.filter_catalog",
    force: bool = False,
    progress: Callable[[str, int, int], object] = lambda stage, done, total: None,
) -> Filtered:
    """Choose the best share of ``catalog``, write it to ``output``, and record it in the catalog.

    Args:
        catalog: as in :func:`decide`, like the next two and ``progress``.
        request: what was asked for.
        output: an empty or new directory; ``None`` decides and writes no subset, in the catalog neither.
        decontaminate: benchmarks to keep clear of.
        command: what to record as the command that made the subset.
        force: replace an earlier subset in ``output``.
        progress: told how far each stage is.

    Raises:
        RiverError: nothing qualifies (the sentence says why), or ``output`` cannot be written; nothing was changed.
    """
    if output is not None:
        check_destination(output, force)
    filtered = decide(catalog, request, decontaminate=decontaminate, command=command, progress=progress)
    if not filtered.kept:
        raise RiverError(why_nothing(filtered.decisions, request.keep))
    if output is None:
        return filtered

    from river_envs.formats.writer import write_harbor

    folder, total = output.name, filtered.kept

    def record() -> None:
        with catalog.writer() as writer:
            writer.add_subset(subset_record(filtered.header, filtered.decisions, folder))

    export(
        output, filtered.header, filtered.decisions, catalog.load, write_harbor, force=force, record=record,
        progress=lambda written: progress("environments", written, total),
    )
    return Filtered(filtered.header, request, filtered.decisions, filtered.signatures, output)


def _header(catalog: Catalog, request: Request, decontaminate: Sequence[Path], command: str) -> Header:
    import duckdb

    from river_envs import __version__

    options: dict[str, Any] = {
        name: value for name, value in asdict(request).items() if name not in {"keep", "tier", "seed"}
    }
    options["decontaminate"] = [path.name for path in decontaminate]
    return Header(
        keep=request.keep,
        tier=request.tier,
        seed=request.seed,
        catalog=catalog.path.name,
        catalog_hash=catalog.content_hash(),
        command=command,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"river-envs": __version__, "python": platform.python_version(), "duckdb": duckdb.__version__},
        options=options,
    )
