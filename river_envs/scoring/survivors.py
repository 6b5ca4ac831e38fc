"""Surviving mutants as a score: the share that was rewarded, for each distance from the right state.

A survivor accuses nobody by itself, and a far one weighs more than a near one. Shares are Beta(½, ½): where few
mutants could be made the interval is wide, and a band without any is as wide as ignorance, so that a reference of one
line does not make a verifier look strong, and none at all looks no better than a rejected mutant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from river_envs.probes.base import Result
from river_envs.scoring.evidence import Survivors
from river_envs.scoring.intervals import Share, jeffreys, some

BANDS: tuple[tuple[str, float, float], ...] = (("near", 0.1, 0.05), ("middle", 0.5, 0.15), ("far", 1.0, 0.3))
"""Name, greatest distance, weight: how much of the chance to accept wrong work a survivor there stands for."""


def survivors(results: Iterable[Result]) -> tuple[Survivors, ...]:
    """The bands, nearest first. Only mutants that were graded and stayed as they were edited count."""
    counts = {name: [0, 0] for name, *_ in BANDS}
    for result in results:
        if result.attempt.arm == "probe" and result.graded and result.effective:
            distance = float(result.attempt.facts.get("distance", 1.0))
            band = next((name for name, greatest, _ in BANDS if distance <= greatest), "far")
            counts[band][0] += result.passed
            counts[band][1] += 1
    return tuple(Survivors(name, survived, tried) for name, (survived, tried) in counts.items())


def share(bands: Sequence[Survivors], name: str) -> Share:
    """The share of the mutants of one band that survives."""
    return next((jeffreys(band.survived, band.tried) for band in bands if band.band == name), jeffreys(0, 0))


def slack(bands: Sequence[Survivors]) -> Share:
    """The chance to accept wrong work that the survivors stand for: 1 − Π(1 − weight · share) over all bands."""
    return some(share(bands, name).scaled(weight) for name, _, weight in BANDS)
