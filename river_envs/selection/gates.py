"""Who may be chosen at all: the gates that stand before any ranking.

A gate looks at one environment only. It knows verdicts and people's marks, no numbers and no neighbours, so that "why
was this one left out?" has an answer that does not depend on what else is in the catalog.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tier = Literal["sound", "resisted"]
MarkKind = Literal["sound", "exclude"]

TIERS: tuple[Tier, ...] = ("sound", "resisted")
"""Best first: an environment of a later tier is only ever kept below all of the earlier ones."""


@dataclass(frozen=True)
class Mark:
    """A person's word on one environment; it overrules the verdict and stays visible (design, rule 10)."""

    kind: MarkKind
    note: str = ""
    by: str = ""

    def __str__(self) -> str:
        verb = "marked sound" if self.kind == "sound" else "excluded"
        return verb + (f" by {self.by}" if self.by else "") + (f": {self.note}" if self.note else "")


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the filter knows about one ingested environment.

    ``verdict`` is ``None`` for an environment that was never audited; ``verdict_reason`` is the scorer's sentence about
    a verdict without causes. All numbers lie in [0, 1]; ``None``: nobody measured them. ``p_sound`` is the calibrated
    probability that the verifier is sound. The gates and the ranking use what stands before ``domain``, quotas the
    traits from there on; the rest travels along into the manifest.
    """

    id: str
    name: str
    verdict: str | None
    causes: tuple[str, ...] = ()
    verdict_reason: str = ""
    quality: float | None = None
    learnability: float | None = None
    mark: Mark | None = None
    unsupported: tuple[str, ...] = ()
    domain: str | None = None
    verifier_kind: str | None = None
    source: str = ""
    format: str = ""
    has_reference: bool = False
    p_accepts_wrong: float | None = None
    p_rejects_right: float | None = None
    instability: float | None = None
    p_sound: float | None = None
    task_complexity: str | None = None
    skill_type: str | None = None
    language: str | None = None
    difficulty: str | None = None

    @property
    def worth(self) -> float | None:
        """How likely it pays an honest reward: calibrated where there is a model, else the rule-based quality."""
        return self.quality if self.p_sound is None else self.p_sound


@dataclass(frozen=True)
class Admission:
    """What the gates say: the tier an environment may be chosen in (``None``: in none) and why.

    ``ground`` is the reason's short name, one of ``GROUNDS``, for counting.
    """

    tier: Tier | None
    ground: str
    reason: str


GROUNDS: dict[str, str] = {
    "kept": "passed every gate and ranked within the share",
    "outranked": "passed every gate, but better ones took the places",
    "duplicate": "nearly the same as a better one that passed every gate",
    "fixture-cap": "enough better ones work on the same files",
    "doubtful": "would make the subset less pure than was asked for",
    "contaminated": "shares a passage with a benchmark",
    "tier-not-asked": "resisted, and only sound ones were asked for",
    "defective": "the verifier has a proven defect",
    "unverified": "the audit could not reach a verdict",
    "not-audited": "never audited",
    "unsupported": "cannot be run yet",
    "excluded": "excluded by a person",
}
"""Every reason to keep or drop, by its short name, in the order in which tables print them."""


def admit(candidate: Candidate, lowest: Tier = "resisted") -> Admission:
    """Pass ``candidate`` through the gates; ``lowest`` is the last tier that the user accepts.

    The order matters: a person's exclusion comes first, what cannot run is never let in (a mark does not make it
    runnable), then a person's "sound", then the verdict.
    """
    mark = candidate.mark
    if mark is not None and mark.kind == "exclude":
        return Admission(None, "excluded", str(mark))
    if candidate.unsupported:
        return Admission(None, "unsupported", f"unsupported: {', '.join(candidate.unsupported)}")
    if mark is not None and mark.kind == "sound":
        return Admission("sound", "kept", f"{mark} (the audit said {_said(candidate)})")
    match candidate.verdict:
        case "sound":
            return Admission("sound", "kept", "sound")
        case "resisted" if lowest == "resisted":
            return Admission("resisted", "kept", "resisted")
        case "resisted":
            return Admission(None, "tier-not-asked", "resisted, and only tier sound was asked for")
        case "defective":
            return Admission(None, "defective", _said(candidate))
        case None:
            return Admission(None, "not-audited", "not audited yet: run river-envs audit")
        case _:
            return Admission(None, "unverified", _said(candidate))


def _said(candidate: Candidate) -> str:
    """The verdict with its causes or its reason, as in ``defective: pays-for-nothing``."""
    if candidate.verdict is None:
        return "nothing yet"
    because = ", ".join(candidate.causes) or candidate.verdict_reason
    return f"{candidate.verdict}: {because}" if because else candidate.verdict
