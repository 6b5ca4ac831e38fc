"""How the ranking moves when what is a matter of judgement is judged otherwise: realism weights, cost ratios, leads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, isnan
from typing import TYPE_CHECKING

from river_envs.scoring.context import Context, context
from river_envs.scoring.evidence import Evidence
from river_envs.scoring.score import STANDARD, Weights, score

if TYPE_CHECKING:
    from river_envs.scoring.model import Model

TOP = 0.3
"""The share of the ranked environments whose overlap is told."""


def _realism(**changes: float) -> Weights:
    return Weights({**STANDARD.realism, **{name.replace("_", "-"): value for name, value in changes.items()}})


OTHERS: tuple[tuple[str, Weights], ...] = (
    ("every hole that ranks is as likely to be found", _realism(feedback_learnable=1.0, grading_runtime=1.0)),
    ("only what a rollout shows", _realism(feedback_learnable=0.0, grading_runtime=0.0, privileged=0.0)),
    ("what rewards teach counts half", _realism(feedback_learnable=0.5, grading_runtime=0.25)),
    ("privileged holes count in full", _realism(privileged=1.0)),
    ("paying for wrong work costs twice", Weights(accepting_wrong=2.0)),
    ("paying for wrong work costs five times", Weights(accepting_wrong=5.0)),
    ("refusing right work costs twice", Weights(rejecting_right=2.0)),
    ("refusing right work costs five times", Weights(rejecting_right=5.0)),
)


@dataclass(frozen=True)
class Moved:
    """One other ranking beside the shipped one: Kendall's tau-b, and the share of the best ``TOP`` that is the same.
    None where fewer than two environments are ranked."""

    name: str
    ranked: int
    tau: float | None
    overlap: float | None


def sensitivity(evidences: Mapping[str, Evidence], model: Model | None = None) -> tuple[Moved, ...]:
    """Each other ranking of the environments that can be kept (``sound`` before ``resisted``, then by quality); with a
    ``model``, last the ranking by the probability to be sound."""
    kept = {name: evidence for name, evidence in sorted(evidences.items()) if evidence.verdict in {"sound", "resisted"}}
    seen = context(evidences.values())
    shipped = _numbers(kept, seen, STANDARD)
    found = [_moved(name, kept, shipped, _numbers(kept, seen, weights)) for name, weights in OTHERS]
    found.append(_moved("benign arms and shared scripts left out", kept, shipped, _numbers(kept, Context(), STANDARD)))
    if model is not None:
        likely = [model.p_sound(evidence).value or 0.0 for evidence in kept.values()]
        found.append(_moved("ranked by p_sound", kept, shipped, likely))
    return tuple(found)


def _numbers(kept: Mapping[str, Evidence], seen: Context, weights: Weights) -> list[float]:
    return [score(evidence, seen, weights).quality.value or 0.0 for evidence in kept.values()]


def _moved(name: str, kept: Mapping[str, Evidence], shipped: list[float], other: list[float]) -> Moved:
    from scipy.stats import kendalltau

    if len(kept) < 2:
        return Moved(name, len(kept), None, None)
    tiers = [evidence.verdict == "sound" for evidence in kept.values()]
    before, after = ([tier + number for tier, number in zip(tiers, each, strict=True)] for each in (shipped, other))
    tau = float(kendalltau(before, after).statistic)
    best, others = _best(before), _best(after)
    return Moved(name, len(kept), None if isnan(tau) else tau, len(best & others) / len(best))


def _best(ranks: list[float]) -> set[int]:
    """The places of the best ``TOP``; what is equal counts in id order."""
    return set(sorted(range(len(ranks)), key=lambda place: (-ranks[place], place))[: ceil(TOP * len(ranks))])
