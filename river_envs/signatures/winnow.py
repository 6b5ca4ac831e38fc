"""Winnowed fingerprints (Schleimer, Wilkerson and Aiken, SIGMOD 2003): few hashes, and no long passage escapes.

Of each ``WINDOW`` consecutive hashes of ``GRAM`` words the smallest is kept. Two texts that share a run of
``GRAM + WINDOW − 1`` = 13 words share a fingerprint, always; two that share one need not share 13 words.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

GRAM: Final = 10
WINDOW: Final = 4
RUN: Final = GRAM + WINDOW - 1
"""Words of a shared run that is always found: the 13 of the usual decontamination (GPT-3, arXiv 2005.14165, app. C)."""


def fingerprints(words: Sequence[str]) -> tuple[int, ...]:
    """The fingerprints of a text as unsigned 64-bit numbers, ascending; none for one of fewer than 13 words."""
    if len(words) < RUN:
        return ()
    hashes = [_hash(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)]
    return tuple(sorted({min(hashes[at : at + WINDOW]) for at in range(len(hashes) - WINDOW + 1)}))


def _hash(gram: Sequence[str]) -> int:
    return int.from_bytes(blake2b(" ".join(gram).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def shared_run(one: Sequence[str], other: Sequence[str]) -> str | None:
    """The first run of 13 words of ``one`` that also stands in ``other``, or None."""
    there = {tuple(other[at : at + RUN]) for at in range(len(other) - RUN + 1)}
    runs = (tuple(one[at : at + RUN]) for at in range(len(one) - RUN + 1))
    return next((" ".join(run) for run in runs if run in there), None)
