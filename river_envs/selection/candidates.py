"""From a catalog to the filter's candidates, and from its decisions back to a subset's record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from river_envs.environment import digest
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
SELECT e.id, e.name, v.verdict, v.causes, v.reasons[1], len(v.reasons), s.quality, s.learnability,
    m.kind, m.note, m.who, e.unsupported, e.domain, e.verifier_kind, e.source, e.format, e.has_reference,
    s.p_accepts_wrong, s.p_rejects_right, s.instability, s.p_sound, e.task_complexity, e.skill_type, e.language,
    e.difficulty
FROM environment e
LEFT JOIN verdict v ON v.environment_id = e.id
LEFT JOIN score s ON s.environment_id = e.id
LEFT JOIN latest_mark m ON m.environment_id = e.id
ORDER BY e.id
"""  # the tables, not environments_view: that would count every attempt first


def candidates(catalog: Catalog) -> list[Candidate]:
    """Every unique environment of the catalog, in id order."""
    found = []
    for (
        id, name, verdict, causes, reason, reasons, quality, learnability, kind, note, who, unsupported, *rest
    ) in catalog.rows(_QUERY):  # fmt: skip
        more = f" (and {reasons - 1} more)" if reasons and reasons > 1 else ""  # one reason usually causes the others
        mark = Mark(kind, note or "", who or "") if kind not in (None, "clear") else None
        found.append(
            Candidate(
                id, name, verdict, tuple(causes or ()), f"{reason}{more}" if reason else "", quality, learnability,
                mark, tuple(unsupported or ()), *rest,
            )
        )  # fmt: skip
    return found


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
