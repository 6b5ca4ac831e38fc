"""The manifest of a subset: every environment of the catalog, kept or dropped, with the reason.

Written twice with the same rows: ``manifest.json`` for people and scripts, ``manifest.parquet`` for frames and dataset
viewers. The header says how to make the subset again.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from river_envs.selection.choose import Decision, counts
from river_envs.selection.gates import Tier

SCHEMA = "river-envs/subset/1"
"""Names the format of both files; it changes when a reader would have to."""


@dataclass(frozen=True)
class Header:
    """How a subset was made. Two runs with the same header, time and command apart, choose the same environments."""

    keep: float
    tier: Tier
    seed: int
    catalog: str
    catalog_hash: str
    command: str
    created: str
    versions: dict[str, str]
    options: dict[str, Any] = field(default_factory=dict)
    """What else was asked for: quotas, budget, caps, purity, diversity, benchmarks to keep clear of."""


def directory_name(name: str, id: str) -> str:
    """The directory of one environment below ``environments/``: its name made safe for any file system, and its id."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", plain).strip("-._")[:80].rstrip("-._").lower()
    return f"{slug or 'environment'}-{id}"


def rows(decisions: Sequence[Decision]) -> list[dict[str, Any]]:
    """One JSON-able row per decision, in the order of the decisions."""
    return [_row(decision) for decision in decisions]


def document(header: Header, decisions: Sequence[Decision]) -> dict[str, Any]:
    """What ``manifest.json`` holds."""
    kept = sum(decision.kept for decision in decisions)
    return {
        "schema": SCHEMA,
        **asdict(header),
        "environments_total": len(decisions),
        "kept_total": kept,
        "keep_fraction": kept / len(decisions) if decisions else 0.0,
        "grounds": counts(decisions),
        "environments": rows(decisions),
    }


def write_manifest(directory: Path, header: Header, decisions: Sequence[Decision]) -> None:
    """Write ``manifest.json`` and ``manifest.parquet`` into ``directory``.

    Raises:
        OSError: the directory cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = document(header, decisions)
    (directory / "manifest.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    table = pa.Table.from_pylist(content.pop("environments"), schema=_schema(pa))
    pq.write_table(table.replace_schema_metadata({"river-envs": json.dumps(content)}), directory / "manifest.parquet")


def _row(decision: Decision) -> dict[str, Any]:
    candidate, mark = decision.candidate, decision.candidate.mark
    return {
        "id": candidate.id,
        "name": candidate.name,
        "kept": decision.kept,
        "tier": decision.tier,
        "rank": decision.rank,
        "ground": decision.ground,
        "reason": decision.reason,
        "better": decision.better,
        "verdict": candidate.verdict,
        "causes": list(candidate.causes),
        "p_sound": candidate.p_sound,
        "quality": candidate.quality,
        "learnability": candidate.learnability,
        "p_accepts_wrong": candidate.p_accepts_wrong,
        "p_rejects_right": candidate.p_rejects_right,
        "instability": candidate.instability,
        "mark": mark.kind if mark else None,
        "mark_note": mark.note if mark else None,
        "mark_by": mark.by if mark else None,
        "source": candidate.source,
        "format": candidate.format,
        "domain": candidate.domain,
        "task_complexity": candidate.task_complexity,
        "verifier_kind": candidate.verifier_kind,
        "has_reference": candidate.has_reference,
        "unsupported": list(candidate.unsupported),
        "directory": f"environments/{directory_name(candidate.name, candidate.id)}" if decision.kept else None,
    }


def _schema(pa: Any) -> Any:
    """The columns with their types, so that an all-empty column is no ``null`` column."""
    types: dict[str, Any] = {"kept": pa.bool_(), "has_reference": pa.bool_(), "rank": pa.int64()}
    for name in ("causes", "unsupported"):
        types[name] = pa.list_(pa.string())
    for name in ("p_sound", "quality", "learnability", "p_accepts_wrong", "p_rejects_right", "instability"):
        types[name] = pa.float64()
    return pa.schema([(name, types.get(name, pa.string())) for name in _COLUMNS])


_COLUMNS = (
    "id", "name", "kept", "tier", "rank", "ground", "reason", "better", "verdict", "causes", "p_sound", "quality",
    "learnability", "p_accepts_wrong", "p_rejects_right", "instability", "mark", "mark_note", "mark_by", "source",
    "format", "domain", "task_complexity", "verifier_kind", "has_reference", "unsupported", "directory",
)
