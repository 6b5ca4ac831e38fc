"""The determinism probes: a verifier that depends on the world is caught, one whose work sees the same world is not."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from probe_support import ask, controls, environment, failed, graded, survey

from river_envs.environment import File, Reference
from river_envs.outcome import Status
from river_envs.probes.again_in_place import AgainInPlace
from river_envs.probes.base import Attempt, Judgement, NotApplicable, ProbeStatus, Restore, Solve
from river_envs.probes.clock_shift import ClockShift
from river_envs.probes.delay import Delay
from river_envs.probes.hash_seed import HashSeed
from river_envs.probes.locale import Locale
from river_envs.probes.network_off import NetworkOff
from river_envs.probes.processors import Processors
from river_envs.probes.steadiness import Steadiness, power
from river_envs.probes.test_order import TestOrder as OrderProbe
from river_envs.probes.time_zone import TimeZone
from river_envs.sandbox.base import Delta

SEEN = replace(survey("/app/orders.csv"), reference=Delta())
ALL = [AgainInPlace(), HashSeed(), TimeZone(), Locale(), ClockShift(), Processors(), OrderProbe(), Delay()]
WORLD = [probe for probe in ALL if probe.whole]


def name(probe: Steadiness) -> str:
    return probe.id


@pytest.mark.parametrize("probe", ALL, ids=name)
class TestEach:
    def test_catches_a_verifier_that_fails_under_it(self, probe: Steadiness):
        judgement = ask(probe, environment(), SEEN, lambda attempt: not attempt.conditions)
        assert isinstance(judgement, Judgement)
        (finding,) = judgement.findings
        assert (finding.claim, finding.cause) == ("unstable", probe.cause)
        assert len(finding.attempts) >= 4

    def test_passes_a_steady_verifier_and_prints_the_power(self, probe: Steadiness):
        judgement = ask(probe, environment(), SEEN, lambda _: True)
        assert judgement.status is ProbeStatus.SURVIVED
        assert "with probability" in judgement.reason

    def test_says_nothing_without_a_passing_reference(self, probe: Steadiness):
        assert isinstance(probe.plan(environment(reference=False), SEEN), NotApplicable)
        assert isinstance(probe.plan(environment(), survey()), NotApplicable)

    def test_a_state_that_fails_plainly_too_is_no_proof(self, probe: Steadiness):
        judgement = ask(probe, environment(), SEEN, lambda attempt: attempt.arm == "none")
        assert judgement.findings == ()

    def test_one_failure_is_no_proof(self, probe: Steadiness):
        seen: list[Attempt] = []

        def once(attempt: Attempt) -> bool:
            seen.append(attempt)
            return len(seen) > 1

        assert ask(probe, environment(), SEEN, once).findings == ()

    def test_the_order_of_the_results_does_not_matter(self, probe: Steadiness):
        """A catalog gives attempts back in another order than the plan's."""
        env = environment()
        results = [graded(attempt, False) for attempt in probe.plan(env, SEEN)]
        results += [graded(attempt, not attempt.conditions) for attempt in probe.more(env, results, controls(env))]
        found = [probe.judge(env, order, controls(env)).findings for order in (results, results[::-1])]
        assert [len(findings) for findings in found] == [1, 1]
        assert found[0][0].id == found[1][0].id

    def test_what_gave_no_grade_accuses_nobody(self, probe: Steadiness):
        env = environment()
        planned = probe.plan(env, SEEN)
        assert not isinstance(planned, NotApplicable)
        results = [failed(attempt, Status.VERIFIER_CRASHED) for attempt in planned]
        assert probe.judge(env, results, controls(env)).status is ProbeStatus.NOT_APPLICABLE
        results = [failed(attempt, Status.SANDBOX_ERROR) for attempt in planned]
        assert probe.judge(env, results, controls(env)).status is ProbeStatus.ERROR

    def test_work_is_done_again_where_processes_matter(self, probe: Steadiness):
        planned = probe.plan(environment(), replace(SEEN, in_place=True))
        assert not isinstance(planned, NotApplicable)
        assert all(attempt.actions == (Solve(),) for attempt in planned)


@pytest.mark.parametrize("probe", WORLD, ids=name)
class TestWorld:
    def test_work_that_sees_the_same_world_is_steady(self, probe: Steadiness):
        """Local time, written and checked: the restored state fails in another zone, work done there passes."""
        env = environment()
        judgement = ask(probe, env, SEEN, lambda a: not a.conditions or Restore() not in a.actions)
        assert (judgement.status, judgement.findings) == (ProbeStatus.SURVIVED, ())

    def test_a_condition_that_nothing_sees_is_no_pass(self, probe: Steadiness):
        env = environment()
        planned = probe.plan(env, SEEN)
        assert not isinstance(planned, NotApplicable)
        results = [graded(attempt, True) for attempt in planned]
        deaf = [replace(r, outcome=replace(r.outcome, substitutions=("condition x=1 (seen by 0 programs)",)))
                for r in results]
        assert probe.judge(env, deaf, controls(env)).status is ProbeStatus.NOT_APPLICABLE


