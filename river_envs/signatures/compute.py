"""The signature of one environment."""

from __future__ import annotations

from river_envs.environment import Environment
from river_envs.signatures.base import Signature
from river_envs.signatures.fixture import fixture_digest
from river_envs.signatures.sketch import identifiers, sketch
from river_envs.signatures.trees import trees_digest
from river_envs.signatures.words import hashed, minhashes, winnowed, words


def signature(environment: Environment) -> Signature:
    """What ``environment`` is compared by. Pure; hostile content costs bounded time and never raises."""
    found = words(environment.instruction)
    hashes = hashed(found)
    sources = [file.content for file in environment.verifier.files if file.path.endswith(".py")]
    return Signature(
        fixture=fixture_digest(environment.image),
        tests=trees_digest(environment.verifier),
        minhash=minhashes([hashes]).astype("<u4").tobytes(),
        sketch=sketch(found, identifiers(sources)),
        grams=tuple(winnowed(hashes).tolist()),
    )
