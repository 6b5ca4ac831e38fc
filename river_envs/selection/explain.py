"""Why one environment was kept or dropped, and what would change that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from river_envs.selection.choose import Decision
from river_envs.selection.request import Request
from river_envs.selection.serving import cell_of


@dataclass(frozen=True)
class Explanation:
    """The decision about one environment and what would turn it; ``place`` says where it stands among the others."""

    decision: Decision
    place: str
    changes: tuple[str, ...]


def explain(decisions: Sequence[Decision], id: str, request: Request) -> Explanation:
    """Explain the decision about environment ``id``.

    Raises:
        KeyError: no such environment among the decisions.
    """
    decision = next((one for one in decisions if one.id == id), None)
    if decision is None:
        raise KeyError(id)
    passed = sum(one.rank is not None for one in decisions)
    place = "did not pass the gates"
    if decision.rank:
        place = f"rank {decision.rank:,} of the {passed:,} that passed the gates"
    if request.quota and decision.rank:
        cell = cell_of(decision.candidate, request)
        own = [one for one in decisions if one.rank and cell_of(one.candidate, request) == cell]
        kept = sum(one.kept for one in own)
        place += f"; its cell ({', '.join(cell)}) keeps {kept:,} of {len(own):,}"
    return Explanation(decision, place, tuple(_changes(decisions, decision, request)))


def _changes(decisions: Sequence[Decision], decision: Decision, request: Request) -> list[str]:
    """What would turn the decision, most telling first."""
    one, name = decision.candidate, decision.candidate.id
    marked = f"river-envs mark {name} --sound --note WHY, after reading it"
    match decision.ground:
        case "kept":
            return _ousting(decisions, decision, request)
        case "outranked":
            return [_more_places(decisions, decision, request)]
        case "duplicate":
            return [f"river-envs mark {decision.better} --exclude takes the better one out", "--no-dedupe keeps both"]
        case "fixture-cap":
            return [f"a higher --cap-fixture than {request.cap_fixture}"]
        case "doubtful":
            return ["a lower --purity", "more evidence: river-envs audit --effort deep, or a reference"]
        case "contaminated":
            return ["leave that benchmark out of --decontaminate, and do not report on it"]
        case "tier-not-asked":
            return ["--tier resisted", "a reference that passes makes it sound"]
        case "defective":
            return [f"mend the verifier: river-envs show {name} lists each proof, replay runs it again", marked]
        case "unverified":
            return [f"river-envs audit --only {name} --retry", marked]
        case "not-audited":
            return [f"river-envs audit --only {name}"]
        case "excluded":
            return [f"river-envs mark {name} --clear"]
        case _:
            return [f"nothing in the filter: {', '.join(one.unsupported) or decision.reason}"]


def _ousting(decisions: Sequence[Decision], decision: Decision, request: Request) -> list[str]:
    """What a kept one would lose its place to."""
    waiting = sum(one.ground == "outranked" for one in decisions)
    kept = [one for one in decisions if one.kept]
    behind = sum(1 for one in kept if (one.rank or 0) > (decision.rank or 0))
    said = [f"a finding against it (any makes it defective), or river-envs mark {decision.id} --exclude"]
    if waiting:
        said.append(f"a smaller share: {behind:,} kept ones rank below it and would go first")
    return said


def _more_places(decisions: Sequence[Decision], decision: Decision, request: Request) -> str:
    """The least share at which every environment of its rank has a place."""
    ahead = sum(1 for one in decisions if one.rank is not None and one.ground in {"kept", "outranked"}
                and one.rank <= (decision.rank or 0))
    share = Fraction(ahead, len(decisions))
    rounded = math.floor(share * 1000 + 1) / 1000
    if request.budget is not None and request.budget < ahead:
        return f"--budget {ahead}" + (f" and --keep {rounded:g}" if rounded <= 1 else "")
    return f"--keep {min(rounded, 1.0):g} has a place for its rank" + (" if quotas allow" if request.quota else "")
