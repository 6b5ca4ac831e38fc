"""Signatures for catalogs that were filled before there were any, or by an older release: computed once, in batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from river_envs.signatures.signature import signature

if TYPE_CHECKING:
    from river_envs.catalog import Catalog

BATCH = 256


def ensure_signatures(catalog: Catalog, progress: Callable[[int, int], object] = lambda done, total: None) -> int:
    """Compute the signatures that are missing or outdated; returns how many. Each batch is kept when it is done."""
    missing = catalog.unsigned()
    for start in range(0, len(missing), BATCH):
        found = [signature(environment) for environment in catalog.load(missing[start : start + BATCH])]
        with catalog.writer() as writer:
            writer.add_signatures(found)
        progress(start + len(found), len(missing))
    return len(missing)
