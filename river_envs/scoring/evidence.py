"""What was counted about one environment: all that its numbers are computed from.

The score stage gathers it once from the recorded attempts (``gather.py``) and keeps it in the catalog, so that numbers
can be computed again under other weights, or by another model, without reading an attempt. Values only: the catalog
stores them, and this module imports nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from river_envs.probes.base import RANKING

WRONG_WORK = frozenset({"control", "adversarial"})
"""Families that ask whether wrong work is rewarded; mutants do so too and are counted by their distance."""


@dataclass(frozen=True)
class Asked:
    """How the questions of one family and trigger ended. ``left_out`` are those that the effort did not pay for."""

    family: str
    trigger: str
    survived: int = 0
    hit: int = 0
    not_applicable: int = 0
    not_run: int = 0
    error: int = 0
    left_out: int = 0


@dataclass(frozen=True)
class Hit:
    """A finding: what it claims, and in how many of the graded repeats of its script it showed.

    ``script`` is the same for the same actions of the same probe in any environment (``gather.script``); "" where the
    actions rest on the environment's own reference, which nobody else could carry out.
    """

    claim: str
    cause: str
    probe: str
    family: str
    trigger: str
    shown: int = 1
    tried: int = 1
    script: str = ""

    @property
    def accepts(self) -> bool:
        """Whether wrong work, or none, is rewarded."""
        return self.claim in {"accepts-wrong", "leaks-answer"}

    @property
    def ranks(self) -> bool:
        """Whether it counts against the environment, and is not only reported beside the verdict."""
        return self.trigger in RANKING


@dataclass(frozen=True)
class Benign:
    """A probe whose benign arm was graded: whether each of its two arms showed what a hit of the probe shows."""

    probe: str
    shown: bool
    benign: bool


@dataclass(frozen=True)
class Series:
    """Gradings of one state: ``untouched``, ``reference`` (where it ran) or ``restored`` (the state that it left).

    ``late`` are those that ran out of time. Failures of the sandbox are in none of the three.
    """

    name: str
    passed: int = 0
    refused: int = 0
    late: int = 0


@dataclass(frozen=True)
class Survivors:
    """The mutants of one band of distances: how many were graded, how many of them rewarded."""

    band: str
    survived: int
    tried: int


@dataclass(frozen=True)
class Suggestion:
    """That at least one lead of this rule was found. ``family`` is the probe's, "static" for a reading of the tests."""

    rule: str
    family: str
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """Everything that was counted. ``reference`` is how the reference probe ended, ``in_place`` whether only the state
    with its processes passes."""

    verdict: str
    asked: tuple[Asked, ...] = ()
    hits: tuple[Hit, ...] = ()
    benign: tuple[Benign, ...] = ()
    series: tuple[Series, ...] = ()
    mutants: tuple[Survivors, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    reference: str = "not-run"
    in_place: bool = False

    @property
    def answered(self) -> int:
        """Questions of any kind that were answered."""
        return sum(asked.survived + asked.hit for asked in self.asked)
