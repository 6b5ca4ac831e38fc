"""Words of a text and hashes over runs of them, in numpy and the same on every machine."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from river_envs.signatures.base import PERMUTATIONS, RENSA_ALGORITHM

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

MINHASH_WORDS = 8
GRAM_WORDS = 10
WINDOW = 4
SHARED_WORDS = GRAM_WORDS + WINDOW - 1
"""Any run of 13 words that two texts share gives them a common fingerprint."""

_SEED = 42
_EDGES = "`*_#>|\"'()[]{}<,.;:!?-"
"""What may stand around a word without being part of it: punctuation and marks of Markdown."""


def words(text: str) -> list[str]:
    """The words of ``text``: without case, white space and the punctuation around them."""
    stripped = (word.strip(_EDGES) for word in text.casefold().split())
    return [word for word in stripped if word]


@lru_cache(maxsize=1 << 16)
def _hashed(word: str) -> bytes:
    return blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def hashed(found: Iterable[str]) -> NDArray[np.uint64]:
    """One 64-bit hash per word."""
    import numpy as np

    return np.frombuffer(b"".join(map(_hashed, found)), dtype="<u8").astype(np.uint64)


def runs(hashes: NDArray[np.uint64], length: int) -> NDArray[np.uint64]:
    """One hash per run of ``length`` words; none where there are fewer words.

    A polynomial in the words' hashes modulo 2^64, then the finaliser of SplitMix64 (Steele, Lea and Flood 2014): so
    every bit depends on every word and its place.
    """
    import numpy as np

    count = len(hashes) - length + 1
    if count < 1:
        return np.empty(0, np.uint64)
    total = np.zeros(count, np.uint64)
    for place in range(length):
        total = total * np.uint64(0x9E3779B97F4A7C15) + hashes[place:place + count]
    return mixed(total)


def mixed(values: NDArray[np.uint64], turn: int = 0) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64; another ``turn`` gives independent bits."""
    import numpy as np

    total = values + np.uint64(turn * 0x9E3779B97F4A7C15 % 2**64)
    total = (total ^ (total >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    total = (total ^ (total >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return total ^ (total >> np.uint64(31))


def winnowed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Fingerprints of a text: the least hash of every four neighbouring runs of ten words, ascending.

    Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document fingerprinting" (SIGMOD 2003): texts
    that share ``SHARED_WORDS`` words in a row share the least hash of that window, whatever stands around it.
    """
    import numpy as np

    found = runs(hashes, GRAM_WORDS)
    if len(found) < WINDOW:
        return np.empty(0, np.uint64)
    return np.unique(np.lib.stride_tricks.sliding_window_view(found, WINDOW).min(axis=1))


def minhashes(texts: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint32]:
    """(n, 128) MinHashes over the runs of eight words of n texts, given as word hashes; shorter texts are one run."""
    import numpy as np
    import rensa

    if rensa.RMinHash.ALGORITHM_VERSION != RENSA_ALGORITHM:
        raise RuntimeError(f"rensa computes other digests than VERSION says: {rensa.RMinHash.ALGORITHM_VERSION=!r}")
    sets = [np.unique(runs(text, min(MINHASH_WORDS, max(len(text), 1)))) for text in texts]
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    values = np.concatenate(sets) if sets else np.empty(0, np.uint64)
    matrix = rensa.RMinHash.digest_matrix_from_flat_token_hashes(values, offsets.tolist(), PERMUTATIONS, _SEED)
    return np.array(matrix.to_rows(), dtype=np.uint32).reshape(len(sets), PERMUTATIONS)
