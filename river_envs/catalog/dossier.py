"""Everything that the catalog knows about one environment, as plain values: what ``river-envs show`` prints."""

from __future__ import annotations

import json
from typing import Any

from river_envs.catalog.catalog import Catalog

_PARTS = {
    "facts": "SELECT * EXCLUDE (spec, truth) FROM environment WHERE id = $id",
    "view": "SELECT verdict, causes, quality, p_accepts_wrong, p_rejects_right, instability, learnability, p_sound, "
            "mark, mark_note FROM environments_view WHERE id = $id",
    "intervals": "SELECT COLUMNS('.*_(low|high)'), basis FROM score WHERE environment_id = $id",
    "reasons": "SELECT reasons FROM verdict WHERE environment_id = $id",
    "files": "SELECT e.role, e.path, e.mode, e.link, e.sha256, f.size FROM environment_file e LEFT JOIN file f "
             "USING (sha256) WHERE environment_id = $id ORDER BY e.role, e.path",
    "origins": "SELECT input, name, source FROM origin WHERE environment_id = $id ORDER BY input",
    "images": "SELECT backend, status, bases, notes, log, seconds FROM image WHERE environment_id = $id "
              "ORDER BY backend",
    "probes": "SELECT probe, version, status, reason FROM probe_result WHERE environment_id = $id "
              "ORDER BY probe, version",
    "plans": "SELECT probe, version, status, reason FROM plan WHERE environment_id = $id ORDER BY probe, version",
    "findings": "SELECT id, claim, cause, trigger, probe, message, advice, attempts, evidence FROM finding "
                "WHERE environment_id = $id ORDER BY cause, id",
    "leads": "SELECT rule, causes, path, line, message FROM lead WHERE environment_id = $id "
             "ORDER BY rule, path, line, message",
    "attempts": "SELECT id, probe, version, arm, repeat, question, status, reward, passed, effective, seconds, detail, "
                "substitutions, backend, recorded_at::VARCHAR AS recorded_at FROM attempt WHERE environment_id = $id "
                "ORDER BY probe, version, repeat, arm, id",
    "marks": "SELECT mark, note, who, recorded_at::VARCHAR AS recorded_at FROM mark WHERE environment_id = $id "
             "ORDER BY recorded_at",
    "subsets": "SELECT subset_id, kept, rank, tier, reason FROM subset_view WHERE environment_id = $id "
               "ORDER BY recorded_at",
}
_JSON = {"bases", "evidence", "basis"}


def dossier(catalog: Catalog, id: str) -> dict[str, Any]:
    """The environment with this id, with lists ``files``, ``probes``, ``findings``, ``leads``, ``attempts``, ...

    ``probes`` holds what the last scoring said; before that, what was planned. Every value is JSON-able.
    """
    with catalog._reading() as held:
        parts: dict[str, list[dict[str, Any]]] = {}
        for name, query in _PARTS.items():
            cursor = held.execute(query, {"id": id})
            columns = [column[0] for column in cursor.description or ()]
            parts[name] = [_plain(dict(zip(columns, row, strict=True))) for row in cursor.fetchall()]
    facts = parts.pop("facts")[0]
    reasons = parts.pop("reasons")
    facts |= parts.pop("view")[0]
    facts |= next(iter(parts.pop("intervals")), {"basis": None})
    plans = parts.pop("plans")
    return {
        **facts,
        "added_at": str(facts["added_at"]),
        "reasons": reasons[0]["reasons"] if reasons else [],
        **parts,
        "probes": parts["probes"] or plans,
    }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: json.loads(value) if name in _JSON and value else value for name, value in row.items()}
