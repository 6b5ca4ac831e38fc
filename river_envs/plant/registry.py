"""Which defects can be planted: found in the modules of ``defects``, never kept by hand."""

from __future__ import annotations

import inspect
import pkgutil
from functools import cache
from importlib import import_module

import river_envs.plant.defects as package
from river_envs.plant.base import Defect


@cache
def defects() -> dict[str, Defect]:
    """One instance of every defect by cause. Raises TypeError when two modules claim one cause."""
    found: dict[str, Defect] = {}
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        for value in vars(import_module(info.name)).values():
            if not inspect.isclass(value) or not issubclass(value, Defect) or value.__module__ != info.name:
                continue
            if value.cause in found:
                raise TypeError(f"two defects have the cause {value.cause!r}")
            found[value.cause] = value()
    return found
