"""The score stage: read attempts from the catalog, conclude, write findings, verdicts and scores. It needs no
sandbox.

Two passes: the first reads the attempts and judges each environment by itself, the second computes the numbers of all
of them from what was counted (small, and kept), because some of it is about the whole catalog (``context.py``).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from river_envs.scoring.basis import basis
from river_envs.scoring.context import Context, context
from river_envs.scoring.evidence import Evidence
from river_envs.scoring.judge import judge
from river_envs.scoring.model import Model, model_of
from river_envs.scoring.score import score

if TYPE_CHECKING:
    from river_envs.catalog import Catalog, ScoreRecord

CHUNK = 256


def score_catalog(catalog: Catalog, only: str | None = None) -> Counter[str]:
    """Judge every environment anew (pure, so nothing changes where nothing was added); returns the count per
    verdict. With ``only``, judge those; the numbers are always those of the whole catalog.
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
    if ids:
        rescore(catalog)
    return counts


def rescore(catalog: Catalog) -> int:
    """Compute the numbers of every judged environment from what was counted; returns how many there are."""
    evidences, model = catalog.evidence(), model_of(catalog)
    seen = context(evidences.values())
    scores = {name: numbers(evidence, seen, model) for name, evidence in evidences.items()}
    with catalog.writer() as writer:
        writer.replace_scores(scores)
    return len(scores)


def numbers(evidence: Evidence, seen: Context, model: Model | None) -> ScoreRecord:
    """The score of one environment with what it rests on, and how likely it is sound where there is a model."""
    from river_envs.catalog import Estimate

    sound = model.p_sound(evidence) if model else Estimate()
    said = basis(evidence, seen) | ({"p_sound": model.said} if model else {})
    return replace(score(evidence, seen), p_sound=sound, basis=said)
