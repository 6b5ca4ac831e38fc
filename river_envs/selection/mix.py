"""How far a subset's mix of domains and verifier kinds moved from the corpus it was chosen from.

Filtering is never neutral: defects cluster in some domains, so the kept part has another mix. The size of the shift is
the total variation distance between the two distributions: the share of environments that would have to change group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from river_envs.selection.choose import Decision

Trait = Literal["domain", "verifier_kind"]


@dataclass(frozen=True)
class Group:
    """One group before and after: how many environments, and which share of all (0 to 1)."""

    name: str
    before: int
    after: int
    before_share: float
    after_share: float

    @property
    def change(self) -> float:
        """The change of the share, in percentage points."""
        return 100 * (self.after_share - self.before_share)


@dataclass(frozen=True)
class Mix:
    """Every group of one trait, largest first, and the distance (0: the same mix, 1: disjoint; None: nothing kept)."""

    trait: Trait
    groups: tuple[Group, ...]
    distance: float | None


def mix(decisions: Sequence[Decision], trait: Trait) -> Mix:
    """Compare all environments with the kept ones; environments without the trait form the group ``not stated``."""
    before = Counter(_value(decision, trait) for decision in decisions)
    after = Counter(_value(decision, trait) for decision in decisions if decision.kept)
    whole, kept = before.total(), after.total()
    groups = tuple(
        Group(name, number, after[name], number / whole, after[name] / kept if kept else 0.0)
        for name, number in sorted(before.items(), key=lambda item: (-item[1], item[0]))
    )
    distance = sum(abs(group.after_share - group.before_share) for group in groups) / 2 if kept else None
    return Mix(trait, groups, distance)


def _value(decision: Decision, trait: Trait) -> str:
    return getattr(decision.candidate, trait) or "not stated"
