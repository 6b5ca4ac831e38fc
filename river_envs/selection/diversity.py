"""Facility location: of equally good tasks, those that stand for many others.

F(S) = Σ_{j ∈ S} value_j + λ · Σ_i value_i · max_{j ∈ S} similarity(i, j) is monotone and submodular, so that greedy
picks reach 1 − 1/e of the best (Nemhauser, Wolsey and Fisher 1978), and a stale gain is an upper bound: only the top of
a heap is reckoned again (Minoux 1978). Similarities are cosines of the sketches made at ingest, between nearest
neighbours only.
λ scales the second sum so that an average first pick is worth ``weight`` of its own value by what it covers: quality
stays dominant, since diversity by itself is drawn to the odd ones, and the odd ones are the defects.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

NEIGHBOURS = 16
LEAF = 512
"""Cells above this size are cut in halves until they fit: neighbours are looked for inside one part, so that the cost
grows as n log n.
"""


def neighbours(
    sketch: npt.NDArray[np.int8], most: int = NEIGHBOURS
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """The nearest neighbours of each row, itself first.

    Args:
        sketch: (n, d) int8, rows whose cosine tells how alike two tasks are.
        most: neighbours of each beside itself.

    Returns:
        positions (n, k + 1) and cosines (n, k + 1) in [0, 1], k = min(most, n − 1); a part with fewer rows than that
        repeats the row itself with cosine 0.
    """
    import numpy as np

    n = len(sketch)
    width = min(most, max(n - 1, 0)) + 1
    positions = np.repeat(np.arange(n, dtype=np.int64)[:, None], width, axis=1)
    cosines = np.zeros((n, width), dtype=np.float32)
    rows = sketch.astype(np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    for part in _parts(sketch):
        own = rows[part]
        table = np.clip(np.round(own @ own.T, 5), 0.0, 1.0)  # rounded: the order of additions must not decide
        np.fill_diagonal(table, 2.0)
        size = min(width, len(part))
        order = np.argsort(-table, axis=1, kind="stable")[:, :size]
        positions[part[:, None], np.arange(size)] = part[order]
        cosines[part[:, None], np.arange(size)] = np.minimum(np.take_along_axis(table, order, axis=1), 1.0)
    return positions, cosines


def _parts(sketch: npt.NDArray[np.int8]) -> list[npt.NDArray[np.int64]]:
    """Row numbers in groups of at most ``LEAF``: halves by the median of one coordinate after another. Sketches are
    random projections, so that each coordinate is a fair one to cut at.
    """
    import numpy as np

    done, waiting = [], [(np.arange(len(sketch), dtype=np.int64), 0)]
    while waiting:
        part, depth = waiting.pop()
        if len(part) <= LEAF:
            done.append(part)
            continue
        order = part[np.argsort(sketch[part, depth % sketch.shape[1]], kind="stable")]
        middle = len(order) // 2
        waiting += [(np.sort(order[:middle]), depth + 1), (np.sort(order[middle:]), depth + 1)]
    return done


def pick(values: Sequence[float], sketch: npt.NDArray[np.int8], places: int, weight: float) -> list[int]:
    """The positions of the ``places`` that are kept, in the order in which they were picked.

    Args:
        values: what each candidate is worth, from 0 to 1, best first: equal gains go to the earlier position.
        sketch: (n, d) int8, a row for each.
        places: how many to keep.
        weight: see the module docstring; 0 keeps the first ``places``.
    """
    import numpy as np

    if places >= len(values) or weight == 0:
        return list(range(min(places, len(values))))
    worth = np.maximum(np.asarray(values, dtype=np.float64), 1e-9)
    near, alike = neighbours(sketch)
    covers = worth[near] * alike
    first = covers.sum(axis=1)
    scale = weight * float(worth.mean()) / max(float(first.mean()), 1e-12)
    covered = np.zeros(len(worth))
    heap = [(-round(float(gain), 9), position) for position, gain in enumerate(worth + scale * first)]
    heapq.heapify(heap)
    picked: list[int] = []
    while heap and len(picked) < places:
        bound, position = heapq.heappop(heap)
        at, by = near[position], alike[position]
        gain = worth[position] + scale * float((worth[at] * np.maximum(by - covered[at], 0.0)).sum())
        current = (-round(float(gain), 9), position)
        if heap and current > heap[0] and current != (bound, position):
            heapq.heappush(heap, current)
            continue
        picked.append(position)
        covered[at] = np.maximum(covered[at], by)
    return picked
