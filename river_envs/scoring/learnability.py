"""Learnability: how likely a group of rollouts is to disagree, so that there is something to learn from it.

Pure, and used once rollouts are ingested: without counts of passes learnability stays unknown. Quality comes first: a
leak raises the pass rate, and with it this number.
"""

from __future__ import annotations

from river_envs.catalog.records import Estimate
from river_envs.scoring.intervals import LEVEL


def learnability(passes: int, rollouts: int, group: int = 8) -> Estimate:
    """The chance that ``group`` rollouts neither all pass nor all fail: 1 − E[pᴳ] − E[(1 − p)ᴳ].

    The pass rate p is Beta(½ + passes, ½ + failures); the moments are exact (Π (a + i) / (a + b + i)). The ends of the
    interval are those of 1 − pᴳ − (1 − p)ᴳ over the central 90 % of p: 0 of 2 solved is weak evidence, and looks like
    it. Unknown without rollouts, and for a group of fewer than two. Raises ValueError for counts that cannot be.
    """
    from scipy.special import betaincinv

    if not 0 <= passes <= rollouts:
        raise ValueError(f"passes={passes!r} of rollouts={rollouts!r} cannot be")
    if not rollouts or group < 2:
        return Estimate()
    a, b = passes + 0.5, rollouts - passes + 0.5
    all_pass = all_fail = 1.0
    for step in range(group):
        all_pass *= (a + step) / (a + b + step)
        all_fail *= (b + step) / (a + b + step)
    value = 1 - all_pass - all_fail
    tail = (1 - LEVEL) / 2
    lowest, highest = (float(betaincinv(a, b, share)) for share in (tail, 1 - tail))
    ends = [_disagreement(p, group) for p in (lowest, highest)]
    top = _disagreement(0.5, group) if lowest <= 0.5 <= highest else max(ends)
    return Estimate(value, min(*ends, value), max(top, value))


def _disagreement(p: float, group: int) -> float:
    return float(1 - p**group - (1 - p) ** group)
