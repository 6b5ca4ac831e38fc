"""Readings that several probes share."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes.base import Background, Claim, Finding, Judgement, Probe, ProbeStatus, Result


def unproven(results: Sequence[Result], background: Background) -> Judgement | None:
    """Why nothing can be said, or None when the results may be read: the control must be 0 and each attempt
    effective and graded.
    """
    if not background.zero:
        return Judgement(ProbeStatus.ERROR, "the untouched image did not score 0")
    if not results:
        return Judgement(ProbeStatus.NOT_RUN, "no attempt was run")
    if any(result.paid for result in results):
        return None
    failed = next((result for result in results if not result.graded), None)
    if failed is not None:
        return Judgement(ProbeStatus.ERROR, f"{failed.outcome.status}: {failed.outcome.detail}")
    if not any(result.effective for result in results):
        return Judgement(ProbeStatus.NOT_APPLICABLE, "no action took effect")
    return None


def hit(
    probe: Probe,
    environment: Environment,
    claim: Claim,
    cause: str,
    results: Sequence[Result],
    message: str,
    advice: str,
    **evidence: object,
) -> Judgement:
    """A hit with one finding that rests on ``results``."""
    finding = Finding(
        environment.id,
        claim,
        cause,
        probe.trigger,
        probe.id,
        message,
        advice,
        tuple(result.attempt.id for result in results),
        evidence,
    )
    return Judgement(ProbeStatus.HIT, message, (finding,))


def accepted(
    probe: Probe,
    environment: Environment,
    results: Sequence[Result],
    background: Background,
    claim: Claim,
    cause: str,
    message: str,
    advice: str,
    **evidence: object,
) -> Judgement:
    """Any effective pass is a hit of ``cause``; the first one is the proof, its ``facts`` are the evidence."""
    nothing = unproven(results, background)
    if nothing:
        return nothing
    passed = [result for result in results if result.paid]
    if not passed:
        return Judgement(ProbeStatus.SURVIVED)
    facts = {**passed[0].attempt.facts, **evidence}
    return hit(probe, environment, claim, cause, passed[:1], message, advice, **facts)


def existence(
    probe: Probe, environment: Environment, results: Sequence[Result], background: Background, message: str
) -> Judgement:
    """Any effective pass is existence-only."""
    paths: list[str] = next((result.attempt.facts.get("paths", []) for result in results if result.paid), [])
    said = f"{message}: {', '.join(paths[:4])}."
    advice = "Compare the content with a value that only the asked work produces."
    return accepted(probe, environment, results, background, "accepts-wrong", "existence-only", said, advice)
