"""Shares with their uncertainty, and how shares combine: Beta(½, ½) updated by what was counted (Jeffreys), 90 %."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from river_envs.catalog.records import Estimate

LEVEL = 0.90


class Share(NamedTuple):
    """A probability with its interval, each between 0 and 1, ``low <= value <= high``."""

    value: float
    low: float
    high: float

    def estimate(self) -> Estimate:
        """As it is kept."""
        return Estimate(*self)

    def negated(self) -> Share:
        """The chance that it does not happen."""
        return Share(1 - self.value, 1 - self.high, 1 - self.low)

    def scaled(self, weight: float) -> Share:
        """``weight`` times as likely; ``weight`` is at most 1."""
        return Share(*(weight * part for part in self))

    def tried(self, times: float) -> Share:
        """The chance that it happens at least once in ``times`` independent tries: 1 − (1 − p)ⁿ, n need not be whole.
        """
        return Share(*(1 - (1 - part) ** times for part in self))


NEVER = Share(0.0, 0.0, 0.0)
IGNORANCE = Share(0.5, 0.0, 1.0)
"""What nobody asked: even odds, and an interval as wide as it can be."""


@cache
def jeffreys(hits: float, tries: float) -> Share:
    """The share behind ``hits`` of ``tries`` (at least 0, need not be whole): mean and interval under Beta(½, ½).

    An end is 0 where nothing was hit and 1 where everything was (Brown, Cai and DasGupta 2001).
    """
    from scipy.special import betaincinv

    a, b = hits + 0.5, tries - hits + 0.5
    tail = (1 - LEVEL) / 2
    low = 0.0 if hits == 0 else float(betaincinv(a, b, tail))
    high = 1.0 if hits == tries else float(betaincinv(a, b, 1 - tail))
    return Share(a / (a + b), low, high)


def every(shares: Iterable[Share]) -> Share:
    """The chance that all of them happen, taken as independent."""
    value = low = high = 1.0
    for share in shares:
        value, low, high = value * share.value, low * share.low, high * share.high
    return Share(value, low, high)


def some(shares: Iterable[Share]) -> Share:
    """The chance that at least one of them happens, taken as independent: 1 − Π(1 − p)."""
    return every(share.negated() for share in shares).negated()
