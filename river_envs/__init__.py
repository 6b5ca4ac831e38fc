"""river-envs: find out which terminal-agent environments pay an honest reward.

The names below are the public Python API; they are imported when first used, so that ``import river_envs`` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from river_envs.catalog import Catalog, open_catalog
    from river_envs.environment import Environment, RiverError

__version__ = "0.1.0"

_HOME = {
    "Catalog": "river_envs.catalog",
    "open_catalog": "river_envs.catalog",
    "Environment": "river_envs.environment",
    "RiverError": "river_envs.environment",
}

__all__ = ["Catalog", "Environment", "RiverError", "__version__", "open_catalog"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'river_envs' has no attribute {name!r}")
