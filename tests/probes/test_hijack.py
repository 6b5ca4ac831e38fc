"""Grading-runtime probes: caught where the tests import the module, silent where they run it in another process."""

from __future__ import annotations

from dataclasses import replace

import pytest
from probe_support import ask, controls, environment, survey

from river_envs.environment import File, ImageRecipe
from river_envs.probes.base import Judgement, NotApplicable, ProbeStatus
from river_envs.probes.equal_to_everything import EqualToEverything
from river_envs.probes.exit_at_exit import ExitAtExit
from river_envs.probes.exit_at_import import ExitAtImport
from river_envs.probes.exit_in_call import ExitInCall
from river_envs.probes.hijack import Hijack
from river_envs.probes.patched_reports import PatchedReports

ALL = [ExitAtImport(), ExitInCall(), ExitAtExit(), EqualToEverything(), PatchedReports()]
ASKED = "Write a module /app/sums.py with a function `total(rows)` that adds the amounts of a list of rows."
IMPORTS = """
import sys
sys.path.insert(0, "/app")
from sums import total

def test_empty():
    assert total([]) == 0

def test_rows():
    assert total([{"amount": 3}, {"amount": 4}]) == 7
"""
ELSEWHERE = """
import json, subprocess

def ask(rows):
    code = "import sys, json; sys.path.insert(0, '/app'); import sums; print(sums.total(json.loads(sys.argv[1])))"
    return subprocess.run(["python3", "-c", code, json.dumps(rows)], capture_output=True, text=True).stdout.strip()

def test_rows():
    assert ask([{"amount": 3}, {"amount": 4}]) == "7"
"""
SEEN = survey("/app/orders.csv")


@pytest.mark.parametrize("probe", ALL, ids=lambda probe: probe.id)
class TestEach:
    def test_catches_a_verifier_that_trusts_its_process(self, probe: Hijack):
        judgement = ask(probe, environment(ASKED, tests=IMPORTS), SEEN, lambda attempt: attempt.arm == "probe")
        assert isinstance(judgement, Judgement)
        assert [finding.cause for finding in judgement.findings] == ["self-report"]
        assert len(judgement.findings[0].attempts) == 2

    def test_survived_where_it_does_not_pay(self, probe: Hijack):
        judgement = ask(probe, environment(ASKED, tests=IMPORTS), SEEN, lambda _: False)
        assert judgement.status is ProbeStatus.SURVIVED

    def test_what_an_empty_module_earns_is_not_the_tampers_doing(self, probe: Hijack):
        assert ask(probe, environment(ASKED, tests=IMPORTS), SEEN, lambda _: True).findings == ()

    def test_silent_where_the_module_runs_elsewhere(self, probe: Hijack):
        assert isinstance(probe.plan(environment(ASKED, tests=ELSEWHERE), SEEN), NotApplicable)

    def test_silent_when_the_control_was_rewarded(self, probe: Hijack):
        env = environment(ASKED, tests=IMPORTS)
        assert ask(probe, env, SEEN, lambda a: a.arm == "probe", controls(env, passed=True)).findings == ()

    def test_its_module_is_python(self, probe: Hijack):
        for tampered in (True, False):
            compile(probe.module(["total"], tampered=tampered), "sums.py", "exec")

    @pytest.mark.sandbox
    def test_pytest_is_fooled_in_process(self, probe: Hijack, bubblewrap_backend):
        from river_envs.audit.attempt import Workplace, run_attempt
        from river_envs.verifier import grade

        env = replace(environment(ASKED, tests=IMPORTS), image=ImageRecipe("dockerfile", "FROM host\nWORKDIR /app\n"))
        script = b"mkdir -p /logs/verifier\npython3 -m pytest -q -p no:cacheprovider /tests/test_state.py"
        script += b" && echo 1 >/logs/verifier/reward.txt || echo 0 >/logs/verifier/reward.txt\n"
        env = replace(env, verifier=replace(env.verifier, files=(File("test.sh", script), env.verifier.files[1])))
        place = Workplace(bubblewrap_backend, bubblewrap_backend.build(env.image), grade)
        background = controls(env)
        planned = probe.plan(env, SEEN)
        assert not isinstance(planned, NotApplicable)
        results = [run_attempt(place, env, attempt, None)[0] for attempt in planned]
        results += [run_attempt(place, env, attempt, None)[0] for attempt in probe.more(env, results, background)]
        judgement = probe.judge(env, results, background)
        assert [finding.cause for finding in judgement.findings] == ["self-report"], results
