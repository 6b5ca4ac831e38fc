"""The numbers that rank an environment, each with its interval and with what it rests on: pure functions.

    P(accepts wrong) = 1 − (1 − u) · Π(1 − v·ρ·s)^w · Π(1 − d·m)

over the hits and the bands of mutants. v is how likely a policy is to come upon such a hole (the trigger), ρ what the
benign arms leave of it, s how often the script paid here (Jeffreys), w how many chances there are to learn it
(coherence); d and m are the weight and the surviving share of a band. u is the chance that one question more would hit
after all that survived, ½ / (n + 1): one number for all questions, so that asking more never makes an environment look
worse.

These numbers rank; they are no probabilities of the world. Those come from calibration against labels (``model.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from river_envs.catalog.records import Estimate, ScoreRecord
from river_envs.scoring.context import Context
from river_envs.scoring.evidence import WRONG_WORK, Evidence, Hit, Series
from river_envs.scoring.intervals import IGNORANCE, NEVER, Share, every, jeffreys, some
from river_envs.scoring.survivors import slack

FORM = 0.3
"""How much of right work a refused equivalent form stands for: most policies will not write it in that form."""
LEADS = 0.25
"""The share of quality that leads can take; half of it goes with the first."""
UNREPEATED = IGNORANCE.scaled(0.5)
"""The instability of a state that was graded once at most."""


@dataclass(frozen=True)
class Weights:
    """What is a matter of judgement: the realism of each trigger, and what the two mistakes of a verifier cost.

    The costs are exponents of their part of the quality: 2 counts a mistake as if it could be made twice.
    """

    realism: Mapping[str, float] = field(
        default_factory=lambda: {
            "rollout-visible": 1.0,
            "feedback-learnable": 0.9,
            "grading-runtime": 0.5,
            "privileged": 0.1,
        }
    )
    accepting_wrong: float = 1.0
    rejecting_right: float = 1.0

    def of(self, family: str, trigger: str) -> float:
        """The realism of a question; 0 for the isolation family, whose holes are not the environment's."""
        return 0.0 if family == "isolation" else self.realism.get(trigger, 0.0)


STANDARD = Weights()


def score(evidence: Evidence, context: Context | None = None, weights: Weights = STANDARD) -> ScoreRecord:
    """The numbers for one environment in the light of its catalog. One that nothing speaks to is unknown, not 0."""
    context = context or Context()
    wrong = accepts_wrong(evidence, context, weights)
    rejects = rejects_right(evidence, context, weights)
    unstable = instability(evidence, context, weights)
    return ScoreRecord(
        wrong.estimate() if wrong else Estimate(),
        rejects.estimate() if rejects else Estimate(),
        unstable.estimate() if unstable else Estimate(),
        quality=_quality(evidence, wrong, rejects, unstable, weights),
    )


def accepts_wrong(evidence: Evidence, context: Context, weights: Weights) -> Share | None:
    """The chance that a policy is paid for wrong work; None where no such question was answered."""
    asked = [row for row in evidence.asked if row.family in WRONG_WORK and row.survived]
    hits = [hit for hit in evidence.hits if hit.accepts]
    if not asked and not hits:
        return None
    survived = sum(weights.of(row.family, row.trigger) * row.survived for row in asked)
    return some([jeffreys(0, survived), *_hits(hits, context, weights), slack(evidence.mutants)])


def rejects_right(evidence: Evidence, context: Context, weights: Weights) -> Share | None:
    """The chance that right work is refused; None where no reference was judged and nothing was found. A verifier that
    dies or never ends (``broken``) refuses nothing: that is a status and enters no number as a 0.
    """
    refusals = [hit for hit in evidence.hits if hit.claim == "rejects-right"]
    judged = any(series.passed or series.refused for series in evidence.series if series.name != "untouched")
    told = judged and evidence.reference in {"survived", "hit"}
    if not told and not refusals:
        return None
    accepted = sum(row.survived for row in evidence.asked if row.family == "equivalent")
    parts = [_refused(evidence) if told else IGNORANCE, jeffreys(0, accepted).scaled(FORM)]
    for hit in refusals:
        found = next(_hits([hit], context, weights))
        parts.append(found.scaled(FORM) if hit.family == "equivalent" else found)
    return some(parts)


def instability(evidence: Evidence, context: Context, weights: Weights) -> Share | None:
    """How often two gradings of one state disagree: 2p(1 − p) from the repeats of the controls, at most ½, and ½ ·
    v·ρ·s for each finding that a condition turns the grade. None with fewer than two repeats and nothing found.

    A time-out in a series in which another grading passed is a disagreement. Alone, or among refusals, it is a failure
    of the infrastructure and no evidence.
    """
    found = [hit for hit in evidence.hits if hit.claim == "unstable" and hit.family == "determinism"]
    repeats = [_minority(series) for series in evidence.series]
    fewer, total = (sum(counts[place] for counts in repeats) for place in (0, 1))
    if total < 2 and not found:
        return None
    parts = [share.scaled(0.5) for share in _hits(found, context, weights)]
    return some([_twice(jeffreys(fewer, total)) if total >= 2 else UNREPEATED, *parts])


def _hits(hits: list[Hit], context: Context, weights: Weights) -> Iterator[Share]:
    for hit in hits:
        weight = weights.of(hit.family, hit.trigger) * context.rho(hit)
        once = jeffreys(hit.shown, hit.tried).scaled(weight)
        yield once.tried(context.coherence(hit)) if hit.accepts else once


def _refused(evidence: Evidence) -> Share:
    """The share of the gradings of the reference's work that was refused. Where only its processes pass, the state that
    it left without them is other work."""
    names = {"reference"} if evidence.in_place else {"reference", "restored"}
    graded = [series for series in evidence.series if series.name in names]
    refused = sum(series.refused for series in graded)
    return jeffreys(refused, refused + sum(series.passed for series in graded))


def _minority(series: Series) -> tuple[int, int]:
    """How many gradings of one state differ from most of them, and how many there are."""
    against = series.refused + (series.late if series.passed else 0)
    return min(series.passed, against), series.passed + against


def _twice(p: Share) -> Share:
    value, *ends = (2 * part * (1 - part) for part in p)
    return Share(value, min(ends), 0.5 if p.low <= 0.5 <= p.high else max(ends))  # it peaks at p = ½


def suggested(evidence: Evidence) -> int:
    """How many rules have a lead. Surviving mutants are leads as well, and count by their distance instead."""
    return len({lead.rule for lead in evidence.suggestions if lead.family != "mutant"})


def led(leads: int) -> float:
    """What so many leads leave of the quality: 1 − ``LEADS`` · n / (n + 1)."""
    return 1 - LEADS * leads / (leads + 1)


def _quality(
    evidence: Evidence, wrong: Share | None, rejects: Share | None, unstable: Share | None, weights: Weights
) -> Estimate:
    """The chance that right work is paid, and nothing else: unknown without a verdict, 0 for a proven defect.

    Without a reference, whether right work is paid stays open: as wide as ignorance, so that `resisted` never looks as
    certain as `sound`. Leads pull value and lower end down; they prove nothing, so that the upper end stays.
    """
    if evidence.verdict == "defective":
        return NEVER.estimate()
    if evidence.verdict == "unverified" or wrong is None:
        return Estimate()
    pays = every(
        [
            wrong.tried(weights.accepting_wrong).negated(),
            (rejects or IGNORANCE).tried(weights.rejecting_right).negated(),
            (unstable or UNREPEATED).negated(),
        ]
    )
    kept = led(suggested(evidence))
    return Estimate(pays.value * kept, pays.low * kept, pays.high)
