"""From recorded attempts to probe results, findings and a verdict: pure functions, no sandbox, no clock.

Verdicts are rule-based and explainable: the reasons name the probes that decided.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from river_envs.catalog.records import JudgedRecord, PlanRecord, ProbeRecord
from river_envs.causes import CAUSES
from river_envs.environment import Environment
from river_envs.probes.base import PLAIN, RANKING, Background, Finding, Judgement, Probe, ProbeStatus, Result
from river_envs.probes.registry import probes
from river_envs.sandbox.base import Base
from river_envs.scoring.gather import gather
from river_envs.scoring.leads import lead_records
from river_envs.scoring.score import score


def judge(
    environment: Environment, results: Sequence[Result], plans: Sequence[PlanRecord], bases: Sequence[Base] = ()
) -> JudgedRecord:
    """Everything that the recorded attempts prove about one environment.

    ``plans`` tell which probes were carried out, which do not apply and which were left out; a probe without a
    plan of its present version was not run. The score is that of the environment alone: what the whole catalog says
    about its hits is known only once all are judged (``run.py``).
    """
    by_probe: dict[str, list[Result]] = {}
    for result in sorted(results, key=lambda result: (result.attempt.repeat, result.attempt.arm)):
        by_probe.setdefault(result.attempt.probe, []).append(result)
    reference = tuple(result for result in by_probe.get("reference", ()) if result.attempt.arm in PLAIN)
    background = Background(tuple(by_probe.get("untouched", ())), reference, tuple(bases))
    planned = {(plan.probe, plan.version): plan for plan in plans}
    judgements = {
        probe.id: (probe, _judgement(probe, environment, by_probe.get(probe.id, ()), planned, background))
        for probe in probes()
    }
    findings = tuple(finding for _, judgement in judgements.values() for finding in judgement.findings)
    left_out = {plan.probe for plan in planned.values() if plan.status == "left-out"}
    verdict, reasons = _verdict(environment, judgements, findings, background, left_out)
    causes = tuple(
        cause for cause in CAUSES if any(finding.cause == cause for finding in findings if finding.trigger in RANKING)
    )
    records = tuple(
        ProbeRecord(environment.id, probe.id, probe.version, str(judgement.status), judgement.reason)
        for probe, judgement in judgements.values()
    )
    leads = lead_records(environment, judgements, by_probe)
    record = JudgedRecord(verdict, causes, reasons, records, findings, leads=leads)
    evidence = gather(environment, record, by_probe, background, left_out)
    return replace(record, evidence=evidence, score=score(evidence))


def _judgement(
    probe: Probe,
    environment: Environment,
    results: Sequence[Result],
    planned: Mapping[tuple[str, int], PlanRecord],
    background: Background,
) -> Judgement:
    plan = planned.get((probe.id, probe.version))
    if plan is None:
        return Judgement(ProbeStatus.NOT_RUN, "the plan did not finish")
    if plan.status == "not-applicable":
        return Judgement(ProbeStatus.NOT_APPLICABLE, plan.reason)
    if plan.status in {"not-run", "left-out"}:
        return Judgement(ProbeStatus.NOT_RUN, plan.reason)
    own = [result for result in results if result.attempt.version == probe.version]
    return probe.judge(environment, own, background)


def _verdict(
    environment: Environment,
    judgements: Mapping[str, tuple[Probe, Judgement]],
    findings: Sequence[Finding],
    background: Background,
    left_out: Collection[str],
) -> tuple[str, tuple[str, ...]]:
    """The verdict and the sentences that explain it."""
    if environment.unsupported:
        return "unverified", tuple(f"unsupported: {reason}" for reason in environment.unsupported)
    accusing = [finding for finding in findings if finding.trigger in RANKING]
    if accusing:
        return "defective", tuple(dict.fromkeys(f"{finding.cause}: {finding.message}" for finding in accusing))
    open_questions = tuple(
        f"{probe.id}: {judgement.reason or judgement.status}"
        for probe, judgement in judgements.values()
        if judgement.status in {ProbeStatus.ERROR, ProbeStatus.NOT_RUN}
        and probe.trigger in RANKING
        and probe.id not in left_out
    )
    if open_questions or not background.untouched:
        return "unverified", open_questions or ("untouched: the control was not run",)
    asked = sum(
        judgement.status is ProbeStatus.SURVIVED for probe, judgement in judgements.values() if probe.order >= 20
    )
    skipped = sum(
        judgement.status is ProbeStatus.NOT_APPLICABLE for probe, judgement in judgements.values() if probe.order >= 20
    )
    unpaid = f", {len(left_out)} left out by the effort" if left_out else ""
    survived = f"survived {asked} probes ({skipped} do not apply{unpaid})"
    reference = judgements["reference"][1]
    if (
        reference.status is ProbeStatus.SURVIVED
        and environment.reference
        and environment.reference.provenance in {"shipped", "author"}
    ):
        return "sound", (f"the untouched image scores 0, the reference {reference.reason or 'passed'}", survived)
    return "resisted", ("no trusted reference: rejects-right cannot be proved", survived)
