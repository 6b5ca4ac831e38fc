"""From a catalog to the filter's candidates, and from its decisions back to a subset's record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from river_envs.environment import digest
from river_envs.report.frames import read
from river_envs.selection.choose import Decision, counts
from river_envs.selection.gates import Candidate, Mark
from river_envs.selection.manifest import Header

if TYPE_CHECKING:
    from river_envs.catalog import Catalog, SubsetRecord

_QUERY = """
WITH latest_mark AS (
    SELECT environment_id, arg_max(mark, recorded_at) AS kind, arg_max(note, recorded_at) AS note,
        arg_max(who, recorded_at) AS who
    FROM mark GROUP BY environment_id
)
SELECT e.*, v.reasons, m.kind AS mark_kind, m.note AS note, m.who AS who
FROM environments_view e
LEFT JOIN verdict v ON v.environment_id = e.id
LEFT JOIN latest_mark m ON m.environment_id = e.id
ORDER BY e.id
"""


def candidates(catalog: Catalog) -> list[Candidate]:
    """Every unique environment of the catalog, in id order."""
    return [
        Candidate(
            id=row["id"],
            name=row["name"],
            verdict=row["verdict"],
            causes=row["causes"] or (),
            verdict_reason=_first(row["reasons"] or ()),
            quality=row["quality"],
            learnability=row["learnability"],
            mark=Mark(row["mark_kind"], row["note"] or "", row["who"] or "") if row["mark"] else None,
            unsupported=row["unsupported"] or (),
            domain=row["domain"],
            verifier_kind=row["verifier_kind"],
            source=row["source"],
            format=row["format"],
            has_reference=row["has_reference"],
            p_accepts_wrong=row["p_accepts_wrong"],
            p_rejects_right=row["p_rejects_right"],
            instability=row["instability"],
            p_sound=row.get("p_sound"),
            task_complexity=row["task_complexity"],
            skill_type=row["skill_type"],
            language=row["language"],
            difficulty=row["difficulty"],
        )
        for row in read(catalog, _QUERY)
    ]


def _first(reasons: Sequence[str]) -> str:
    """The first reason, and how many more there are: one reason usually causes the others."""
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return reasons[0] + more if reasons else ""


def subset_record(header: Header, decisions: Sequence[Decision], directory: str) -> SubsetRecord:
    """The subset as the catalog records it; the same catalog content, options and seed give the same id."""
    from river_envs.catalog import SubsetMember, SubsetRecord

    kept = [decision.id for decision in decisions if decision.kept]
    return SubsetRecord(
        id=digest(header.catalog_hash, header.keep, header.tier, header.seed, header.options, kept)[:12],
        command=header.command,
        seed=header.seed,
        keep=header.keep,
        options={**header.options, "tier": header.tier, "directory": directory, "grounds": counts(decisions)},
        catalog_hash=header.catalog_hash,
        members=[
            SubsetMember(
                decision.id, decision.kept, decision.rank if decision.kept else None, decision.tier, decision.reason,
                decision.candidate.worth,
            )
            for decision in decisions
        ],
    )
