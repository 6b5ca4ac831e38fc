"""Which environments repeat a better one: the same tests on the same start, or nearly the same instruction.

Greedy in rank order: an environment is dropped when it repeats one that was kept before it. Likeness is the share of
equal MinHash values, which estimates the Jaccard likeness of the instructions' word 8-grams (Broder 1997).

**Locality-sensitive hashing.** Only environments that share a *bucket*, a pair of neighbouring values at the same
place (64 bands of 2 rows), are compared. With 39 of 128 values equal, the fewest that reach the threshold 0.3, the
chance that no pair is equal as a whole is 0.02 %; with 48 it is below one in a million, and above 64 there is none
(``miss_chance``).

**Boilerplate.** A sentence that a whole corpus repeats fills single buckets with environments that are not alike. Each
bucket therefore remembers its ``MOST_IN_BUCKET`` best kept members only, so that one environment is compared with at
most 64 x 8 others, whatever the corpus: the cost is that of sorting, n log n. Two alike environments then still meet
in every bucket that holds something of their own; what counts for the chance of a miss is how alike they are apart
from the boilerplate. Copies of one task need no such care: all but the first are dropped, and stay out of the buckets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from river_envs.signatures.base import PERMUTATIONS, Signatures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BANDS = PERMUTATIONS // 2
MOST_IN_BUCKET = 8
NOTHING = 0xFFFFFFFF
"""The first MinHash value of an instruction without words: such a one is like no other."""


def duplicates(
    order: Sequence[int] | NDArray[np.int64], signatures: Signatures, threshold: float = 0.3, enough: int | None = None
) -> dict[int, int]:
    """Positions that repeat an earlier kept one, each with the position of the best ranked that it repeats.

    Args:
        order: positions in ``signatures``, best first; what is not in it takes no part.
        signatures: of all environments.
        threshold: the least share of equal MinHash values that makes a duplicate, in (0, 1].
        enough: stop when so many were kept; what comes after was not looked at.
    """
    import numpy as np

    places = np.asarray(order, dtype=np.int64)
    minhash = np.ascontiguousarray(signatures.minhash[places])
    buckets = _Buckets(minhash)
    least = math.ceil(threshold * PERMUTATIONS - 1e-9)
    suites = list(zip(signatures.tests[places].tolist(), signatures.fixture[places].tolist(), strict=True))
    best_of_suite: dict[tuple[int, int], int] = {}
    found: dict[int, int] = {}
    for rank in range(len(places)):
        if enough is not None and rank - len(found) >= enough:
            break
        suite = suites[rank]
        known = best_of_suite.get(suite, -1) if suite[0] >= 0 else -1
        mates = buckets.kept_mates(rank)
        if len(mates):
            equal = np.count_nonzero(minhash[mates] == minhash[rank], axis=1)
            alike = mates[equal >= least]
            if len(alike):
                known = min(int(alike.min()), known if known >= 0 else rank)
        if known >= 0:
            found[int(places[rank])] = int(places[known])
        else:
            buckets.keep(rank)
            if suite[0] >= 0:
                best_of_suite[suite] = rank
    return found


def miss_chance(equal: int) -> float:
    """The chance that two environments with ``equal`` of 128 MinHash values equal share no bucket.

    The equal places are a random choice of ``equal`` out of 128; a miss takes at most one from each of 64 pairs.
    """
    if equal > BANDS:
        return 0.0
    return float(math.comb(BANDS, equal) * 2**equal / math.comb(PERMUTATIONS, equal))


class _Buckets:
    """Who shares a bucket with whom, and who of them was kept. Members are ranks, so the least is the best."""

    def __init__(self, minhash: NDArray[np.uint32]) -> None:
        import numpy as np

        number = len(minhash)
        self._codes = np.full((number, BANDS), -1, np.int32)  # the bucket by member and band; -1: alone in it
        sizes = [np.empty(0, np.int32)]
        buckets = 0
        present = minhash[:, 0] != NOTHING
        pairs = minhash.view(np.uint64)
        for band in range(BANDS):
            order = np.argsort(pairs[:, band], kind="stable")
            order = order[present[order]]
            ordered = pairs[order, band]
            starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(order) else order
            counts = np.diff(np.append(starts, len(order)))
            shared = counts > 1
            codes = np.where(shared, np.cumsum(shared) - 1 + buckets, -1)
            self._codes[order, band] = np.repeat(codes, counts)
            sizes.append(np.minimum(counts[shared], MOST_IN_BUCKET).astype(np.int32))
            buckets += int(shared.sum())
        capacity = np.concatenate(sizes)
        self._start = np.concatenate([[0], np.cumsum(capacity, dtype=np.int64)])
        self._filled = np.zeros(buckets, np.int32)
        self._members = np.full(int(self._start[-1]), -1, np.int32)
        self._lonely: NDArray[np.bool_] = np.all(self._codes < 0, axis=1)

    def kept_mates(self, rank: int) -> NDArray[np.int32]:
        """Kept members of the buckets of ``rank``, each once."""
        import numpy as np

        if self._lonely[rank]:
            return self._members[:0]
        codes = self._codes[rank]
        codes = codes[codes >= 0]
        codes = codes[self._filled[codes] > 0]
        if not len(codes):
            return self._members[:0]
        places = self._start[codes][:, None] + np.arange(int(self._filled[codes].max()))
        inside = places < (self._start[codes] + self._filled[codes])[:, None]
        return np.unique(self._members[places[inside]])

    def keep(self, rank: int) -> None:
        """Add ``rank`` to its buckets, as far as they have room."""
        if self._lonely[rank]:
            return
        codes = self._codes[rank]
        codes = codes[codes >= 0]
        places = self._start[codes] + self._filled[codes]
        room = places < self._start[codes + 1]
        self._members[places[room]] = rank
        self._filled[codes[room]] += 1
