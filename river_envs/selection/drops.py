"""What leaves although it passed the gates: what is too like a better one, and what is too doubtful."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from river_envs.selection.gates import Candidate
from river_envs.selection.ranking import vouched
from river_envs.selection.request import Request

if TYPE_CHECKING:
    from river_envs.signatures.base import Signatures

Drop = tuple[str, str, str | None]
"""Ground, reason, and the id of the better one."""


def too_like(ranked: Sequence[Candidate], request: Request, signatures: Signatures | None) -> dict[str, Drop]:
    """Near-duplicates of better ones, and those beyond the cap of their fixture."""
    if signatures is None or not ranked:
        return {}
    from river_envs.selection.dedupe import duplicates

    row = {id: at for at, id in enumerate(signatures.ids)}
    order = [row[one.id] for one in ranked]
    names = {row[one.id]: one for one in ranked}
    dropped: dict[str, Drop] = {}
    for worse, better in duplicates(order, signatures).items() if request.dedupe else ():
        other = names[better]
        dropped[names[worse].id] = ("duplicate", f"nearly the same as {other.name} ({other.id})", other.id)
    taken: Counter[int] = Counter()
    for one, at in zip(ranked, order, strict=True):
        fixture = int(signatures.fixture[at])
        if request.cap_fixture is None or fixture < 0 or one.id in dropped:
            continue
        taken[fixture] += 1
        if taken[fixture] > request.cap_fixture:
            said = f"{request.cap_fixture} better ones work on the same files (--cap-fixture {request.cap_fixture})"
            dropped[one.id] = ("fixture-cap", said, None)
    return dropped


def doubtful(waiting: Sequence[Candidate], request: Request) -> dict[str, Drop]:
    """The least certain ones, as many as must go so that the expected share of sound ones among the rest is what was
    asked for: the mean of ``p_sound``, which is the posterior false discovery rate turned round (Müller, Parmigiani,
    Robert and Rousseau 2004). What a person marked sound counts as sound, what has no calibrated number is doubted.
    """
    if request.purity is None:
        return {}
    certain = {one.id: 1.0 if vouched(one) else (one.p_sound or 0.0) for one in waiting}
    total, number, least = 0.0, 0, math.inf
    for chance in sorted(certain.values(), reverse=True):
        total, number = total + chance, number + 1
        if total / number < request.purity - 1e-12:
            break
        least = chance
    said = f"--purity {request.purity:g} asks for more certainty"
    return {
        one.id: ("doubtful", f"{said} than P(sound) = {certain[one.id]:.3f}", None)
        for one in waiting
        if certain[one.id] < least
    }
