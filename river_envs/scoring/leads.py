"""Leads: what suggests a defect and proves none. They are kept beside the findings and never mixed with them.

Static ones come from reading the verifier (``probes/leads.py``; the rule is the lead's name). The others come from
attempts that fell short of a proof (the rule is the probe's id): a mutant that was still rewarded, an equivalent that
was refused, a grade that differed once, and whatever a probe calls a lead in its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from river_envs.catalog.records import LeadRecord
from river_envs.environment import Environment
from river_envs.probes.base import Judgement, Probe, ProbeStatus, Result
from river_envs.probes.documentation import causes
from river_envs.probes.leads import leads
from river_envs.probes.steadiness import fails

LONGEST = 300
"""Characters of a lead's message; what environments wrote is part of it."""

_SAID = re.compile(r"(?:^|; )lead:\s*")
_FAMILY = {"mutant": ("unchecked-requirement",), "equivalent": ("over-specific-form",)}
"""The causes that a probe points to when its documentation names none."""


def lead_records(
    environment: Environment,
    judgements: Mapping[str, tuple[Probe, Judgement]],
    results: Mapping[str, Sequence[Result]],
) -> tuple[LeadRecord, ...]:
    """The leads of one environment: static ones in file order, then those of its probes; no two are equal."""
    found = list(static(environment))
    for probe, judgement in judgements.values():
        own = [result for result in results.get(probe.id, ()) if result.attempt.version == probe.version]
        found += _of_probe(environment, probe, judgement, own)
    return tuple(dict.fromkeys(found))


def static(environment: Environment) -> Iterator[LeadRecord]:
    """What a reading of the verifier and of the recipe suggests."""
    for lead in leads(environment):
        message = f"{lead.about}: {lead.text}" if lead.text else lead.about
        yield LeadRecord(environment.id, lead.name, lead.points_to, lead.file, lead.line, message[:LONGEST])


def _of_probe(
    environment: Environment, probe: Probe, judgement: Judgement, results: Sequence[Result]
) -> Iterator[LeadRecord]:
    if judgement.status not in {ProbeStatus.SURVIVED, ProbeStatus.HIT}:
        return  # the controls failed, or it was not asked: nothing can be read out of its attempts
    pointed = causes(probe) or _FAMILY.get(probe.family, ())
    said = _SAID.split(judgement.reason)[1:]
    proved = {attempt for finding in judgement.findings for attempt in finding.attempts}
    telling = [result for result in results if result.attempt.id not in proved]
    seen = [(message, "") for message in said] or list(_seen(probe, telling))
    for message, path in seen:
        yield LeadRecord(environment.id, probe.id, pointed, path, 0, message[:LONGEST])


def _seen(probe: Probe, results: Sequence[Result]) -> Iterator[tuple[str, str]]:
    """(message, path) for each attempt that speaks against the verifier without proving anything."""
    for result in results:
        facts, arm = result.attempt.facts, result.attempt.arm
        told = result.graded and result.effective
        what, paths = str(facts.get("what", "")), [facts.get("path", ""), *facts.get("paths", ())]
        path = next((str(path) for path in paths if path), "")
        if probe.family == "mutant" and arm == "probe" and told and result.passed:
            yield f"still rewarded: {what} (distance {facts.get('distance', 1.0):g})", path
        elif probe.family == "equivalent" and arm == "probe" and told and not result.passed:
            yield f"refused, without a proof that it means the same to the verifier: {what}", path
        elif probe.family == "determinism" and arm == "under" and fails(result):
            shown = ", ".join(f"{name}={value}" for name, value in result.attempt.conditions)
            yield f"a state that passes was refused with {shown}, without a proof that this is the reason", path
