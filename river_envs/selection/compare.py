"""The same number of environments chosen in other ways: what gates, ranking, dedupe and quotas are worth.

Random choices are means over many draws. Nothing here sees labels but the column ``truly sound``, which the caller
fills from a file of labels to compare with.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from river_envs.selection.choose import Decision
from river_envs.selection.gates import Candidate
from river_envs.selection.quotas import allot
from river_envs.selection.request import Request
from river_envs.selection.serving import cell_of

if TYPE_CHECKING:
    from river_envs.signatures.base import Signatures

DRAWS = 50
STRATA = ("domain", "verifier_kind")
"""What the stratified draw is stratified by where no quotas are asked for."""


@dataclass(frozen=True)
class Choice:
    """One way to choose. Shares are from 0 to 1; ``None`` where nothing tells.

    ``truly_sound``: of the labelled ones; ``distance``: total variation between its domains and the corpus';
    ``duplicates``: how many are near-duplicates of another one in it; ``mean_worth``: mean P(sound) or quality.
    """

    name: str
    environments: int
    truly_sound: float | None
    distance: float
    duplicates: float
    mean_worth: float | None


def compare(
    decisions: Sequence[Decision],
    request: Request,
    signatures: Signatures | None = None,
    truth: Mapping[str, bool] | None = None,
) -> tuple[Choice, ...]:
    """Random, stratified, quality-only, and as asked, each as many as were kept."""
    everyone = sorted((one.candidate for one in decisions), key=lambda one: one.id)
    kept = [one.candidate for one in decisions if one.kept]
    ranked = [one.candidate for one in sorted(decisions, key=lambda one: one.rank or len(decisions)) if one.rank]
    number = len(kept)
    chance = random.Random(request.seed)
    strata = Request(quota=request.quota or STRATA)

    def drawn() -> list[Candidate]:
        return chance.sample(everyone, number)

    cells: dict[tuple[str, ...], list[Candidate]] = {}
    for one in everyone:
        cells.setdefault(cell_of(one, strata), []).append(one)
    sizes = {cell: len(own) for cell, own in cells.items()}

    def stratified() -> list[Candidate]:
        places = allot(number, sizes, sizes)
        return [one for cell in sorted(cells) for one in chance.sample(cells[cell], places[cell])]

    measure = _measure(everyone, signatures, truth or {})
    return (
        _mean("random", [measure("", drawn()) for _ in range(DRAWS)]),
        _mean("stratified random", [measure("", stratified()) for _ in range(DRAWS)]),
        measure("quality only", ranked[:number]),
        measure("as asked", kept),
    )


def _measure(
    everyone: Sequence[Candidate], signatures: Signatures | None, truth: Mapping[str, bool]
) -> Callable[[str, Sequence[Candidate]], Choice]:
    whole = Counter(one.domain or "not stated" for one in everyone)
    row = {id: at for at, id in enumerate(signatures.ids)} if signatures is not None else {}

    def measure(name: str, chosen: Sequence[Candidate]) -> Choice:
        told = [truth[one.id] for one in chosen if one.id in truth]
        own = Counter(one.domain or "not stated" for one in chosen)
        size = max(len(chosen), 1)
        distance = sum(abs(own[domain] / size - count / len(everyone)) for domain, count in whole.items()) / 2
        worths = [one.worth for one in chosen if one.worth is not None]
        alike = 0
        if signatures is not None:
            from river_envs.selection.dedupe import duplicates

            alike = len(duplicates([row[one.id] for one in chosen], signatures))
        return Choice(
            name, len(chosen), sum(told) / len(told) if told else None, distance, float(alike),
            sum(worths) / len(worths) if worths else None,
        )

    return measure


def _mean(name: str, choices: Sequence[Choice]) -> Choice:
    def mean(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else None

    return Choice(
        name,
        choices[0].environments,
        mean([one.truly_sound for one in choices]),
        mean([one.distance for one in choices]) or 0.0,
        mean([one.duplicates for one in choices]) or 0.0,
        mean([one.mean_worth for one in choices]),
    )
