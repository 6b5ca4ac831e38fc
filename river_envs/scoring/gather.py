"""From what was concluded about one environment, and the attempts behind it, to what was counted."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from river_envs.catalog.records import JudgedRecord, LeadRecord
from river_envs.causes import CAUSES
from river_envs.environment import Environment, digest
from river_envs.outcome import RETRIED
from river_envs.probes.base import Action, Attempt, Background, Copy, Finding, Put, Restore, Result, Solve, describe
from river_envs.probes.registry import probes
from river_envs.probes.time_outs import late
from river_envs.scoring.evidence import Asked, Benign, Evidence, Hit, Series, Suggestion
from river_envs.scoring.survivors import survivors

CONTRASTED = frozenset({"adversarial", "isolation", "equivalent", "determinism"})
"""Families whose benign arm must not show what a hit shows. A mutant's is the unedited state, which has to be rewarded:
it says whether the probe can be read, nothing about false alarms."""
_ARMS = frozenset({"probe", "moved", "under"})
"""The arms that look for a hit in probes that have a benign one."""


def gather(
    environment: Environment,
    record: JudgedRecord,
    results: Mapping[str, Sequence[Result]],
    background: Background,
    left_out: Collection[str] = (),
) -> Evidence:
    """What was counted. ``results`` are the recorded attempts by probe; those of other versions do not count."""
    own = {
        probe.id: [result for result in results.get(probe.id, ()) if result.attempt.version == probe.version]
        for probe in probes()
    }
    families = {probe.id: probe.family for probe in probes()}
    statuses = {row.probe: row.status for row in record.probes}
    found = [(finding, own.get(finding.probe, ())) for finding in record.findings]
    return Evidence(
        record.verdict,
        tuple(_asked(statuses, left_out)),
        tuple(_hit(finding, families.get(finding.probe, ""), attempts) for finding, attempts in found),
        tuple(_benign(own)),
        tuple(_series(environment, background)),
        survivors([result for probe, found in own.items() if families[probe] == "mutant" for result in found]),
        tuple(dict.fromkeys(_suggestion(lead, families) for lead in record.leads)),
        statuses.get("reference", "not-run"),
        background.in_place,
    )


def script(attempt: Attempt) -> str:
    """What an attempt does, as a key that is equal for the same probe and actions in any environment.

    The instruction says where to write: of the paths only the suffixes count, so that an empty JSON file is one script.
    """
    if any(isinstance(action, Solve | Restore) for action in attempt.actions):
        return ""
    return digest(attempt.probe, [_anywhere(action) for action in attempt.actions])[:16]


def _anywhere(action: Action) -> Any:
    match action:
        case Put(files):
            return sorted(([posixpath.splitext(file.path)[1], *file.fingerprint()[1:]] for file in files), key=str)
        case Copy(source, target):
            return [posixpath.basename(source), posixpath.splitext(target)[1]]
        case _:
            return describe(action)


def _asked(statuses: Mapping[str, str], left_out: Collection[str]) -> Iterator[Asked]:
    counts: dict[tuple[str, str], Counter[str]] = {}
    for probe in probes():
        status = "left-out" if probe.id in left_out else statuses.get(probe.id, "not-run")
        counts.setdefault((probe.family, probe.trigger), Counter())[status.replace("-", "_")] += 1
    for (family, trigger), found in sorted(counts.items()):
        yield Asked(family, trigger, **found)


def _hit(finding: Finding, family: str, results: Sequence[Result]) -> Hit:
    said = (finding.claim, finding.cause, finding.probe, family, finding.trigger)
    proof = [result for result in results if result.attempt.id in finding.attempts]
    first = next((result for result in proof if _shows(finding.claim, result)), None)
    if first is None:  # a build that failed: the finding rests on no grading
        return Hit(*said)
    told = [
        result
        for result in results
        if (result.attempt.actions, result.attempt.conditions) == (first.attempt.actions, first.attempt.conditions)
        and (result.graded if finding.claim != "broken" else result.outcome.status not in RETRIED)
    ]
    shown = sum(_shows(finding.claim, result) for result in told)
    return Hit(*said, shown, len(told), script(first.attempt))


def _shows(claim: str, result: Result) -> bool:
    """Whether the attempt shows what the claim says."""
    match claim:
        case "accepts-wrong" | "leaks-answer":
            return result.paid
        case "broken":
            return not result.passed
        case _:
            return result.graded and not result.passed


def _benign(results: Mapping[str, Sequence[Result]]) -> Iterator[Benign]:
    for probe in probes():
        arms = [result for result in results[probe.id] if result.graded and result.effective]
        benign = [result for result in arms if result.attempt.arm == "benign"]
        if not benign or probe.family not in CONTRASTED:
            continue
        hit = probe.family in {"adversarial", "isolation"}
        tried = [result for result in arms if result.attempt.arm in _ARMS]
        shown, same = (any(result.passed is hit for result in arm) for arm in (tried, benign))
        yield Benign(probe.id, shown, same)


def _series(environment: Environment, background: Background) -> Iterator[Series]:
    restored = [result for result in background.reference if result.attempt.arm == "again"]
    in_place = [result for result in background.reference if result.attempt.arm != "again"]
    for name, results in (("untouched", background.untouched), ("reference", in_place), ("restored", restored)):
        ran_out = late(environment, results)
        ended = [result for result in results if result.graded and result not in ran_out]
        passed = sum(result.passed for result in ended)
        if ended or ran_out:
            yield Series(name, passed, len(ended) - passed, len(ran_out))


def _suggestion(lead: LeadRecord, families: Mapping[str, str]) -> Suggestion:
    claims = tuple(sorted({CAUSES[cause].claim for cause in lead.causes if cause in CAUSES}))
    return Suggestion(lead.rule, families.get(lead.rule, "static"), claims)
