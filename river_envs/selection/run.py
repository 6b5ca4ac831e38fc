"""Filter a catalog from end to end: candidates, decisions, the directory, the record.

The one module of this room with a clock and a disk; everything that decides is in ``gates.py`` and ``choose.py``.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from river_envs.environment import RiverError
from river_envs.selection.candidates import candidates, subset_record
from river_envs.selection.choose import Decision, choose, counts, why_nothing
from river_envs.selection.export import check_destination, export
from river_envs.selection.gates import Tier
from river_envs.selection.manifest import Header

if TYPE_CHECKING:
    from river_envs.catalog import Catalog


@dataclass(frozen=True)
class Filtered:
    """What a filter decided. ``output`` is ``None`` when nothing was written."""

    header: Header
    decisions: Sequence[Decision]
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
    def grounds(self) -> dict[str, int]:
        """How many environments were kept or dropped on which ground."""
        return counts(self.decisions)


def filter_catalog(
    catalog: Catalog,
    keep: float,
    output: Path | None,
    *,
    tier: Tier = "resisted",
    seed: int = 0,
    command: str = "river_envs.selection.run.filter_catalog",
    force: bool = False,
    progress: Callable[[int, int], object] = lambda written, total: None,
) -> Filtered:
    """Choose the best share of ``catalog``, write it to ``output``, and record it in the catalog.

    Args:
        catalog: an open catalog; environments without a verdict are dropped as not audited.
        keep: the share of all unique environments that the subset stays strictly under, in (0, 1].
        output: an empty or new directory; ``None`` decides and writes nothing, in the catalog neither.
        tier: ``sound`` keeps nothing else; ``resisted`` fills the places that sound ones leave.
        seed: decides between environments that rank equal.
        command: what to record as the command that made the subset.
        force: replace an earlier subset in ``output``.
        progress: called with the environments written so far, and all that will be.

    Raises:
        RiverError: nothing qualifies (the sentence says why), or ``output`` cannot be written; nothing was changed.
    """
    if output is not None:
        check_destination(output, force)
    decisions = choose(candidates(catalog), keep, tier, seed)
    total = sum(decision.kept for decision in decisions)
    if not total:
        raise RiverError(why_nothing(decisions, keep))
    header = _header(catalog, keep, tier, seed, command)
    if output is None:
        return Filtered(header, decisions, None)

    from river_envs.formats.writer import write_harbor

    folder = output.name

    def record() -> None:
        with catalog.writer() as writer:
            writer.add_subset(subset_record(header, decisions, folder))

    export(
        output, header, decisions, catalog.load, write_harbor, force=force, record=record,
        progress=lambda written: progress(written, total),
    )
    return Filtered(header, decisions, output)


def _header(catalog: Catalog, keep: float, tier: Tier, seed: int, command: str) -> Header:
    import duckdb

    from river_envs import __version__

    return Header(
        keep=keep,
        tier=tier,
        seed=seed,
        catalog=catalog.path.name,
        catalog_hash=catalog.content_hash(),
        command=command,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"river-envs": __version__, "python": platform.python_version(), "duckdb": duckdb.__version__},
    )
