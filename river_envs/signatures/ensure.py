"""Signatures of environments that entered a catalog before this release computed them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from river_envs.signatures.base import VERSION
from river_envs.signatures.compute import signature

if TYPE_CHECKING:
    from river_envs.catalog import Catalog

_MOST_ENVIRONMENTS = 512
_MOST_BYTES = 64 << 20


def ensure_signatures(catalog: Catalog, progress: Callable[[int, int], object] = lambda done, total: None) -> int:
    """Compute the signatures that are missing or of another version; returns how many.

    Written a portion at a time, so that memory stays bounded and an interrupted call goes on where it stopped.
    Nothing is opened for writing where none is missing. ``progress`` is called with those done so far, and all.

    Raises:
        RiverError: signatures are missing and the catalog cannot be written.
    """
    missing = catalog.without_signature(VERSION)
    done = 0
    for portion in _portions(missing):
        found = {environment.id: signature(environment) for environment in catalog.load(portion)}
        with catalog.writer() as writer:
            writer.add_signatures(found)
        done += len(portion)
        progress(done, len(missing))
    return done


def _portions(sized: Iterable[tuple[str, int]]) -> Iterator[list[str]]:
    """Ids in portions of bounded number and content."""
    portion: list[str] = []
    weight = 0
    for name, size in sized:
        if portion and (len(portion) == _MOST_ENVIRONMENTS or weight + size > _MOST_BYTES):
            yield portion
            portion, weight = [], 0
        portion.append(name)
        weight += size
    if portion:
        yield portion
