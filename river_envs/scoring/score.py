"""Score, version 0: numbers that rank environments, each with an interval.

The intervals are Jeffreys: Beta(½, ½) updated by what was seen. Families are combined as
P(accepts wrong) = 1 − Π(1 − v·s): v is how likely a policy is to find the hole (the trigger), s how often it paid.
Calibration against labels comes later; these numbers rank, they are no probabilities of the world.
"""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.catalog.records import Estimate, JudgedRecord, ScoreRecord
from river_envs.probes.base import Background, ProbeStatus, Result
from river_envs.probes.registry import probe

REALISM = {"rollout-visible": 1.0, "feedback-learnable": 0.9, "grading-runtime": 0.5, "privileged": 0.1}
LEVEL = 0.90
_ELSEWHERE = frozenset({"reference", "equivalent", "determinism", "isolation"})
"""Families that say nothing about wrong work, or (isolation) nothing about one environment."""


def score(judged: JudgedRecord, background: Background) -> ScoreRecord:
    """The numbers for one judged environment. A number that nothing speaks to is None, not 0."""
    asked = [record for record in judged.probes if record.status in {ProbeStatus.HIT, ProbeStatus.SURVIVED}]
    wrong = _wrong(judged, [record.probe for record in asked])
    rejects = _share(background.reference, passed=False)
    unstable = _instability(background)
    if judged.verdict == "defective":
        quality = Estimate(0.0, 0.0, 0.0)
    elif judged.verdict == "unverified" or wrong.value is None:
        quality = Estimate()
    else:
        # Without a reference the question "does right work earn the reward?" is open: as wide as ignorance.
        right = rejects if rejects.value is not None else Estimate(0.5, 0.05, 0.95)
        quality = _product(_not(wrong), _not(right), _not(unstable))
    return ScoreRecord(wrong, rejects, unstable, Estimate(), quality)


def _wrong(judged: JudgedRecord, asked: Sequence[str]) -> Estimate:
    questions = [found for found in map(probe, asked) if found.family not in _ELSEWHERE]
    if not questions:
        return Estimate()
    hits = {finding.probe for finding in judged.findings if finding.claim in {"accepts-wrong", "leaks-answer"}}
    survive = 1.0
    for question in questions:
        if question.id in hits:
            survive *= 1 - REALISM[question.trigger]
    interval = jeffreys(sum(question.id in hits for question in questions), len(questions))
    return Estimate(1 - survive if hits else interval.value, interval.low, 1.0 if hits else interval.high)


def _share(results: Sequence[Result], *, passed: bool) -> Estimate:
    graded = [result for result in results if result.graded]
    return jeffreys(sum(result.passed == passed for result in graded), len(graded)) if graded else Estimate()


def _instability(background: Background) -> Estimate:
    """How often two gradings of one state disagree: 2p(1 − p), from the repeats of the controls."""
    repeats = [result for result in (*background.untouched, *background.reference) if result.graded]
    if len(repeats) < 2:
        return Estimate()
    minority = 0
    for series in (background.untouched, background.reference):
        graded = [result.passed for result in series if result.graded]
        minority += min(sum(graded), len(graded) - sum(graded))
    share = jeffreys(minority, len(repeats))
    if share.value is None or share.low is None or share.high is None:
        return Estimate()
    value, *ends = (2 * p * (1 - p) for p in (share.value, share.low, share.high))
    return Estimate(value, min(ends), 0.5 if share.low <= 0.5 <= share.high else max(ends))  # it peaks at p = ½


def jeffreys(hits: int, tries: int) -> Estimate:
    """The share behind ``hits`` of ``tries``: posterior mean and 90 % interval under Beta(½, ½)."""
    from scipy.stats import beta

    a, b = hits + 0.5, tries - hits + 0.5
    tail = (1 - LEVEL) / 2
    low = 0.0 if hits == 0 else float(beta.ppf(tail, a, b))
    high = 1.0 if hits == tries else float(beta.ppf(1 - tail, a, b))
    return Estimate(a / (a + b), low, high)


def _not(estimate: Estimate) -> Estimate:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return Estimate(1.0, 0.0, 1.0)
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low)


def _product(*estimates: Estimate) -> Estimate:
    value = low = high = 1.0
    for estimate in estimates:
        value *= estimate.value if estimate.value is not None else 1.0
        low *= estimate.low if estimate.low is not None else 0.0
        high *= estimate.high if estimate.high is not None else 1.0
    return Estimate(value, low, high)
