"""Reported failures about the controls: cases 2 to 5, 7, 8, 9, 19, 21 and 24, audited on real namespaces.

| case | also asserted in detail by |
|---|---|
| 4, 21 | tests/verify/test_reward.py (every kind of reward file, exit statuses, time-outs) |
| 5 | tests/verify/test_network.py (real logs of failed downloads, and judgements that only look like them) |
| 7, 8, 9, 24 | tests/probes/test_controls.py (each control and each cause on its own) |
| 19 | tests/sandbox/test_conformance.py (sandboxes_share_no_files, on both backends) |
"""

from __future__ import annotations

import json
import math

import pytest
from failures.failure_tasks import PYTEST, RIGHT, SOLVE, Audited, harbor, interval, pays

pytestmark = pytest.mark.sandbox

STRICT = f"#!/bin/bash\nset -e\nmkdir -p /logs/verifier\n{RIGHT}\necho 1 >/logs/verifier/reward.txt\n"
SILENT = f"#!/bin/bash\nif {RIGHT}; then echo passed; else echo failed; fi\n"
UV = """#!/bin/bash
mkdir -p /logs/verifier
curl -LsSf https://astral.sh/uv/0.9.5/install.sh | sh
source $HOME/.local/bin/env
uvx --from git+https://example.invalid/pytest pytest /tests/test_state.py
if [ $? -eq 0 ]; then echo 1 >/logs/verifier/reward.txt; else echo 0 >/logs/verifier/reward.txt; fi
"""
STATE = "def test_sum():\n    assert open('/app/total.txt').read().strip() == '4812'\n"
COINS = (1, 2)
COIN = "[ $(od -An -N1 -tu1 /dev/urandom) -lt 128 ]"
"""Heads or tails, in a way that nothing outside the sandbox can influence."""


HANGS = f"{{ {COIN} || sleep 30; }}"


@pytest.fixture(scope="module")
def told(tmp_path_factory, audited) -> Audited:
    """All cases in one catalog, audited together."""
    folder = tmp_path_factory.mktemp("rewards")
    harbor(folder, "sound")
    harbor(folder, "no-reward-on-failure", test=STRICT)
    harbor(folder, "no-reward-at-all", test=SILENT)
    harbor(folder, "crashes", test=pays(PYTEST), tests={"test_state.py": "import no_such_module\n" + STATE})
    harbor(folder, "never-ends", test="sleep 30\n" + pays(), verifier_sec=0.5)
    harbor(folder, "ends-only-when-right", test=pays(f"{RIGHT} || sleep 30"), verifier_sec=2)
    harbor(folder, "downloads", test=UV, tests={"test_state.py": STATE})
    harbor(folder, "always-pays", test=pays("true"))
    harbor(folder, "rejects", test=pays('[ "$(cat /app/total.txt 2>/dev/null)" = 4813 ]'))
    harbor(folder, "exit-status-lies", test=pays() + "[ $reward = 0 ]\n")
    harbor(folder, "reference-hangs", solve=SOLVE + "sleep 30\n", agent_sec=0.5)
    harbor(folder, "leaves-traces", test=pays(f"[ ! -e /app/.graded ] && {RIGHT}") + "touch /app/.graded\n")
    for coin in COINS:
        harbor(folder, f"coin-{coin}", test=pays(f"{RIGHT} && {COIN}") + f": {coin}\n")
        harbor(folder, f"hangs-{coin}", test=pays(f"{RIGHT} && {HANGS}") + f": {coin} $RANDOM\n", verifier_sec=0.5)
    return audited(folder)


def unrewarded(rows) -> bool:
    """Whether none of the attempts has a reward or counts as a pass or a failure."""
    return bool(rows) and all(math.isnan(row["reward"]) and row["passed"] is None for row in rows)


def test_no_reward_file_when_a_test_fails(told: Audited):
    """Case 2: the reference is paid, work that is wrong gets no file: broken, and never a 0."""
    assert told.verdict("no-reward-on-failure") == ("defective", ["no-reward-file"])
    (finding,) = told.findings("no-reward-on-failure")
    assert finding["claim"] == "broken"
    assert "`set -e`" in finding["advice"]
    untouched = told.attempts("no-reward-on-failure", "untouched")
    assert {row["status"] for row in untouched} == {"no-reward-file"}
    assert unrewarded(untouched)
    assert {row["reward"] for row in told.attempts("no-reward-on-failure", "reference")} == {1.0}


def test_no_reward_on_failure_is_told_from_no_reward_at_all(told: Audited):
    """Case 2: what is seen is a missing reward *on failure*; the reference's reward was recorded beside it."""
    (finding,) = told.findings("no-reward-on-failure")
    assert "on failure" in finding["message"]


def test_no_reward_file_at_all(told: Audited):
    """Case 3: the untouched image shows it, and it has its name."""
    assert told.verdict("no-reward-at-all") == ("defective", ["no-reward-file"])
    (finding,) = told.findings("no-reward-at-all")
    assert (finding["claim"], finding["probe"]) == ("broken", "untouched")
    assert "without reward.txt or reward.json in /logs/verifier" in finding["message"]
    assert unrewarded(told.attempts("no-reward-at-all"))


@pytest.mark.parametrize(
    ("name", "status", "cause"),
    [("crashes", "verifier-crashed", "verifier-crashes"), ("never-ends", "verifier-timeout", "too-slow")],
)
def test_a_verifier_that_died_gave_no_reward(told: Audited, name: str, status: str, cause: str):
    """Case 4: a crash or a time-out is a status of its own and enters no number as a 0."""
    assert told.verdict(name) == ("defective", [cause])
    assert {row["status"] for row in told.attempts(name)} == {status}
    assert unrewarded(told.attempts(name))
    assert {finding["claim"] for finding in told.findings(name)} == {"broken"}
    numbers = told.score(name)
    assert math.isnan(numbers["p_rejects_right"])
    assert math.isnan(numbers["instability"])


