"""What differs between two subsets, or between two audits of one corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from river_envs.exports.subsets import Member, Subset


@dataclass(frozen=True)
class Change:
    """One environment that both know and judge differently: what, before and after."""

    id: str
    name: str
    what: str
    before: str
    after: str


@dataclass(frozen=True)
class Difference:
    """``only_first``: kept in the first only, each with its decision in the second (None: unknown there); the other way
    round ``only_second``. ``distance``: total variation between the domains of the kept, 0 to 1; None where one keeps
    nothing.
    """

    first: str
    second: str
    kept: tuple[int, int]
    both: int
    only_first: tuple[tuple[Member, Member | None], ...]
    only_second: tuple[tuple[Member, Member | None], ...]
    changes: tuple[Change, ...]
    distance: float | None

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not (self.only_first or self.only_second or self.changes)


def difference(first: Subset, second: Subset, threshold: float = 0.05) -> Difference:
    """Compare two subsets; quality and P(sound) count as changed from ``threshold`` on."""
    one, two = ({member.id: member for member in subset.members} for subset in (first, second))
    kept_one, kept_two = ({id for id, member in found.items() if member.kept} for found in (one, two))
    return Difference(
        first.name,
        second.name,
        (len(kept_one), len(kept_two)),
        len(kept_one & kept_two),
        tuple((one[id], two.get(id)) for id in _ordered(kept_one - kept_two, one.values())),
        tuple((two[id], one.get(id)) for id in _ordered(kept_two - kept_one, two.values())),
        tuple(change for id in sorted(one.keys() & two.keys()) for change in _changes(one[id], two[id], threshold)),
        _distance([one[id] for id in kept_one], [two[id] for id in kept_two]),
    )


def _ordered(ids: set[str], members: Iterable[Member]) -> list[str]:
    return [member.id for member in members if member.id in ids]


def _changes(one: Member, two: Member, threshold: float) -> list[Change]:
    found = []
    if one.verdict != two.verdict:
        found.append(Change(one.id, one.name, "verdict", one.verdict or "none", two.verdict or "none"))
    if set(one.causes) != set(two.causes):
        found.append(Change(one.id, one.name, "causes", ", ".join(one.causes), ", ".join(two.causes)))
    for what, before, after in (("quality", one.quality, two.quality), ("p_sound", one.p_sound, two.p_sound)):
        if (before is None) != (after is None) or (before is not None and abs(before - (after or 0.0)) >= threshold):
            found.append(Change(one.id, one.name, what, _shown(before), _shown(after)))
    return found


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _distance(one: Sequence[Member], two: Sequence[Member]) -> float | None:
    if not one or not two:
        return None
    first, second = (Counter(member.domain or "not stated" for member in members) for members in (one, two))
    domains = first.keys() | second.keys()
    return sum(abs(first[domain] / len(one) - second[domain] / len(two)) for domain in domains) / 2
