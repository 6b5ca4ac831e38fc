"""Several sources of labels that disagree: how much they agree, and one label for each environment out of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Combination = Literal["worst", "dawid-skene"]
Votes = Mapping[str, Sequence[bool | None]]
"""By environment what each source says, in the order of the sources; None where it does not say."""


@dataclass(frozen=True)
class Agreement:
    """Environments that every source labels, how many of them all label alike, and kappa (Cohen's for two sources,
    Fleiss' for more): 0 is chance, 1 is whole; None where it cannot be told."""

    shared: int
    alike: int
    kappa: float | None


def combined(votes: Votes, how: Combination) -> dict[str, bool]:
    """Whether each environment is sound: where all who label it say so (``worst``), or where their errors, estimated
    from all labels, leave it more likely than not (``dawid-skene``)."""
    if how == "worst":
        return {name: all(word for word in said if word is not None) for name, said in votes.items()}
    return {name: round(chance, 6) > 0.5 for name, chance in dawid_skene(votes).items()}


def agreement(votes: Votes) -> Agreement:
    """How far the sources agree on what all of them label."""
    rows = [[word for word in said if word is not None] for said in votes.values() if None not in said]
    alike = sum(len(set(row)) == 1 for row in rows)
    if not rows:
        return Agreement(0, 0, None)
    sources = len(rows[0])
    if sources == 2:
        shares = [sum(row[place] for row in rows) / len(rows) for place in range(2)]
        chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
        seen = alike / len(rows)
    else:
        share = sum(map(sum, rows)) / (len(rows) * sources)
        chance = share**2 + (1 - share) ** 2
        pairs = (sum(row) * (sum(row) - 1) + (sources - sum(row)) * (sources - sum(row) - 1) for row in rows)
        seen = sum(pairs) / (len(rows) * sources * (sources - 1))
    return Agreement(len(rows), alike, (seen - chance) / (1 - chance) if chance < 1 else None)


def dawid_skene(votes: Votes, rounds: int = 200) -> dict[str, float]:
    """The chance that each environment is sound, by expectation and maximisation over what it is and how often each
    source errs on each kind (Dawid and Skene 1979). Starts from the share of sources that say sound; one label of each
    kind is added to every source, so that nobody is taken for infallible.
    """
    chances = {
        name: sum(word for word in said if word) / max(1, sum(word is not None for word in said))
        for name, said in votes.items()
    }
    sources = max((len(said) for said in votes.values()), default=0)
    for _ in range(rounds):
        rate = (sum(chances.values()) + 1) / (len(chances) + 2)
        right = [[_says(votes, chances, source, kind) for kind in (False, True)] for source in range(sources)]
        before = chances
        chances = {}
        for name, said in votes.items():
            weights = [1 - rate, rate]
            for source, word in enumerate(said):
                if word is not None:
                    weights = [
                        weight * (right[source][kind] if word is bool(kind) else 1 - right[source][kind])
                        for kind, weight in enumerate(weights)
                    ]
            chances[name] = weights[1] / sum(weights)
        if max((abs(chances[name] - before[name]) for name in chances), default=0.0) < 1e-9:
            break
    return chances


def _says(votes: Votes, chances: Mapping[str, float], source: int, kind: bool) -> float:
    """How often a source is right about environments of one kind."""
    right = every = 0.0
    for name, said in votes.items():
        word = said[source]
        if word is not None:
            weight = chances[name] if kind else 1 - chances[name]
            every += weight
            right += weight * (word is kind)
    return (right + 1) / (every + 2)
