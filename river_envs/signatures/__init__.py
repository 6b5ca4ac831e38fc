"""What ``filter`` compares environments by: computed once, when an environment enters a catalog.

    from river_envs.signatures import ensure_signatures
    ensure_signatures(catalog)              # a catalog of an older release; ingest does it by itself
    signatures = catalog.signatures()       # aligned numpy arrays; no text is read

A signature is a pure function of an environment's content and the same on every machine: words are hashed with
BLAKE2b, and everything after that is exact arithmetic on whole numbers.
"""

from __future__ import annotations

from river_envs.signatures.base import VERSION, Grams, Signature, Signatures
from river_envs.signatures.compute import signature
from river_envs.signatures.ensure import ensure_signatures

__all__ = ["VERSION", "Grams", "Signature", "Signatures", "ensure_signatures", "signature"]
