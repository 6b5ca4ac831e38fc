"""What each number rests on, in words: what was asked, hit, survived and contrasted. Shown beside the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from river_envs.scoring.context import Context
from river_envs.scoring.evidence import WRONG_WORK, Evidence, Hit
from river_envs.scoring.score import LEADS, STANDARD, led, suggested


def basis(evidence: Evidence, context: Context) -> dict[str, str]:
    """One line for each number, by its name; what a number lacks is said as well."""
    found = {
        "p_accepts_wrong": "; ".join(_wrong(evidence, context)),
        "p_rejects_right": "; ".join(_rejects(evidence, context)),
        "instability": "; ".join(_unstable(evidence, context)),
        "quality": _quality(evidence),
    }
    return {name: text for name, text in found.items() if text}


def _wrong(evidence: Evidence, context: Context) -> Iterator[str]:
    asked = [row for row in evidence.asked if row.family in WRONG_WORK]
    survived, silent = sum(row.survived for row in asked), sum(row.not_run + row.error for row in asked)
    hits = [hit for hit in evidence.hits if hit.accepts]
    yield f"questions about wrong work: {survived} survived, {len(hits)} hit, {silent} without an answer"
    yield from (_said(hit, context) for hit in hits)
    bands = [f"{band.band} {band.survived} of {band.tried}" for band in evidence.mutants if band.tried]
    yield f"mutants rewarded: {', '.join(bands)}" if bands else "no mutants: any share of them may survive"


def _said(hit: Hit, context: Context) -> str:
    arms = context.arms.get(hit.probe)
    benign = f"ρ {arms.rho:.2f}, benign arm {arms.benign} of {arms.shown}" if arms else "no benign arm, ρ 1"
    weight = f"v {STANDARD.of(hit.family, hit.trigger):g}, {benign}"
    many = context.beaten.get(hit.script, 1)
    shared = f", the same script beats {many} environments (weight {context.coherence(hit):.2f})" if many > 1 else ""
    return f"{hit.cause} by {hit.probe}: {hit.shown} of {hit.tried} gradings ({weight}){shared if hit.accepts else ''}"


def _rejects(evidence: Evidence, context: Context) -> Iterator[str]:
    names = {"reference"} if evidence.in_place else {"reference", "restored"}
    series = [series for series in evidence.series if series.name in names]
    refused, passed = sum(found.refused for found in series), sum(found.passed for found in series)
    if evidence.reference in {"survived", "hit"} and refused + passed:
        yield f"the reference: {passed} passed, {refused} refused"
    else:
        yield "no reference was judged: whether right work is paid is open"
    forms = sum(row.survived for row in evidence.asked if row.family == "equivalent")
    if forms:
        yield f"equivalent forms: {forms} survived"
    yield from (_said(hit, context) for hit in evidence.hits if hit.claim == "rejects-right")


def _unstable(evidence: Evidence, context: Context) -> Iterator[str]:
    for series in evidence.series:
        late = f", {series.late} out of time" if series.late else ""
        yield f"{series.name}: {series.passed} passed, {series.refused} refused{late}"
    yield from (_said(hit, context) for hit in evidence.hits if hit.claim == "unstable")


def _quality(evidence: Evidence) -> str:
    if evidence.verdict == "defective":
        return "a defect is proved"
    if evidence.verdict == "unverified":
        return ""
    leads = suggested(evidence)
    if not leads:
        return "no leads"
    return f"kinds of leads: {leads}, which take {1 - led(leads):.3f} of at most {LEADS:g}"
