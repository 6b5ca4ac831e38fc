"""Which environments are kept: gates, then rank, then what is too like a better one leaves, then places.

Pure: no clock, no catalog, no dependence on the order of the input. The same candidates and request give the same
decisions on any machine, and every candidate gets exactly one, with a sentence that a person can check.

**Rank**: tier, then environments that a person marked sound (their quality was computed from the very findings that the
person overruled), then worth × learnability, highest first and unmeasured last. ``worth`` is the calibrated probability
that a verifier is sound where there is one, else the rule-based quality; an environment whose learnability nobody
measured counts with the mean of those that were measured. What is still equal is ordered by a hash of seed and id: a
random draw that favours no corpus and no name.

**Places**: without quotas one cell, with them one for each combination of traits (``quotas.py``). Tiers are served in
order, so that quotas never put a resisted environment before a sound one that waits. In a cell with more candidates
than places, facility location chooses (``diversity.py``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from river_envs.environment import RiverError
from river_envs.selection.drops import doubtful, too_like
from river_envs.selection.gates import GROUNDS, Admission, Candidate, Tier, admit
from river_envs.selection.outranked import last_kept, outranked
from river_envs.selection.ranking import ranked
from river_envs.selection.request import Request
from river_envs.selection.serving import cell_of, served

if TYPE_CHECKING:
    from river_envs.signatures.base import Signatures


@dataclass(frozen=True, slots=True)
class Decision:
    """What happened to one candidate. ``rank`` counts from 1 among all that passed the gates, kept or not;
    ``better`` is the id of the one that took its place, where there is exactly one.
    """

    candidate: Candidate
    kept: bool
    tier: Tier | None
    rank: int | None
    ground: str
    reason: str
    better: str | None = None

    @property
    def id(self) -> str:
        """The environment's id."""
        return self.candidate.id


def places(keep: float, environments: int) -> int:
    """How many may be kept so that the share stays strictly under ``keep``: ⌈keep·N⌉ − 1.

    The share is read as the decimal number that was typed: 0.07 of 100 is 7, not 7.000000000000001.
    """
    return max(0, math.ceil(Fraction(repr(float(keep))) * environments) - 1)


def choose(
    candidates: Sequence[Candidate],
    request: Request,
    signatures: Signatures | None = None,
    contaminated: Mapping[str, str] | None = None,
) -> list[Decision]:
    """Decide about every candidate; kept ones first, by rank, then the others that passed the gates, then the rest by
    id.

    Args:
        candidates: every unique ingested environment, those that cannot be kept included.
        request: what was asked for.
        signatures: of the candidates (any order); without them nothing is dropped for likeness.
        contaminated: id to a sentence, for those that share text with a benchmark.

    Raises:
        RiverError: a quota on a trait that no candidate has.
        ValueError: two candidates with one id; the caller has to count unique environments.
    """
    repeated = [id for id, times in Counter(candidate.id for candidate in candidates).items() if times > 1]
    if repeated:
        raise ValueError(f"candidates must be unique, repeated={repeated[:3]!r}")
    _check_quota(candidates, request)
    admissions = {candidate.id: _admit(candidate, request, contaminated or {}) for candidate in candidates}
    order = ranked(candidates, admissions, request)
    dropped = too_like(order, request, signatures)
    waiting = [one for one in order if one.id not in dropped]
    dropped |= doubtful(waiting, request)
    waiting = [one for one in waiting if one.id not in dropped]
    limit = places(request.keep, len(candidates))
    limit = limit if request.budget is None else min(limit, request.budget)
    kept = served(waiting, admissions, candidates, limit, request, signatures)

    ranks = {one.id: rank for rank, one in enumerate(order, start=1)}
    last = last_kept(waiting, kept, request)
    decisions = [
        Decision(one, True, admissions[one.id].tier, ranks[one.id], "kept", admissions[one.id].reason)
        for one in waiting
        if one.id in kept
    ]
    for one in order:
        admission = admissions[one.id]
        if one.id in dropped:
            ground, reason, better = dropped[one.id]
            reason = f"{admission.reason}, but {reason}"
            decisions.append(Decision(one, False, admission.tier, ranks[one.id], ground, reason, better))
        elif one.id not in kept:
            reason = outranked(one, admissions, last.get(cell_of(one, request)), last, limit, request)
            decisions.append(Decision(one, False, admission.tier, ranks[one.id], "outranked", reason))
    for one in sorted(candidates, key=lambda candidate: candidate.id):
        admission = admissions[one.id]
        if admission.tier is None:
            decisions.append(Decision(one, False, None, None, admission.ground, admission.reason))
    return decisions


def counts(decisions: Sequence[Decision]) -> dict[str, int]:
    """How many decisions have each ground, in the order of ``GROUNDS``, zeros left out."""
    found = Counter(decision.ground for decision in decisions)
    return {ground: found[ground] for ground in GROUNDS if found[ground]}


def why_nothing(decisions: Sequence[Decision], keep: float) -> str:
    """One sentence that says why no environment was kept."""
    if not decisions:
        return "Nothing to filter: the catalog holds no environments; run river-envs ingest first."
    found = counts(decisions)
    if "outranked" in found:
        number = len(decisions)
        return (
            f"Nothing kept: {found['outranked']} qualify, but fewer than {keep:g} of {number} environments is none; "
            "raise --keep or ingest more."
        )
    listing = ", ".join(f"{number} {ground}" for ground, number in found.items())
    remedy = " Run river-envs audit first." if set(found) == {"not-audited"} else ""
    return f"Nothing kept: no environment passed the gates ({listing}).{remedy}"


def _check_quota(candidates: Sequence[Candidate], request: Request) -> None:
    for name in request.quota:
        if candidates and all(getattr(candidate, name) in (None, "") for candidate in candidates):
            raise RiverError(f"--quota {name}: no environment of the catalog says what its {name} is; leave it out.")


def _admit(candidate: Candidate, request: Request, contaminated: Mapping[str, str]) -> Admission:
    admission = admit(candidate, request.tier)
    if admission.tier is not None and candidate.id in contaminated:
        return Admission(None, "contaminated", contaminated[candidate.id])
    return admission
