"""Which probes exist: found in the modules of this package, never kept by hand."""

from __future__ import annotations

import inspect
import pkgutil
from functools import cache
from importlib import import_module

import river_envs.probes as package
from river_envs.environment import RiverError
from river_envs.probes.base import Probe


@cache
def probes() -> tuple[Probe, ...]:
    """One instance of every probe, cheap and decisive first (``order``, then id)."""
    found: dict[str, Probe] = {}
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        for value in vars(import_module(info.name)).values():
            if not _is_probe(value) or value.__module__ != info.name:
                continue
            candidate: Probe = value()
            if candidate.id in found:
                raise TypeError(f"two probes have the id {candidate.id!r}")
            found[candidate.id] = candidate
    return tuple(sorted(found.values(), key=lambda probe: (probe.order, probe.id)))


def _is_probe(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Probe) and not inspect.isabstract(value)


def probe(identifier: str) -> Probe:
    """The probe with this id. Raises RiverError naming where to look."""
    for candidate in probes():
        if candidate.id == identifier:
            return candidate
    raise RiverError(f"there is no probe {identifier!r}; `river-envs probes` lists them")
