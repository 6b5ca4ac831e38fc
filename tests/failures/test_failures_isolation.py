"""Reported failures of the harness around the tests: cases 1 and 11, audited deep on real namespaces.

| case | also asserted in detail by |
|---|---|
| 1 | tests/verify/test_grade_real.py (a reward planted before the tests is removed), tests/verify/test_reward.py |
| 1, 11 | tests/probes/test_tamper.py (each hole beside the same tamper without its sting, in the default run) |
"""

from __future__ import annotations

import json

import pytest
from failures.failure_tasks import PYTEST, RIGHT, Audited, harbor, pays

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

STATE = "def test_sum():\n    assert open('/app/total.txt').read().strip() == '4812'\n"
EARLY_ZERO = f"""#!/bin/bash
mkdir -p /logs/verifier
echo 0 >/logs/verifier/reward.txt
sleep 0.3
{RIGHT} && echo 1 >/logs/verifier/reward.txt
true
"""
"""A script that writes its 0 first, and so gives a waiting process all the time it needs."""


@pytest.fixture(scope="module")
def told(tmp_path_factory, audited) -> Audited:
    """Both scripts, with every isolation probe put to them."""
    folder = tmp_path_factory.mktemp("isolation")
    harbor(folder, "writes-text", solve=None, test=EARLY_ZERO)
    harbor(folder, "runs-pytest", solve=None, test=pays(PYTEST), tests={"test_state.py": STATE})
    return audited(folder, effort="deep")


@pytest.mark.parametrize(
    ("name", "probe", "seen"),
    [
        ("writes-text", "reward-json", "a reward.json beside the script's own reward.txt"),
        ("runs-pytest", "conftest", "a conftest.py beside the tests"),
    ],
)
def test_a_hole_of_the_harness_is_an_isolation_finding(told: Audited, name: str, probe: str, seen: str):
    """Cases 1 and 11: a planted reward.json beats a reward.txt of 0; a planted conftest.py makes pytest pass.

    Proved beside the same tamper without its sting, told apart from the task's own faults, no part of its verdict.
    """
    (finding,) = [one for one in told.findings(name) if one["probe"] == probe]
    assert finding["message"] == f"The untouched image is rewarded with {seen}."
    assert finding["trigger"] == "privileged"
    assert json.loads(finding["evidence"])["hole"] == probe
    arms = {row["arm"]: row["passed"] for row in told.attempts(name, probe) if row["id"] in finding["attempts"]}
    assert arms == {"probe": True, "benign": False}
    assert told.verdict(name) == ("resisted", [])
    assert told.probes(name)[probe][0] == "hit"


def test_a_script_without_pytest_has_no_hole_for_a_conftest(told: Audited):
    """Case 11: the look-alike: where pytest does not run, the planted file changes nothing."""
    assert told.probes("writes-text")["conftest"] == ("survived", "")
