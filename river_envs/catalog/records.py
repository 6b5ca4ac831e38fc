"""The rows that cross the catalog's door and are defined nowhere else in the project.

Environments, results, surveys and findings are stored as what they are (``environment.py``, ``probes/base.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from river_envs.probes.base import Finding, Survey
from river_envs.sandbox.base import Base
from river_envs.scoring.evidence import Evidence

IngestResult = Literal["ingested", "duplicate", "unsupported", "rejected", "unchanged"]
PlanStatus = Literal["planned", "not-applicable", "not-run", "left-out"]
"""``left-out``: the chosen effort does not pay for it. It does not stand in the way of a verdict; ``not-run`` does."""
MarkKind = Literal["sound", "exclude"]


@dataclass(frozen=True)
class InputRow:
    """What became of one input of ``ingest``. ``where`` names it (a path, an archive member), ``signature`` tells
    cheaply whether it changed since."""

    where: str
    signature: str
    result: IngestResult
    environment_id: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class Known:
    """What the catalog remembers of an input; ``result`` is the last one that was not ``unchanged``."""

    signature: str
    environment_id: str | None
    result: IngestResult
    reason: str = ""


@dataclass(frozen=True)
class ImageRecord:
    """How building an environment's image went. ``status`` is ``built``, ``build-failed`` or ``sandbox-error``."""

    environment_id: str
    status: str
    backend: str
    key: str = ""
    bases: tuple[Base, ...] = ()
    notes: tuple[str, ...] = ()
    log: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class PlanRecord:
    """Whether a probe is to be put to an environment, and why not."""

    environment_id: str
    probe: str
    version: int
    status: PlanStatus
    reason: str = ""


@dataclass(frozen=True)
class SurveyRecord:
    """The survey of an environment's image."""

    environment_id: str
    survey: Survey

    def stored(self) -> SurveyRecord:
        """As it is kept: without the reference's delta, which the audit fills in."""
        return replace(self, survey=replace(self.survey, reference=None))


@dataclass(frozen=True)
class ProbeRecord:
    """How one probe ended for one environment (``status`` is a ProbeStatus value)."""

    environment_id: str
    probe: str
    version: int
    status: str
    reason: str = ""


@dataclass(frozen=True)
class LeadRecord:
    """What suggests a defect and proves none. ``rule`` is a static lead's name or a probe's id; ``path`` is the file
    that was read or edited, ``line`` 0 where none is meant."""

    environment_id: str
    rule: str
    causes: tuple[str, ...]
    path: str
    line: int
    message: str


@dataclass(frozen=True)
class Estimate:
    """A number with its interval; ``None`` where nothing is known."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class ScoreRecord:
    """The numbers that rank an environment, each between 0 and 1, and in words what each rests on, by its name.

    ``p_sound`` is calibrated against labels; the others rank and are no probabilities of the world.
    """

    p_accepts_wrong: Estimate = Estimate()
    p_rejects_right: Estimate = Estimate()
    instability: Estimate = Estimate()
    learnability: Estimate = Estimate()
    quality: Estimate = Estimate()
    p_sound: Estimate = Estimate()
    basis: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class JudgedRecord:
    """Everything that was concluded about one environment; it replaces what was concluded before."""

    verdict: str
    causes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    probes: tuple[ProbeRecord, ...] = ()
    findings: tuple[Finding, ...] = ()
    score: ScoreRecord | None = None
    leads: tuple[LeadRecord, ...] = ()
    evidence: Evidence | None = None


@dataclass(frozen=True)
class SubsetMember:
    """One environment of a subset: kept or dropped, its place (1 is best, None when dropped), and why."""

    environment_id: str
    kept: bool
    rank: int | None = None
    tier: str | None = None
    reason: str = ""
    score: float | None = None


@dataclass(frozen=True)
class SubsetRecord:
    """What one ``filter`` kept. ``id`` is the caller's; a subset of the same id is replaced."""

    id: str
    command: str
    seed: int
    keep: float
    options: Mapping[str, Any] = field(default_factory=dict)
    catalog_hash: str = ""
    members: Sequence[SubsetMember] = ()
