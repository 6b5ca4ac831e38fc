"""What a verifier said about a state, or why it could not say anything.

An infrastructure failure is not a reward (design, rule 1): every status other than ``GRADED`` leaves ``reward`` and
``passed`` at ``None``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Status(StrEnum):
    """How an attempt ended."""

    GRADED = "graded"
    BUILD_FAILED = "build-failed"
    SANDBOX_ERROR = "sandbox-error"
    VERIFIER_TIMEOUT = "verifier-timeout"
    NO_REWARD_FILE = "no-reward-file"
    MALFORMED_REWARD = "malformed-reward"
    VERIFIER_CRASHED = "verifier-crashed"
    NEEDS_NETWORK = "needs-network"
    UNSUPPORTED = "unsupported"


NETWORK_WITHHELD = "network: declared by the environment, not given"
"""Among an outcome's substitutions: what was graded, and how, may have wanted for the declared network."""
RETRIED = frozenset({Status.SANDBOX_ERROR})
"""Statuses where a second try can help: nothing about the environment caused them."""


@dataclass(frozen=True)
class TestResult:
    """One test of a verifier. Written by code under test: evidence, never the verdict."""

    __test__ = False  # not a pytest class

    name: str
    outcome: str  # passed | failed | error | skipped | xfailed
    message: str = ""


@dataclass(frozen=True)
class Outcome:
    """The verifier's word on one state.

    ``rewards`` holds every key of the reward file, ``reward`` the one that counts, ``passed`` whether it reaches
    ``pass_at``. ``substitutions`` names everything that was not what the environment asked for: a substituted base, a
    bootstrap answered by a shim, a test layer. ``log`` is the verifier's output, its middle cut out when long.
    """

    status: Status
    reward: float | None = None
    passed: bool | None = None
    rewards: dict[str, float] = field(default_factory=dict)
    tests: tuple[TestResult, ...] = ()
    log: str = ""
    exit_code: int | None = None
    seconds: float = 0.0
    detail: str = ""  # one sentence for every status other than graded
    substitutions: tuple[str, ...] = ()