def test_a_timeout_of_the_control_alone_accuses_nobody(told: Audited):
    """Case 4: where work is graded, a control that ran out of time proves nothing: unverified, with the status."""
    assert told.verdict("ends-only-when-right") == ("unverified", [])
    assert told.statuses("ends-only-when-right", "untouched") == {"verifier-timeout"}
    assert told.statuses("ends-only-when-right", "reference") == {"graded"}
    assert "verifier-timeout on the untouched image, though the reference is graded" in told.reasons(
        "ends-only-when-right"
    )


def test_a_lost_download_is_not_the_submissions_fault(told: Audited):
    """Case 5: the installer of the tests cannot be fetched: needs-network with the host, no word against the work."""
    assert told.verdict("downloads") == ("defective", ["needs-network"])
    assert {row["status"] for row in told.attempts("downloads")} == {"needs-network"}
    assert unrewarded(told.attempts("downloads"))
    found = told.findings("downloads")
    assert {(finding["claim"], finding["cause"]) for finding in found} == {("broken", "needs-network")}
    (message,) = [finding["message"] for finding in found if finding["probe"] == "untouched"]
    assert "astral.sh" in message


@pytest.mark.parametrize("coin", COINS)
def test_verifier_timeouts_of_a_reference_reject_nothing(told: Audited, coin: int):
    """Case 8: a grading that hangs now and then leaves time-outs, and none of them counts against the reference."""
    rows = told.attempts(f"hangs-{coin}", "reference")
    assert {row["status"] for row in rows} <= {"graded", "verifier-timeout"}
    assert all(row["passed"] for row in rows if row["status"] == "graded")
    assert not [finding for finding in told.findings(f"hangs-{coin}") if finding["claim"] == "rejects-right"]


def test_a_reference_that_sometimes_hangs_is_unstable(told: Audited):
    """Case 8: one state, now graded and now running out of time, is unstable (two coins: one may show one side)."""
    claims = {finding["claim"] for coin in COINS for finding in told.findings(f"hangs-{coin}")}
    assert "unstable" in claims


def test_a_reference_that_was_cut_off_is_no_evidence(told: Audited):
    """Case 8: a reference that does not end in its time proves nothing; the reason says when it was killed."""
    assert told.verdict("reference-hangs") == ("unverified", [])
    assert "killed after 0.5 s" in told.reasons("reference-hangs")


def test_reward_for_nothing(told: Audited):
    """Case 9: tests that pass before any work."""
    assert told.verdict("always-pays") == ("defective", ["pays-for-nothing"])
    (finding,) = told.findings("always-pays")
    assert (finding["claim"], finding["probe"]) == ("accepts-wrong", "untouched")
    assert "no work is needed" in finding["message"]


def test_a_rejected_reference_has_an_interval(told: Audited):
    """Case 7: rejected in every grading: rejects-right, and a share with an interval instead of a bare 1."""
    assert told.verdict("rejects") == ("defective", ["reference-fails"])
    (finding,) = told.findings("rejects")
    assert finding["claim"] == "rejects-right"
    assert "in all 3 gradings" in finding["message"]
    low, value, high = interval(told.score("rejects"), "p_rejects_right")
    assert 0 < low < value < 1 == high


def test_an_intermittent_reference_is_unstable_with_an_interval(told: Audited):
    """Case 7: now passing and now failing is unstable, never rejects-right; ten gradings size it."""
    found = [(name, one) for name in (f"coin-{coin}" for coin in COINS) for one in told.findings(name)]
    name, finding = next((name, one) for name, one in found if one["claim"] == "unstable")  # ten tosses, two coins
    assert finding["cause"] == "flaky"
    assert told.verdict(name) == ("defective", ["flaky"])
    evidence = json.loads(finding["evidence"])
    assert evidence["graded"] == 10
    assert f"passed {evidence['passed']} of 10 gradings" in finding["message"]
    low, value, high = interval(told.score(name), "instability")
    assert 0 < low < value < high <= 1


def test_no_attempt_sees_what_another_left(told: Audited):
    """Case 19: a verifier that spoils its sandbox for every later grading meets a fresh one each time."""
    assert told.verdict("leaves-traces") == ("sound", [])
    assert told.probes("leaves-traces")["reference"] == ("survived", "passed 3 of 3")
    assert [row["reward"] for row in told.attempts("leaves-traces", "untouched")] == [0.0, 0.0]


def test_the_reward_file_decides_and_not_the_exit_status(told: Audited):
    """Case 21: exit status 1 with a reward of 1, and 0 with 0: the files count, so this is sound."""
    assert told.verdict("exit-status-lies") == ("sound", [])
    seen = {(row["exit_code"], row["reward"]) for row in told.attempts("exit-status-lies")}
    assert seen == {(0, 0.0), (1, 1.0)}


def test_each_unsound_baseline_has_its_own_name(told: Audited):
    """Case 24: always pass, rejected reference and flake are three causes, and none of them "not sane"."""
    coins = {tuple(told.verdict(f"coin-{coin}")[1]) for coin in COINS}
    named = [told.verdict("always-pays")[1], told.verdict("rejects")[1], ["flaky"]]
    assert named == [["pays-for-nothing"], ["reference-fails"], ["flaky"]]
    assert ("flaky",) in coins
    assert told.verdict("sound") == ("sound", [])
