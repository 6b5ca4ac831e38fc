"""Why a candidate that passed every gate got no place, in a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from river_envs.selection.gates import Admission, Candidate
from river_envs.selection.quotas import Cell
from river_envs.selection.ranking import descending, vouched
from river_envs.selection.request import Request
from river_envs.selection.serving import cell_of


def last_kept(waiting: Sequence[Candidate], kept: set[str], request: Request) -> dict[Cell, tuple[Candidate, int]]:
    """For each cell its kept candidate of the lowest rank, and how many it keeps."""
    found: dict[Cell, tuple[Candidate, int]] = {}
    for one in waiting:
        if one.id in kept:
            cell = cell_of(one, request)
            found[cell] = (one, found[cell][1] + 1 if cell in found else 1)
    return found


def outranked(
    candidate: Candidate,
    admissions: Mapping[str, Admission],
    own: tuple[Candidate, int] | None,
    every: Mapping[Cell, tuple[Candidate, int]],
    limit: int,
    request: Request,
) -> str:
    """Why a candidate that passed every gate got no place."""
    admission = admissions[candidate.id]
    if not every:
        return f"{admission.reason}, but the share leaves no place"
    of = f" of {', '.join(cell_of(candidate, request))}" if request.quota else ""
    if own is None:
        return f"{admission.reason}, but its cell ({', '.join(cell_of(candidate, request))}) is too small for a place"
    last, number = own
    taken = f"the {number} places{of} were" if number > 1 else f"the only place{of} was"
    if admissions[last.id].tier != admission.tier:
        return f"{admission.reason}, but {taken} taken by sound environments"
    if vouched(last) and not vouched(candidate):
        return f"{admission.reason}, but {taken} taken by environments that a person marked sound"
    pairs = (("quality", candidate.worth, last.worth), ("learnability", candidate.learnability, last.learnability))
    for word, mine, theirs in pairs if not vouched(candidate) else ():
        if descending(mine) > descending(theirs):
            return f"{admission.reason}, but {taken} taken by higher {word} ({_compared(mine, theirs)})"
        if descending(mine) < descending(theirs):
            return f"{admission.reason}, but {taken} taken by environments that stand for more of the others"
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
