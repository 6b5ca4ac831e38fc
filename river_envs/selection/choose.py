"""Which environments are kept: gates, then rank, then as many as the share allows.

Pure: no clock, no catalog, no dependence on the order of the input. The same candidates, share, tier and seed give the
same decisions on any machine, and every candidate gets exactly one, with a sentence that a person can check.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from river_envs.environment import RiverError, digest
from river_envs.selection.gates import GROUNDS, TIERS, Admission, Candidate, Tier, admit


@dataclass(frozen=True)
class Decision:
    """What happened to one candidate. ``rank`` counts from 1 among all that passed the gates, kept or not."""

    candidate: Candidate
    kept: bool
    tier: Tier | None
    rank: int | None
    ground: str
    reason: str

    @property
    def id(self) -> str:
        """The environment's id."""
        return self.candidate.id


def places(keep: float, environments: int) -> int:
    """How many may be kept so that the share stays strictly under ``keep``: ⌈keep·N⌉ − 1.

    The share is read as the decimal number that was typed: 0.07 of 100 is 7, not 7.000000000000001.

    Raises:
        RiverError: ``keep`` is not in (0, 1].
    """
    if not 0 < keep <= 1:
        raise RiverError(f"--keep must be a share above 0 and at most 1, for example 0.3; got {keep!r}.")
    return max(0, math.ceil(Fraction(repr(float(keep))) * environments) - 1)


def choose(
    candidates: Sequence[Candidate], keep: float, tier: Tier = "resisted", seed: int = 0
) -> list[Decision]:
    """Decide about every candidate; kept ones first, by rank, then the outranked, then the rest by id.

    Rank: tier, then environments that a person marked sound (their quality was computed from the very findings that
    the person overruled), then quality, then learnability, highest first and unmeasured last. What is still equal is
    ordered by a hash of ``seed`` and id, which amounts to a random draw that favours no corpus and no name.

    Args:
        candidates: every unique ingested environment, those that cannot be kept included.
        keep: the share that the subset must stay strictly under, in (0, 1].
        tier: the last tier to admit: ``sound``, or ``resisted`` to fill the places that ``sound`` left.
        seed: decides between equals.

    Raises:
        RiverError: a share or tier that does not exist.
        ValueError: two candidates with one id; the caller has to count unique environments.
    """
    if tier not in TIERS:
        raise RiverError(f"--tier must be one of {', '.join(TIERS)}; got {tier!r}.")
    limit = places(keep, len(candidates))
    repeated = [id for id, times in Counter(candidate.id for candidate in candidates).items() if times > 1]
    if repeated:
        raise ValueError(f"candidates must be unique, repeated={repeated[:3]!r}")
    admissions = {candidate.id: admit(candidate, tier) for candidate in candidates}
    ranked = sorted(
        (candidate for candidate in candidates if admissions[candidate.id].tier is not None),
        key=lambda candidate: _rank_key(candidate, admissions[candidate.id], seed),
    )
    last = ranked[limit - 1] if 0 < limit <= len(ranked) else None
    decisions = []
    for rank, candidate in enumerate(ranked, start=1):
        admission, kept = admissions[candidate.id], rank <= limit
        decisions.append(
            Decision(
                candidate,
                kept,
                admission.tier,
                rank,
                "kept" if kept else "outranked",
                admission.reason if kept else _outranked(candidate, admission, last, admissions, limit),
            )
        )
    for candidate in sorted(candidates, key=lambda candidate: candidate.id):
        admission = admissions[candidate.id]
        if admission.tier is None:
            decisions.append(Decision(candidate, False, None, None, admission.ground, admission.reason))
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


def _rank_key(candidate: Candidate, admission: Admission, seed: int) -> tuple[object, ...]:
    assert admission.tier is not None
    return (
        TIERS.index(admission.tier),
        not _vouched(candidate),
        _descending(candidate.quality),
        _descending(candidate.learnability),
        digest(seed, candidate.id),
        candidate.id,
    )


def _vouched(candidate: Candidate) -> bool:
    return candidate.mark is not None and candidate.mark.kind == "sound"


def _descending(value: float | None) -> float:
    """A key that sorts high numbers first and unmeasured or undefined ones last."""
    return -value if value is not None and math.isfinite(value) else math.inf


def _outranked(
    candidate: Candidate, admission: Admission, last: Candidate | None, admissions: dict[str, Admission], limit: int
) -> str:
    """Why a candidate that passed every gate got no place."""
    if last is None:
        return f"{admission.reason}, but the share leaves no place"
    taken = f"the {limit} places were" if limit > 1 else "the only place was"
    if admissions[last.id].tier != admission.tier:
        return f"{admission.reason}, but {taken} taken by sound environments"
    if _vouched(last) and not _vouched(candidate):
        return f"{admission.reason}, but {taken} taken by environments that a person marked sound"
    for word, mine, theirs in (
        ("quality", candidate.quality, last.quality),
        ("learnability", candidate.learnability, last.learnability),
    ):
        if _descending(mine) != _descending(theirs) and not _vouched(candidate):
            return f"{admission.reason}, but {taken} taken by higher {word} ({_compared(mine, theirs)})"
    return f"{admission.reason}, but {taken} taken by equals that the seed drew first"


def _compared(mine: float | None, theirs: float | None) -> str:
    """``0.91 < 0.93`` with as many digits as tell the two apart."""
    if mine is None or theirs is None or not math.isfinite(mine):
        return "not measured"
    for digits in range(2, 17):
        low, high = f"{mine:.{digits}f}", f"{theirs:.{digits}f}"
        if low != high:
            return f"{low} < {high}"
    return f"{mine!r} < {theirs!r}"
