"""From label files and a catalog to the rows that calibration is fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from river_envs.environment import RiverError
from river_envs.scoring.agreement import Agreement, Combination, agreement, combined
from river_envs.scoring.calibrate import Row
from river_envs.scoring.labels import Labels, families, read_labels

if TYPE_CHECKING:
    from river_envs.catalog import Catalog


@dataclass(frozen=True)
class Labelled:
    """``rows`` in the order of environment ids. ``unjudged`` labelled environments have no verdict of this release;
    ``agreement`` is None for a single source."""

    rows: tuple[Row, ...]
    sources: tuple[Labels, ...]
    agreement: Agreement | None
    unjudged: int


def labelled(catalog: Catalog, paths: Sequence[Path], how: Combination = "worst") -> Labelled:
    """Read every label file, combine them (``agreement.py``) and join them to what was counted.

    Raises RiverError where a file cannot be used, or no labelled environment was judged.
    """
    sources = [read_labels(path, catalog) for path in paths]
    ids = sorted(set().union(*(source.sound for source in sources)))
    votes = {name: [source.sound.get(name) for source in sources] for name in ids}
    evidences = catalog.evidence(ids)
    if not evidences:
        raise RiverError(f"no labelled environment of {catalog.path} was judged: run river-envs audit or score first")
    sound, family = combined(votes, how), families(sources, catalog, ids)
    rows = tuple(Row(evidence, sound[name], family[name]) for name, evidence in sorted(evidences.items()))
    told = agreement(votes) if len(sources) > 1 else None
    return Labelled(rows, tuple(sources), told, len(ids) - len(rows))
