"""What an effort pays for: so many attempts, and a reserve for probes that something in the environment points to."""

from types import SimpleNamespace

import pytest

from river_envs.audit.environment import RESERVE, EnvironmentAudit, History
from river_envs.audit.options import EFFORTS, AuditOptions


def audit(spent, effort="standard"):
    made = EnvironmentAudit(None, History(), None, None, AuditOptions(effort=effort), None, None, None)
    made.results = {"untouched": [None] * 2, "reference": [None] * 10, "other": [None] * spent}
    return made


def probe(effort="standard", worth=None):
    return SimpleNamespace(family="determinism", effort=effort, worth=lambda environment: worth or effort)


@pytest.mark.parametrize(
    ("spent", "asked", "beyond"),
    [
        (EFFORTS["standard"] - 1, probe(), False),
        (EFFORTS["standard"], probe(), True),
        (EFFORTS["standard"], probe("deep", "standard"), False),
        (EFFORTS["standard"] + RESERVE - 1, probe("deep", "standard"), False),
        (EFFORTS["standard"] + RESERVE, probe("deep", "standard"), True),
        (0, probe("deep"), True),
    ],
)
def test_attempts_and_reserve(spent, asked, beyond):
    assert audit(spent)._beyond(asked) is beyond


def test_controls_are_always_paid_for():
    assert not audit(500)._beyond(SimpleNamespace(family="reference", effort="quick", worth=lambda _: "quick"))
