"""Near-duplicates: in rank order, what is nearly the same as a better one that stays is dropped.

Two environments are near-duplicates when the estimated Jaccard similarity of the word 8-grams of their instructions is
at least 0.3, or when the syntax trees of their tests and the files that they work on are the same (another wording of
one task). The same tests on other files are another task, unless neither brings files of its own.

Candidates for the first are found by banding (Indyk and Motwani 1998): 64 bands of two rows, of which a pair of
similarity 0.3 shares none once in 420 times, and one of 0.05 shares one in seven. Buckets of one environment are left
out; in a bucket one is compared with at most ``MOST`` that stay, the best first, so that boilerplate that fills a
bucket costs a bounded time for each environment: what stays in one bucket is alike by chance only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from river_envs.signatures.table import Signatures

THRESHOLD: Final = 0.3
ROWS: Final = 2
MOST: Final = 32


def duplicates(
    order: Sequence[int], signatures: Signatures, threshold: float = THRESHOLD
) -> dict[int, int]:
    """Which of the rows in ``order`` (best first) are near-duplicates: the dropped one's row to that of the better one
    that stays.

    Args:
        order: row numbers of ``signatures``, each once.
        signatures: of all environments.
        threshold: least estimated Jaccard similarity of the instructions.
    """
    import numpy as np

    rows = np.asarray(order, dtype=np.int64)
    if len(rows) < 2:
        return {}
    minhash = signatures.minhash[rows]
    buckets = _buckets(minhash)
    same = _same_task(rows, signatures)
    members: dict[int, list[int]] = {}
    tasks: dict[int, int] = {}
    found: dict[int, int] = {}
    for at in range(len(rows)):
        better = tasks.get(int(same[at]), -1) if same[at] >= 0 else -1
        own = buckets[at]
        own = own[own >= 0].tolist()
        if better < 0 and own:
            near = sorted({one for bucket in own for one in members.get(bucket, ())})
            alike = (minhash[near] == minhash[at]).mean(axis=1) >= threshold if near else ()
            better = next((one for one, yes in zip(near, alike, strict=True) if yes), -1)
        if better >= 0:
            found[int(rows[at])] = int(rows[better])
            continue
        if same[at] >= 0:
            tasks[int(same[at])] = at
        for bucket in own:
            held = members.setdefault(bucket, [])
            if len(held) < MOST:
                held.append(at)
    return found


def _buckets(minhash: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """(n, bands) bucket numbers, each unique over all bands; −1 where a bucket has one member only."""
    import numpy as np

    n, permutations = minhash.shape
    bands = permutations // ROWS
    numbers = np.full((n, bands), -1, dtype=np.int64)
    start = 0
    for band in range(bands):
        pair = minhash[:, band * ROWS : (band + 1) * ROWS].astype(np.uint64)
        keys = (pair[:, 0] << np.uint64(32)) | pair[:, 1]
        _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        shared = counts[inverse] > 1
        numbers[shared, band] = start + inverse[shared]
        start += len(counts)
    return numbers


def _same_task(rows: npt.NDArray[np.int64], signatures: Signatures) -> npt.NDArray[np.int64]:
    """(n,) a number for each pair of tests and fixture; −1 where there are no tests to compare."""
    import numpy as np

    tests, fixture = signatures.tests[rows], signatures.fixture[rows]
    pairs = tests * (signatures.fixture.max(initial=0) + 2) + fixture + 1
    return np.where(tests >= 0, pairs, -1)
