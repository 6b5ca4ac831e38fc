"""The score stage: read attempts from the catalog, conclude, write findings, verdicts and scores. It needs no
sandbox.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from river_envs.scoring.judge import judge

if TYPE_CHECKING:
    from river_envs.catalog import Catalog

CHUNK = 256


def score_catalog(catalog: Catalog, only: str | None = None) -> Counter[str]:
    """Judge every environment anew (pure, so nothing changes where nothing was added); returns the count per
    verdict.
    """
    catalog.absorb_spool()
    ids = catalog.ids(only)
    counts: Counter[str] = Counter()
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        results, plans, images = catalog.results(chunk), catalog.plans(chunk), catalog.images(chunk)
        judged = {}
        for environment in catalog.load(chunk):
            bases = [base for image in images.get(environment.id, ()) for base in image.bases]
            judged[environment.id] = judge(
                environment, results.get(environment.id, ()), plans.get(environment.id, ()), bases
            )
        counts.update(record.verdict for record in judged.values())
        with catalog.writer() as writer:
            writer.replace_judgements(judged)
    return counts
