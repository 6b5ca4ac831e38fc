"""A delta as one blob: a line that names the format, a line of JSON that lists the changes, then their contents.

Like tar, and unlike it exact: deletions, owners, whole-second times and any path come back as they were. Compressed,
because deltas are mostly text and DuckDB stores blobs as they are.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace

from river_envs.catalog import codec
from river_envs.environment import RiverError
from river_envs.sandbox.base import Change, Delta

_MAGIC = b"river-delta 1\n"
_LIMIT = 1 << 31
"""The most bytes that a packed delta may unfold to: somebody else may have written the catalog it is read from."""


@dataclass(frozen=True)
class _Header:
    """The changes without their contents, whose sizes are given apart."""

    changes: tuple[Change, ...]
    sizes: tuple[int, ...]
    skipped: tuple[str, ...]


def pack(delta: Delta) -> bytes:
    """The blob of ``delta``."""
    header = _Header(
        tuple(replace(change, content=b"") for change in delta.changes),
        tuple(len(change.content) for change in delta.changes),
        delta.skipped,
    )
    body = codec.dumps(_Header, header).encode() + b"\n" + b"".join(change.content for change in delta.changes)
    return _MAGIC + zlib.compress(body, 1)


def unpack(blob: bytes) -> Delta:
    """The delta that ``pack`` made ``blob`` of. Raises RiverError for anything else."""
    if not blob.startswith(_MAGIC):
        raise RiverError("a stored delta cannot be read: it is of an unknown format; upgrade river-envs")
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(blob[len(_MAGIC):], _LIMIT)
    except zlib.error as error:
        raise RiverError(f"a stored delta is damaged: {error}") from error
    line, _, contents = body.partition(b"\n")
    header = codec.loads(_Header, line.decode("utf-8", "replace"))
    if not stream.eof or len(header.sizes) != len(header.changes) or sum(header.sizes) != len(contents):
        raise RiverError("a stored delta is damaged: its contents do not have the sizes that it names")
    changes, at = [], 0
    for change, size in zip(header.changes, header.sizes, strict=True):
        changes.append(replace(change, content=contents[at:at + size]))
        at += size
    return Delta(tuple(changes), header.skipped)