def test_programs_that_do_not_see_the_clock_accuse_nobody():
    tests = 'import subprocess\ndef test_x(): subprocess.run(["openssl", "x509", "-checkend", "9"], check=True)\n'
    judgement = ask(ClockShift(), environment(tests=tests), SEEN, lambda attempt: not attempt.conditions)
    assert judgement.findings == ()
    assert "openssl" in judgement.reason


def test_network_only_where_it_is_declared():
    assert isinstance(NetworkOff().plan(environment(), SEEN), NotApplicable)
    env = environment(network="public")
    assert ask(NetworkOff(), env, SEEN, lambda a: not a.conditions).findings[0].cause == "network-dependent"


def test_a_lead_makes_it_worth_the_standard_effort():
    assert Processors().worth(environment()) == "deep"
    assert Processors().worth(environment(tests="import os\ndef test_x(): assert os.cpu_count() > 1\n")) == "standard"
    assert HashSeed().worth(environment()) == "standard"


def test_power():
    assert power(3) == pytest.approx(0.75)
    assert power(0) == 0


def test_programs_of_the_work_count_where_the_tests_run_it():
    solve = Reference("shipped", (File("solve.sh", b"perl -e 'print time' >/app/t\n", 0o755),))
    runs = "import subprocess\ndef test_x(): subprocess.run(['/app/clock.sh'])\n"
    env = replace(environment(), reference=solve)
    assert ask(ClockShift(), env, SEEN, lambda attempt: not attempt.conditions).findings
    env = replace(environment(tests=runs), reference=solve)
    assert ask(ClockShift(), env, SEEN, lambda attempt: not attempt.conditions).findings == ()


@pytest.mark.sandbox
class TestReal:
    """Real processes on this machine's own programs."""

    TASK = ("FROM host\nWORKDIR /app\nRUN mkdir -p /app\n", b"date +%F >/app/day.txt; nproc >/app/n.txt\n")

    def judged(self, backend: object, probe: Steadiness, tests: str) -> Judgement:
        from river_envs.audit.attempt import Workplace, run_attempt
        from river_envs.environment import ImageRecipe
        from river_envs.probes.base import Background, Result
        from river_envs.verifier import grade

        recipe, solve = self.TASK
        env = replace(environment(tests=tests), image=ImageRecipe("dockerfile", recipe),
                      reference=Reference("shipped", (File("solve.sh", solve, 0o755),)))
        script = b"mkdir -p /logs/verifier\npython3 -m pytest -q -p no:cacheprovider /tests/test_state.py"
        script += b" && echo 1 >/logs/verifier/reward.txt || echo 0 >/logs/verifier/reward.txt\n"
        verifier = replace(env.verifier, files=(File("test.sh", script, 0o755), env.verifier.files[1]))
        env = replace(env, verifier=verifier)
        place = Workplace(backend, backend.build(env.image), grade)  # type: ignore[attr-defined,arg-type]
        solved, delta = run_attempt(place, env, Attempt(env.id, "reference", 1, actions=(Solve(),)), None)
        assert solved.passed, solved
        background = Background(controls(env).untouched, (solved,))
        planned = probe.plan(env, replace(SEEN, reference=delta))
        results: list[Result] = []
        while planned and not isinstance(planned, NotApplicable):
            results += [run_attempt(place, env, attempt, delta)[0] for attempt in planned]
            done = {result.attempt.id for result in results}
            planned = [attempt for attempt in probe.more(env, results, background) if attempt.id not in done]
        return probe.judge(env, results, background)

    def test_an_expiry_date_is_time_dependent(self, bubblewrap_backend):
        tests = "import datetime\ndef test_x(): assert datetime.date.today().year < 2100 and open('/app/n.txt')"
        assert self.judged(bubblewrap_backend, ClockShift(), tests).status is ProbeStatus.SURVIVED
        tests = "import time\ndef test_x(): assert time.time() < 86400 * 200 + " + str(time.time())
        judgement = self.judged(bubblewrap_backend, ClockShift(), tests)
        assert [finding.cause for finding in judgement.findings] == ["time-dependent"]

    def test_a_fixed_number_of_processors_is_machine_dependent(self, bubblewrap_backend):
        import os

        tests = f"import os\ndef test_x(): assert os.cpu_count() == {os.cpu_count()}"
        judgement = self.judged(bubblewrap_backend, Processors(), tests)
        assert [finding.cause for finding in judgement.findings] == ["machine-dependent"]
        tests = "import os\ndef test_x(): assert int(open('/app/n.txt').read()) == len(os.sched_getaffinity(0))"
        assert self.judged(bubblewrap_backend, Processors(), tests).findings == ()
