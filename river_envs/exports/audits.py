"""A whole catalog seen as a subset: what its audit would let through the gates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from river_envs.exports.subsets import Member, Subset
from river_envs.selection.candidates import candidates
from river_envs.selection.gates import admit

if TYPE_CHECKING:
    from river_envs.catalog import Catalog


def judged(catalog: Catalog) -> Subset:
    """Every environment of ``catalog`` with its verdict; what passes the gates counts as kept."""
    found = []
    for one in candidates(catalog):
        admission = admit(one)
        kept = admission.tier is not None
        found.append(
            Member(
                one.id, one.name, kept, admission.tier, None, "kept" if kept else admission.ground, admission.reason,
                one.verdict, one.causes, one.quality, one.p_sound, one.domain, one.source,
            )
        )
    return Subset(str(catalog.path), tuple(found))
