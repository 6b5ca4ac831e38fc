"""Who gets a place: tier after tier, cell by cell, and inside a cell by facility location."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from river_envs.selection.diversity import pick
from river_envs.selection.gates import TIERS, Admission, Candidate
from river_envs.selection.quotas import Cell, allot
from river_envs.selection.ranking import mean_learnability, value, vouched
from river_envs.selection.request import Request

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from river_envs.signatures.base import Signatures


def cell_of(candidate: Candidate, request: Request) -> Cell:
    """The cell that quotas put a candidate in; one for all without quotas."""
    return tuple(getattr(candidate, name) or "not stated" for name in request.quota)


def served(
    waiting: Sequence[Candidate],
    admissions: Mapping[str, Admission],
    candidates: Sequence[Candidate],
    limit: int,
    request: Request,
    signatures: Signatures | None,
) -> set[str]:
    """The ids that get a place: tier after tier, and in each tier cell by cell."""
    weights = Counter(cell_of(candidate, request) for candidate in candidates)
    mean = mean_learnability(candidates)
    row = {id: at for at, id in enumerate(signatures.ids)} if signatures is not None else {}
    kept: set[str] = set()
    had: Counter[Cell] = Counter()
    goal = allot(limit, weights, dict.fromkeys(weights, limit)) if weights else {}
    for tier in TIERS:
        cells: dict[Cell, list[Candidate]] = {}
        for one in waiting:
            if admissions[one.id].tier == tier:
                cells.setdefault(cell_of(one, request), []).append(one)
        for cell, number in _numbers(limit - len(kept), goal, had, weights, cells).items():
            own, sketch = cells[cell], None
            if number < len(own) and signatures is not None and request.diversity:
                sketch = signatures.sketch[[row[one.id] for one in own]]
            chosen = range(number) if sketch is None else _picked(own, sketch, number, mean, request)
            kept |= {own[at].id for at in chosen}
            had[cell] += number
    return kept


def _numbers(
    left: int,
    goal: Mapping[Cell, int],
    had: Mapping[Cell, int],
    weights: Mapping[Cell, int],
    cells: Mapping[Cell, Sequence[Candidate]],
) -> dict[Cell, int]:
    """Places for each cell of one tier: first up to the cell's goal, then what is left over by the cells' weights."""
    wanted = {cell: min(len(own), max(goal[cell] - had.get(cell, 0), 0)) for cell, own in cells.items()}
    first = allot(left, {cell: max(number, 1) for cell, number in wanted.items()}, wanted)
    room = {cell: len(own) - first[cell] for cell, own in cells.items()}
    more = allot(left - sum(first.values()), {cell: weights[cell] for cell in cells}, room)
    return {cell: first[cell] + more[cell] for cell in cells}


def _picked(
    own: Sequence[Candidate], sketch: npt.NDArray[np.int8], number: int, mean: float, request: Request
) -> list[int]:
    """Positions in ``own`` (best first) that get a place; those that a person vouched for come before all others."""
    first = [at for at, one in enumerate(own) if vouched(one)][:number]
    rest = [at for at, one in enumerate(own) if not vouched(one)]
    values = [value(own[at], mean) or 0.0 for at in rest]
    chosen = pick(values, sketch[rest], number - len(first), request.diversity)
    return [*first, *(rest[at] for at in chosen)]
