"""What the calibration model reads about an environment: few numbers, each with one meaning and one direction.

Every feature has a sign that a coefficient may not contradict, and every finding, lead or surviving mutant more moves
every feature against the environment or not at all: so it can never raise the probability that the environment is
sound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log1p

from river_envs.probes.base import RANKING
from river_envs.scoring.context import Context
from river_envs.scoring.evidence import WRONG_WORK, Evidence
from river_envs.scoring.score import STANDARD, UNREPEATED, instability
from river_envs.scoring.survivors import share


@dataclass(frozen=True)
class Feature:
    """A number read from what was counted; ``sign`` is +1 where more of it speaks for the environment, −1 against."""

    name: str
    sign: int
    meaning: str
    read: Callable[[Evidence], float]


def _tier(*verdicts: str) -> Callable[[Evidence], float]:
    return lambda evidence: float(evidence.verdict in verdicts)


def _survived(evidence: Evidence) -> float:
    asked = [row for row in evidence.asked if row.family in WRONG_WORK]
    return log1p(sum(STANDARD.of(row.family, row.trigger) * row.survived for row in asked))


def _forms(evidence: Evidence) -> float:
    return log1p(sum(row.survived for row in evidence.asked if row.family == "equivalent"))


def _unanswered(evidence: Evidence) -> float:
    if evidence.verdict == "defective":
        return 1.0  # the audit stops at a proof; that fewer questions are open then is no merit
    asked = [row for row in evidence.asked if row.trigger in RANKING]
    waiting = sum(row.not_run + row.error for row in asked)
    return waiting / max(1, waiting + sum(row.survived + row.hit for row in asked))


def _found(*claims: str) -> Callable[[Evidence], float]:
    return lambda evidence: log1p(sum(hit.claim in claims for hit in evidence.hits if hit.ranks))


def _privileged(evidence: Evidence) -> float:
    return log1p(sum(not hit.ranks for hit in evidence.hits if hit.family != "isolation"))


def _led(*claims: str) -> Callable[[Evidence], float]:
    def read(evidence: Evidence) -> float:
        leads = [lead for lead in evidence.suggestions if lead.family != "mutant"]
        return log1p(len({lead.rule for lead in leads if set(claims) & set(lead.claims)}))

    return read


def _surviving(band: str) -> Callable[[Evidence], float]:
    return lambda evidence: share(evidence.mutants, band).value


def _unstable(evidence: Evidence) -> float:
    return (instability(evidence, Context(), STANDARD) or UNREPEATED).value


FEATURES: tuple[Feature, ...] = (
    Feature("below-sound", -1, "the verdict is resisted, unverified or defective",
            _tier("resisted", "unverified", "defective")),
    Feature("below-resisted", -1, "the verdict is unverified or defective", _tier("unverified", "defective")),
    Feature("defective", -1, "the verdict is defective", _tier("defective")),
    Feature("survived", 1, "log(1 + questions about wrong work that survived, by their realism)", _survived),
    Feature("forms", 1, "log(1 + questions about equivalent forms that survived)", _forms),
    Feature("unanswered", -1, "the share of the questions that apply and were not answered; 1 for a proven defect",
            _unanswered),
    Feature("found-wrong", -1, "log(1 + findings that wrong work or a leaked answer is rewarded)",
            _found("accepts-wrong", "leaks-answer")),
    Feature("found-refusal", -1, "log(1 + findings that right work is refused)", _found("rejects-right")),
    Feature("found-unstable", -1, "log(1 + findings that one state is graded differently)", _found("unstable")),
    Feature("found-broken", -1, "log(1 + findings that no reward can be had)", _found("broken")),
    Feature("privileged", -1, "log(1 + findings that are only reported beside the verdict)", _privileged),
    Feature("leads-wrong", -1, "log(1 + rules whose leads point at rewarded wrong work)",
            _led("accepts-wrong", "leaks-answer")),
    Feature("leads-refusal", -1, "log(1 + rules whose leads point at refused right work)", _led("rejects-right")),
    Feature("leads-unstable", -1, "log(1 + rules whose leads point at unsteady grades)", _led("unstable")),
    Feature("leads-broken", -1, "log(1 + rules whose leads point at a broken verifier)", _led("broken")),
    Feature("mutants-near", -1, "the share of near mutants that is rewarded, ½ where there are none",
            _surviving("near")),
    Feature("mutants-middle", -1, "the same of middle ones", _surviving("middle")),
    Feature("mutants-far", -1, "the same of far ones", _surviving("far")),
    Feature("instability", -1, "the chance that two gradings of one state disagree", _unstable),
)  # fmt: skip


def features(evidence: Evidence) -> tuple[float, ...]:
    """The values in the order of ``FEATURES``."""
    return tuple(feature.read(evidence) for feature in FEATURES)


def readable(evidence: Evidence) -> bool:
    """Whether anything was answered or found, so that there is something to read."""
    return bool(evidence.answered or evidence.hits)
