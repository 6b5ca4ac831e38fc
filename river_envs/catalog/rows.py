"""From values to rows: which column holds which part of an environment or a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from river_envs.catalog import codec
from river_envs.catalog.records import Estimate, JudgedRecord, ScoreRecord
from river_envs.catalog.store import clean
from river_envs.environment import Environment, File
from river_envs.probes.base import Finding, Result
from river_envs.scoring.evidence import Evidence

Row = dict[str, Any]


def environment_row(environment: Environment, sink: codec.Sink, at: datetime) -> Row:
    """The row of table ``environment``; file contents go to ``sink``."""
    metadata, limits = environment.metadata, environment.limits
    image, verifier = environment.image, environment.verifier
    return {
        "id": environment.id,
        "name": clean(environment.name),
        "source": clean(environment.source),
        "format": environment.format,
        "instruction": clean(environment.instruction),
        "domain": _text(metadata.domain),
        "skill_type": _text(metadata.skill_type),
        "primitive_skills": _texts(metadata.primitive_skills),
        "task_complexity": _text(metadata.task_complexity),
        "command_complexity": _text(metadata.command_complexity),
        "scenario": _text(metadata.scenario),
        "language": _text(metadata.language),
        "verifier_kind": _text(metadata.verifier_kind),
        "fixture_kind": _text(metadata.fixture_kind),
        "corpus_kind": _text(metadata.corpus_kind),
        "difficulty": _text(metadata.difficulty),
        "keywords": _texts(metadata.keywords),
        "truth": _text(metadata.truth),
        "image_kind": image.kind,
        "image_recipe": clean(image.text),
        "image_digest": image.digest,
        "docker_image": _text(image.docker_image),
        "verifier_protocol": verifier.protocol,
        "verifier_digest": verifier.digest,
        "has_reference": environment.reference is not None,
        "reference_provenance": environment.reference.provenance if environment.reference else None,
        "network": environment.network,
        "agent_timeout_sec": limits.agent_timeout_sec,
        "build_timeout_sec": limits.build_timeout_sec,
        "verifier_timeout_sec": verifier.timeout_sec,
        "cpus": limits.cpus,
        "memory_mb": limits.memory_mb,
        "storage_mb": limits.storage_mb,
        "gpus": limits.gpus,
        "unsupported": _texts(environment.unsupported),
        "status": "unsupported" if environment.unsupported else "supported",
        "spec": codec.dumps(Environment, environment, sink=sink, inline=0),
        "added_at": at,
    }


def files_of(environment: Environment) -> Iterator[tuple[str, File]]:
    """Every file with its role."""
    for file in environment.image.context:
        yield "image", file
    for file in environment.verifier.files:
        yield "verifier", file
    if environment.reference:
        for file in environment.reference.files:
            yield "reference", file


def environment_file_rows(environment: Environment) -> list[Row]:
    """The rows of table ``environment_file``."""
    return [
        {
            "environment_id": environment.id,
            "role": role,
            "path": clean(file.path),
            "mode": file.mode,
            "link": _text(file.link),
            "sha256": file.sha256,
        }
        for role, file in files_of(environment)
    ]


def attempt_row(result: Result) -> Row:
    """The columns of table ``attempt`` that make parts of a result easy to query."""
    attempt, outcome = result.attempt, result.outcome
    return {
        "environment_id": attempt.environment_id,
        "probe": attempt.probe,
        "version": attempt.version,
        "arm": attempt.arm,
        "repeat": attempt.repeat,
        "question": clean(attempt.question),
        "status": outcome.status.value,
        "reward": outcome.reward,
        "passed": outcome.passed,
        "effective": result.effective,
        "exit_code": outcome.exit_code,
        "seconds": outcome.seconds,
        "detail": clean(outcome.detail),
        "substitutions": _texts(outcome.substitutions),
        "delta": result.delta,
        "in_place": result.in_place,
    }


def test_rows(attempt_id: str, result: Result) -> list[Row]:
    """The rows of table ``test_result``."""
    return [
        {
            "attempt_id": attempt_id,
            "name": clean(test.name),
            "outcome": clean(test.outcome),
            "message": clean(test.message),
        }
        for test in result.outcome.tests
    ]


def finding_row(finding: Finding) -> Row:
    """The row of table ``finding``."""
    return {
        "id": finding.id,
        "environment_id": finding.environment_id,
        "claim": finding.claim,
        "cause": finding.cause,
        "trigger": finding.trigger,
        "probe": finding.probe,
        "message": clean(finding.message),
        "advice": clean(finding.advice),
        "attempts": list(finding.attempts),
        "evidence": codec.dumps(dict[str, Any], finding.evidence),
    }


def _text(value: str | None) -> str | None:
    return None if value is None else clean(value)


def _texts(values: Sequence[str]) -> list[str]:
    return [clean(value) for value in values]


def judgement_rows(judged: Mapping[str, JudgedRecord]) -> dict[str, list[Row]]:
    """The rows of the tables verdict, score, probe_result, finding, lead and evidence."""
    return {
        "verdict": [
            {"environment_id": name, "verdict": record.verdict, "causes": list(record.causes),
             "reasons": _texts(record.reasons)}
            for name, record in judged.items()
        ],
        "score": [score_row(name, record.score) for name, record in judged.items() if record.score],
        "probe_result": [
            {"environment_id": name, "probe": row.probe, "version": row.version, "status": str(row.status),
             "reason": clean(row.reason)}
            for name, record in judged.items() for row in record.probes
        ],
        "finding": [finding_row(finding) for record in judged.values() for finding in record.findings],
        "lead": [
            {"environment_id": name, "rule": row.rule, "causes": list(row.causes), "path": clean(row.path),
             "line": row.line, "message": clean(row.message)}
            for name, record in judged.items() for row in record.leads
        ],
        "evidence": [
            {"environment_id": name, "evidence": codec.dumps(Evidence, record.evidence)}
            for name, record in judged.items() if record.evidence
        ],
    }


def score_row(environment_id: str, score: ScoreRecord) -> Row:
    """The row of table ``score``."""
    row: Row = {"environment_id": environment_id, "basis": codec.dumps(dict[str, str], dict(score.basis))}
    for part in fields(score):
        estimate = getattr(score, part.name)
        if isinstance(estimate, Estimate):
            row |= {part.name: estimate.value, f"{part.name}_low": estimate.low, f"{part.name}_high": estimate.high}
    return row
