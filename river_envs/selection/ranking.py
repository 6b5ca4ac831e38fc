"""What environments are ranked by; ``choose.py`` says why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from river_envs.environment import digest
from river_envs.selection.gates import TIERS, Admission, Candidate
from river_envs.selection.request import Request


def ranked(candidates: Sequence[Candidate], admissions: Mapping[str, Admission], request: Request) -> list[Candidate]:
    """Those that passed the gates, best first."""
    passed = [candidate for candidate in candidates if admissions[candidate.id].tier is not None]
    mean = mean_learnability(candidates)

    def key(candidate: Candidate) -> tuple[object, ...]:
        tier = admissions[candidate.id].tier
        assert tier is not None
        draw = digest(request.seed, candidate.id)
        return (TIERS.index(tier), not vouched(candidate), descending(value(candidate, mean)), draw, candidate.id)

    return sorted(passed, key=key)


def mean_learnability(candidates: Sequence[Candidate]) -> float:
    """What an unmeasured learnability counts as: the mean of the measured ones, 1 where there is none."""
    known = [one.learnability for one in candidates if one.learnability is not None and math.isfinite(one.learnability)]
    return math.fsum(known) / len(known) if known else 1.0


def value(candidate: Candidate, mean: float) -> float | None:
    """Worth × learnability: what environments are ranked by."""
    worth, learnability = candidate.worth, candidate.learnability
    if worth is None or not math.isfinite(worth):
        return None
    return worth * (learnability if learnability is not None and math.isfinite(learnability) else mean)


def vouched(candidate: Candidate) -> bool:
    """Whether a person marked it sound."""
    return candidate.mark is not None and candidate.mark.kind == "sound"


def descending(number: float | None) -> float:
    """A key that sorts high numbers first and unmeasured or undefined ones last."""
    return -number if number is not None and math.isfinite(number) else math.inf
