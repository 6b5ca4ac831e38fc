"""Surviving mutants as a score: the share that was rewarded, for each distance from the right state.

A survivor accuses nobody by itself, and a far one weighs more than a near one. Shares are Beta(½, ½): where few
mutants could be made the interval is wide, and a band without any is as wide as ignorance, so that a reference of one
line does not make a verifier look strong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from river_envs.catalog.records import Estimate, ScoreRecord
from river_envs.probes.base import Result
from river_envs.scoring.score import jeffreys

BANDS: tuple[tuple[str, float, float], ...] = (("near", 0.1, 0.05), ("middle", 0.5, 0.15), ("far", 1.0, 0.3))
"""Name, greatest distance, weight: how much of the chance to accept wrong work a survivor there stands for."""


@dataclass(frozen=True)
class Survivors:
    """The mutants of one band of distances: how many were graded, how many of them rewarded."""

    band: str
    survived: int
    tried: int

    @property
    def share(self) -> Estimate:
        """The share that survives, with its interval."""
        return jeffreys(self.survived, self.tried)


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


def with_survivors(score: ScoreRecord, bands: Sequence[Survivors]) -> ScoreRecord:
    """The score with the mutants in it; unchanged where there were none."""
    if not any(band.tried for band in bands):
        return score
    slack = _slack(bands)
    return replace(
        score,
        p_accepts_wrong=_either(score.p_accepts_wrong, slack),
        quality=_without(score.quality, slack),
    )


def _slack(bands: Sequence[Survivors]) -> Estimate:
    """The chance to accept wrong work that the survivors stand for: 1 − Π(1 − weight · share)."""
    value = low = high = 1.0
    weights = {name: weight for name, _, weight in BANDS}
    for band in bands:
        weight, share = weights[band.band], band.share
        value *= 1 - weight * (share.value or 0.0) if band.tried else 1.0
        low *= 1 - weight * (share.low or 0.0)
        high *= 1 - weight * (share.high if share.high is not None else 1.0)
    return Estimate(1 - value, 1 - low, 1 - high)


def _either(one: Estimate, other: Estimate) -> Estimate:
    if one.value is None or one.low is None or one.high is None:
        return one
    pairs = ((one.value, other.value), (one.low, other.low), (one.high, other.high))
    return Estimate(*(1 - (1 - a) * (1 - (b or 0.0)) for a, b in pairs))


def _without(quality: Estimate, slack: Estimate) -> Estimate:
    if quality.value is None or quality.low is None or quality.high is None:
        return quality
    return Estimate(
        quality.value * (1 - (slack.value or 0.0)),
        quality.low * (1 - (slack.high or 0.0)),
        quality.high * (1 - (slack.low or 0.0)),
    )
