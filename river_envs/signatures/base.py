"""The values that the other modules of this room give, alone and by the catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RENSA_ALGORITHM = 2
"""``RMinHash.ALGORITHM_VERSION`` of the rensa releases that this one works with: digests of another do not compare."""

VERSION = 100 + RENSA_ALGORITHM
"""Stored beside every signature. Raise it by 100 whenever any part would come out otherwise, a newer parser included;
``ensure_signatures`` then computes the stored ones anew."""

PERMUTATIONS = 128
"""Values of a MinHash: an estimated likeness J has the standard error ``sqrt(J (1 - J) / 128)``, 0.04 at 0.3."""

DIMENSIONS = 256
"""Values of a sketch."""


@dataclass(frozen=True)
class Signature:
    """What one environment is compared by.

    Attributes:
        fixture: hash of what the agent starts from; ``None`` where the image holds nothing of its own.
        tests: hash of the normalised tests; ``None`` where no test could be parsed.
        minhash: 128 little-endian uint32 over the instruction's word 8-grams; the share of equal values estimates
            the Jaccard likeness of two instructions. All ones for an instruction without words, which is like nothing.
        sketch: 256 int8; the cosine of two sketches follows the likeness of their topics.
        grams: winnowed fingerprints (uint64, ascending): instructions that share a run of 13 words share one.
    """

    fixture: str | None
    tests: str | None
    minhash: bytes
    sketch: bytes
    grams: tuple[int, ...]


@dataclass(frozen=True)
class Signatures:
    """Signatures of n environments in id order. Codes number what is equal, in this selection only; -1 is none."""

    ids: list[str]
    fixture: NDArray[np.int64]  # (n,)
    tests: NDArray[np.int64]  # (n,)
    minhash: NDArray[np.uint32]  # (n, 128)
    sketch: NDArray[np.int8]  # (n, 256)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Grams:
    """Fingerprints of n environments in id order: those of the i-th are ``values[offsets[i]:offsets[i + 1]]``."""

    ids: list[str]
    offsets: NDArray[np.int64]  # (n + 1,)
    values: NDArray[np.uint64]
