"""The values that the HTML page shows, bounded in size.

At 15,000 environments a page with everything would be unreadable, and no browser would open it. So long lists are cut
(``Limits``), and every cut carries how much it left out and the query that shows the rest (``Cut``). ``gather.py``
fills them from a catalog.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Limits:
    """How many rows of each long list the page holds."""

    environments: int = 3000
    details: int = 250
    findings: int = 12
    attempts: int = 6
    leads: int = 8
    inputs: int = 200
    failures: int = 60
    kept: int = 1000


@dataclass(frozen=True)
class Cut:
    """What of a list is shown; ``query`` gets the rest."""

    shown: int
    total: int
    query: str

    @property
    def missing(self) -> int:
        """How many rows are not shown."""
        return self.total - self.shown


@dataclass(frozen=True)
class CauseCount:
    """How many environments have a cause. ``claim`` and ``seen`` come from the one table of causes."""

    name: str
    claim: str
    seen: str
    environments: int


@dataclass(frozen=True)
class Group:
    """The environments that share a trait: how many, in which state, and how many of them were kept."""

    name: str
    total: int
    states: dict[str, int]
    kept: int


@dataclass(frozen=True)
class Attempt:
    """One attempt that proves a finding."""

    id: str
    arm: str
    question: str
    status: str
    reward: float | None
    passed: bool | None
    actions: tuple[str, ...]
    log: str
    seconds: float


@dataclass(frozen=True)
class Finding:
    """One finding with its proof."""

    id: str
    claim: str
    cause: str
    trigger: str
    probe: str
    message: str
    advice: str
    evidence: str
    attempts: tuple[Attempt, ...]
    attempts_total: int


@dataclass(frozen=True)
class Lead:
    """What suggests a defect and proves none."""

    rule: str
    causes: tuple[str, ...]
    where: str
    message: str


@dataclass(frozen=True)
class LeadCount:
    """How many environments a lead concerns, and in how many of them nothing was proved."""

    rule: str
    about: str
    environments: int
    unproved: int
    example: str


@dataclass(frozen=True)
class Detail:
    """One environment that has findings."""

    environment: Mapping[str, Any]
    instruction: str
    findings: tuple[Finding, ...]
    findings_total: int
    leads: tuple[Lead, ...] = ()
    leads_total: int = 0


@dataclass(frozen=True)
class Subset:
    """The latest subset: how it was made, what it kept, and how many were dropped for which reason."""

    id: str
    command: str
    keep: float
    seed: int
    at: str
    kept: tuple[Mapping[str, Any], ...]
    kept_total: int
    dropped: tuple[Mapping[str, Any], ...]
    cut: Cut


@dataclass(frozen=True)
class Report:
    """Everything on the page."""

    total: int
    states: dict[str, int]
    attempts: int
    findings: int
    causes: tuple[CauseCount, ...]
    domains: tuple[Group, ...]
    verifier_kinds: tuple[Group, ...]
    inputs: dict[str, int]
    refused: tuple[Mapping[str, Any], ...]
    refused_cut: Cut
    unsupported: tuple[Mapping[str, Any], ...]
    failures: tuple[Mapping[str, Any], ...]
    substitutions: tuple[Mapping[str, Any], ...]
    environments: tuple[Mapping[str, Any], ...]
    environments_cut: Cut
    details: tuple[Detail, ...]
    details_cut: Cut
    subset: Subset | None
    catalog_hash: str = ""
    leads: tuple[LeadCount, ...] = ()
    marks: tuple[Mapping[str, Any], ...] = field(default=())

    @property
    def audited(self) -> int:
        """Environments that have a verdict."""
        return sum(self.states.get(verdict, 0) for verdict in ("sound", "resisted", "defective", "unverified"))
