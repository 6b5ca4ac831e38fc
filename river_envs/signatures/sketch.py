"""A topic in 256 bytes: a signed random projection of word counts.

The bits of a word's hash, mixed four times, are its 256 signs, so the projection needs no stored matrix (Weinberger et
al. 2009 hash features the same way; Achlioptas 2003 shows that signs suffice to keep angles): the cosine of two
sketches is that of the texts within about 0.06. Every number is a whole one: a count weighs its bit length,
a logarithm that comes out alike on all machines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from river_envs.signatures.base import DIMENSIONS
from river_envs.signatures.words import hashed, mixed, runs

MOST_TEST_BYTES = 64 * 1024
_IDENTIFIER = re.compile(rb"[A-Za-z]{4,24}")


def content_words(found: Iterable[str]) -> list[str]:
    """``found`` without the short words that any English text is full of."""
    return [word for word in found if len(word) > 3 or not word.isalpha()]


def identifiers(sources: Iterable[bytes]) -> list[str]:
    """The parts of the names in test sources (``test_row_count`` gives test, count), of a bounded number of bytes."""
    found: list[str] = []
    left = MOST_TEST_BYTES
    for source in sources:
        found.extend(word.decode().lower() for word in _IDENTIFIER.findall(source[:left]))
        left -= min(left, len(source))
    return found


def sketch(instruction: Sequence[str], tests: Sequence[str]) -> bytes:
    """256 int8 from the words of the instruction (weight 2), their neighbouring pairs and the tests' words (1 each)."""
    import numpy as np

    asked = hashed(content_words(instruction))
    counted = [np.unique(features, return_counts=True) for features in (asked, runs(asked, 2), hashed(tests))]
    hashes = np.concatenate([values for values, _ in counted])
    weights = np.concatenate([  # frexp's exponent is the bit length, exactly
        times * np.frexp(counts.astype(np.float64))[1] for (_, counts), times in zip(counted, (2, 1, 1), strict=True)
    ])
    drawn = np.stack([mixed(hashes, turn) for turn in range(DIMENSIONS // 64)], axis=1)
    octets = drawn.astype("<u8").view(np.uint8).reshape(len(drawn), DIMENSIONS // 8)
    bits = np.unpackbits(octets, axis=1, bitorder="little")
    total = 2 * (weights.astype(np.float64) @ bits.astype(np.float64)) - weights.sum()  # whole numbers: exact
    size = np.abs(total).max()
    scaled = np.fix(total * 127 / size) if size else total
    return bytes(scaled.astype(np.int8))
