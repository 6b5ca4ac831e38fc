"""What the whole catalog says about a hit: how often its benign arm shows the same, and how many environments fall to
it.

Computed in a first pass over what was counted about each environment, then handed to the pure functions that score one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log10

from river_envs.scoring.evidence import Evidence, Hit

MOST = 2.0
"""The greatest weight of a script, reached when it beats a hundred environments."""


@dataclass(frozen=True)
class Arms:
    """In how many environments the two arms of a probe showed what a hit of it shows.

    Both are counted where the benign arm was graded. It is graded where the other arm showed something (elsewhere it
    has nothing to explain), so that both rates have the same denominator, the environments that were asked. Counted by
    probe: two probes of a family do different things, and the benign arm of one says nothing about the other.
    """

    shown: int = 0
    benign: int = 0

    @property
    def rho(self) -> float:
        """max(0, 1 − benign hit rate / adversarial hit rate); 1 where there is nothing to divide."""
        return max(0.0, 1 - self.benign / self.shown) if self.shown else 1.0


@dataclass(frozen=True)
class Context:
    """``arms`` of the probes that have a benign one, ``beaten`` by script the environments in which it showed a hit (1
    is left out). The empty context corrects nothing.
    """

    arms: Mapping[str, Arms] = field(default_factory=dict)
    beaten: Mapping[str, int] = field(default_factory=dict)

    def rho(self, hit: Hit) -> float:
        """How much of a hit is left after the benign arms; 1 for a probe that has none."""
        return self.arms.get(hit.probe, Arms()).rho

    def coherence(self, hit: Hit) -> float:
        """How many chances a policy has to meet the script of this hit: from 1 to ``MOST``, see ``coherence``."""
        return coherence(self.beaten.get(hit.script, 1))


def coherence(environments: int) -> float:
    """The weight of a script that beats so many environments unchanged: 1 + ½·log₁₀(n), at most ``MOST``.

    A policy learns the shortcut that its environments share and hardly the one that a single environment has (arXiv
    2604.15149, 2607.11022). The weight is the number of independent chances that the script counts as.
    """
    return min(MOST, 1 + log10(max(1, environments)) / 2)


def context(evidences: Iterable[Evidence]) -> Context:
    """The context of a catalog, whatever the order of ``evidences``."""
    shown: Counter[str] = Counter()
    benign: Counter[str] = Counter()
    beaten: Counter[str] = Counter()
    for evidence in evidences:
        for arm in evidence.benign:
            shown[arm.probe] += arm.shown
            benign[arm.probe] += arm.benign
        beaten.update({hit.script for hit in evidence.hits if hit.script and hit.accepts})
    return Context(
        {probe: Arms(shown[probe], benign[probe]) for probe in sorted(shown)},
        {script: count for script, count in sorted(beaten.items()) if count > 1},
    )
