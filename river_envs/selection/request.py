"""What a user asks of the filter, checked before anything is read."""

from __future__ import annotations

import math
from dataclasses import dataclass

from river_envs.environment import RiverError
from river_envs.selection.gates import TIERS, Tier

TRAITS = ("domain", "verifier_kind", "task_complexity", "skill_type", "language", "difficulty", "source")
"""What quotas can be set on: fields of a candidate."""


@dataclass(frozen=True)
class Request:
    """How many to keep, and by which rules; see ``choose.py`` for what they do.

    Raises:
        RiverError: a share, tier, number or trait that does not exist, in one sentence.
    """

    keep: float = 0.3
    """The share of all environments that the subset stays strictly under, in (0, 1]."""
    tier: Tier = "resisted"
    """The last tier to admit: ``sound``, or ``resisted`` to fill the places that ``sound`` left."""
    seed: int = 0
    """Decides between equals."""
    budget: int | None = None
    """At most so many, whatever the share is."""
    quota: tuple[str, ...] = ()
    """The traits whose mix is kept as it is in the whole corpus."""
    cap_fixture: int | None = None
    """At most so many that work on the same files."""
    purity: float | None = None
    """The least expected share of truly sound ones among the kept; places are left empty for it."""
    diversity: float = 0.5
    """How much a task unlike those kept already weighs beside quality; 0: quality alone."""
    dedupe: bool = True
    """Whether near-duplicates of a better one are dropped."""

    def __post_init__(self) -> None:
        if not 0 < self.keep <= 1:
            raise RiverError(
                f"--keep must be a share above 0 and at most 1, for example 0.3; got {self.keep!r}."
            )
        if self.tier not in TIERS:
            raise RiverError(f"--tier must be one of {', '.join(TIERS)}; got {self.tier!r}.")
        for name, number in (("--budget", self.budget), ("--cap-fixture", self.cap_fixture)):
            if number is not None and number < 1:
                raise RiverError(f"{name} must be at least 1; got {number!r}.")
        if self.purity is not None and not 0 < self.purity <= 1:
            raise RiverError(f"--purity must be a share above 0 and at most 1, for example 0.98; got {self.purity!r}.")
        if not (math.isfinite(self.diversity) and self.diversity >= 0):
            raise RiverError(f"--diversity must be a number from 0 on; got {self.diversity!r}.")
        unknown = [name for name in self.quota if name not in TRAITS]
        if unknown:
            raise RiverError(f"--quota knows no column {unknown[0]!r}; choose from {', '.join(TRAITS)}.")
        if len(set(self.quota)) < len(self.quota):
            raise RiverError(f"--quota names a column twice: {', '.join(self.quota)}.")
