"""What a task is about, in 256 small numbers: a signed random projection of its words.

The words and word pairs of the instruction and the names in the tests are counted, logarithmically, and projected
on 256 directions of ±1 that a hash draws for each word (Johnson-Lindenstrauss with Achlioptas' signs, 2003): the cosine
of two sketches estimates the cosine of the two texts, within about 0.06. Words of every instruction are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from math import log
from typing import Final

from river_envs.environment import Verifier

SIZE: Final = 256
MOST: Final = 4000
"""Words of each part that are read."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z_]{2,}")
_COMMON: Final = frozenset(
    (  # noqa: SIM905 - a few lines are easier to read than ninety
        "the a an and or of to in is it be on at by for with from as that this these those each all any no not if then"
        " else you your must should will can may file files create write read use using named called into its their has"
        " have one assert import def return self true false none test tests path open exists len str int name main"
    ).split()
)


def sketch(instruction: Sequence[str], verifier: Verifier) -> bytes:
    """256 int8 for an environment, scaled so that the largest is ±127; zeros where there is no word."""
    import numpy as np

    kept = [word for word in instruction[:MOST] if word not in _COMMON and len(word) > 1]
    counts = Counter(kept)
    counts.update(f"{one} {two}" for one, two in pairwise(kept))
    text = " ".join(file.content[:40_000].decode("utf-8", "replace") for file in verifier.files)
    named = Counter(f"test {name}" for name in _NAME.findall(text.casefold())[:MOST] if name not in _COMMON)
    weights = [1 + log(count) for count in counts.values()] + [0.3 * (1 + log(count)) for count in named.values()]
    drawn = b"".join(_draw(word) for word in (*counts, *named))
    signs = 2.0 * np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(len(weights), SIZE) - 1
    total = np.round(np.asarray(weights) @ signs, 6)  # rounded: the order of additions must not decide
    largest = float(np.abs(total).max())
    scaled = np.round(127 * total / largest) if largest else total
    return bytes(scaled.astype(np.int8).tobytes())


def _draw(word: str) -> bytes:
    return blake2b(word.encode("utf-8", "surrogatepass"), digest_size=SIZE // 8).digest()
