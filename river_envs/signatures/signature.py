"""The signature of one environment: what it is compared by.

- ``fixture``: the files that it works on. The hash of the recipe's context files; without any, of the recipe itself
  where that writes files (a here document, a redirection, ``%files``). None where tasks share nothing but a base image.
- ``tests``: the syntax trees of its tests, without comments, docstrings and layout, with their constants.
- ``minhash``: 128 permutations over the word 8-grams of the instruction (Broder 1997), so that equal places estimate
  their Jaccard similarity.
- ``sketch``: what the task is about, see ``sketch.py``.
- ``grams``: winnowed fingerprints of the instruction (``winnow.py``), to find passages shared with a benchmark.

Nothing in it depends on the machine; ``VERSION`` is raised when a value would change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from river_envs.environment import Environment, ImageRecipe, digest
from river_envs.signatures.sketch import sketch
from river_envs.signatures.trees import digest_of_tests
from river_envs.signatures.winnow import fingerprints

VERSION: Final = 1
PERMUTATIONS: Final = 128
WORDS: Final = 8
"""Words of one gram."""
SEED: Final = 42
LONGEST: Final = 200_000
"""Characters of an instruction that are read; longer ones are compared by their beginning."""

_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"(?m)^\s*#.*$|(?<=\s)#.*$")
_WRITES = re.compile(r"<<|(?<![0-9&>])>>?\s*[\w/\"'$.~]|%files|\btee\b|\bgit clone\b|\bbase64 -d\b")


@dataclass(frozen=True)
class Signature:
    """See the module docstring. ``minhash``: 128 little-endian uint32; ``sketch``: 256 int8."""

    environment_id: str
    fixture: str | None
    tests: str | None
    minhash: bytes
    sketch: bytes
    grams: tuple[int, ...]


def signature(environment: Environment) -> Signature:
    """The signature of ``environment``; pure."""
    instruction = words(environment.instruction[:LONGEST])
    return Signature(
        environment.id,
        fixture(environment.image),
        digest_of_tests(environment.verifier),
        minhash(instruction),
        sketch(instruction, environment.verifier),
        fingerprints(instruction),
    )


def words(text: str) -> list[str]:
    """The words of a text in one case, without punctuation."""
    return _WORD.findall(text.casefold())


def fixture(recipe: ImageRecipe) -> str | None:
    """The hash of the files that a task works on, or None where it brings none of its own."""
    brought = sorted(file.sha256 for file in recipe.context if file.content != recipe.text.encode())
    if brought:
        return digest("context", brought)[:16]
    text = " ".join(_COMMENT.sub("", recipe.text).split())
    return digest("recipe", text)[:16] if _WRITES.search(text) else None


def minhash(instruction: list[str]) -> bytes:
    """The MinHash of the word 8-grams; a shorter text is one gram."""
    import struct

    from rensa import RMinHash

    grams = [" ".join(instruction[at : at + WORDS]) for at in range(max(1, len(instruction) - WORDS + 1))]
    made = RMinHash(PERMUTATIONS, SEED)
    made.update(grams)
    return struct.pack(f"<{PERMUTATIONS}I", *made.digest())
