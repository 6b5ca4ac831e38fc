"""The determinism probes: a verifier that depends on the world is caught, one whose work sees the same world is not."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from probe_support import ask, controls, environment, failed, graded, survey

from river_envs.environment import File, Reference
from river_envs.outcome import NETWORK_WITHHELD, Status
from river_envs.probes.again_in_place import AgainInPlace
from river_envs.probes.base import Attempt, Judgement, NotApplicable, ProbeStatus, Restore, Solve
from river_envs.probes.clock_shift import ClockShift
from river_envs.probes.delay import Delay
from river_envs.probes.hash_seed import HashSeed
from river_envs.probes.locale import Locale
from river_envs.probes.memory import Memory
from river_envs.probes.network_off import NetworkOff
from river_envs.probes.present import asks_for_present
from river_envs.probes.processors import Processors
from river_envs.probes.state_age import StateAge
from river_envs.probes.steadiness import Steadiness, power
from river_envs.probes.test_order import TestOrder as OrderProbe
from river_envs.probes.time_zone import TimeZone
from river_envs.sandbox.base import Delta

SEEN = replace(survey("/app/orders.csv"), reference=Delta())
ALL = [AgainInPlace(), HashSeed(), TimeZone(), Locale(), ClockShift(), Processors(), OrderProbe(), Delay()]
WORLD = [probe for probe in ALL if probe.whole]


def name(probe: Steadiness) -> str:
    return probe.id


def plainly(attempt: Attempt) -> bool:
    """What a verifier says that fails under every condition that changes something."""
    return attempt.conditions in {(), (("clock", "0"),), (("age", "0"),)}


@pytest.mark.parametrize("probe", ALL, ids=name)
class TestEach:
    def test_catches_a_verifier_that_fails_under_it(self, probe: Steadiness):
        judgement = ask(probe, environment(), SEEN, plainly)
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
        results += [graded(attempt, plainly(attempt)) for attempt in probe.more(env, results, controls(env))]
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
    judgement = ask(ClockShift(), environment(tests=tests), SEEN, plainly)
    assert judgement.findings == ()
    assert "openssl" in judgement.reason


def test_network_only_where_it_is_declared():
    assert isinstance(NetworkOff().plan(environment(), SEEN), NotApplicable)
    env = environment(network="public")
    assert ask(NetworkOff(), env, SEEN, plainly).findings[0].cause == "network-dependent"
    judgement = ask(NetworkOff(), env, SEEN, lambda attempt: True)
    assert (judgement.status, judgement.findings) == (ProbeStatus.SURVIVED, ())


def test_network_is_asked_at_the_standard_effort_and_says_when_it_could_not():
    env = environment(network="public")
    assert (NetworkOff().worth(environment()), NetworkOff().worth(env)) == ("deep", "standard")
    planned = NetworkOff().plan(env, SEEN)
    assert not isinstance(planned, NotApplicable)
    results = [graded(attempt, True) for attempt in planned]
    withheld = [replace(r, outcome=replace(r.outcome, substitutions=(NETWORK_WITHHELD,))) for r in results]
    judgement = NetworkOff().judge(env, withheld, controls(env))
    assert judgement.status is ProbeStatus.NOT_APPLICABLE
    assert "--network" in judgement.reason


AGED = "import os, time\ndef test_age(): assert time.time() - os.path.getmtime('/app/t') < 3600\n"
FOUND = "import subprocess\ndef test_age(): assert subprocess.check_output(['find', '/app/t', '-mmin', '-9'])\n"


class TestStateAge:
    def test_age_against_the_clock_is_caught(self):
        judgement = ask(StateAge(), environment(tests=AGED), SEEN, plainly)
        assert [finding.cause for finding in judgement.findings] == ["time-dependent"]
        assert len(judgement.findings[0].attempts) == 5

    def test_times_inside_files_are_no_proof(self):
        """The files moved, what they hold did not; with the clock ahead the state passes."""
        judgement = ask(StateAge(), environment(tests=AGED), SEEN, lambda a: plainly(a) or a.arm == "clock")
        assert judgement.findings == ()
        assert "no proof" in judgement.reason

    def test_a_program_with_the_real_clock_is_caught_by_moving_the_files(self):
        judgement = ask(StateAge(), environment(tests=FOUND), SEEN, lambda a: plainly(a) or a.arm == "clock")
        assert len(judgement.findings) == 1

    def test_means_that_spoil_the_state_are_no_proof(self):
        assert ask(StateAge(), environment(tests=AGED), SEEN, lambda a: not a.conditions).findings == ()

    def test_only_where_tests_look_at_time_stamps(self):
        assert isinstance(StateAge().plan(environment(), SEEN), NotApplicable)
        assert StateAge().worth(environment(tests=AGED)) == "standard"


@pytest.mark.parametrize("probe", [StateAge(), ClockShift()], ids=name)
@pytest.mark.parametrize("asks", ["Write today's date to /app/t.", "The stamp is the current UTC time.",
                                  "Delete logs older than 7 days.", "Make a self-signed certificate.",
                                  "The report must hold a field generated_at."])
def test_an_instruction_that_asks_for_the_present_is_left_alone(probe: Steadiness, asks: str):
    assert isinstance(probe.plan(environment(asks, tests=AGED), SEEN), NotApplicable)


@pytest.mark.parametrize("asks", ["Nothing may touch main.", "The service answers within ten seconds.",
                                  "It is run on inputs that you have not seen.", "Forecast the next 14 days."])
def test_ordinary_words_do_not_ask_for_the_present(asks: str):
    assert asks_for_present(asks) == ""


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
    assert ask(ClockShift(), env, SEEN, plainly).findings
    env = replace(environment(tests=runs), reference=solve)
    assert ask(ClockShift(), env, SEEN, plainly).findings == ()


@pytest.mark.sandbox
class TestReal:
    """Real processes on this machine's own programs."""

    TASK = ("FROM host\nWORKDIR /app\nRUN mkdir -p /app && echo 1 >/app/in\n",
            b"date +%F >/app/day.txt; nproc >/app/n.txt\n")

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

    def test_a_state_that_must_be_new_is_time_dependent(self, bubblewrap_backend):
        for check in ("time.time() - os.path.getmtime('/app/n.txt') < 3600",
                      "subprocess.check_output(['find', '/app/n.txt', '-mmin', '-60'])"):
            tests = f"import os, subprocess, time\ndef test_x(): assert {check}"
            judgement = self.judged(bubblewrap_backend, StateAge(), tests)
            assert [finding.cause for finding in judgement.findings] == ["time-dependent"], judgement

    def test_the_order_of_time_stamps_is_steady(self, bubblewrap_backend):
        tests = ("import os, pathlib, time\ndef test_x():\n    began = time.time() - 1\n"
                 "    pathlib.Path('/app/new').write_text('x')\n    assert os.path.getmtime('/app/new') >= began\n"
                 "    assert os.path.getmtime('/app/n.txt') >= os.path.getmtime('/app/in')\n")
        assert self.judged(bubblewrap_backend, StateAge(), tests).status is ProbeStatus.SURVIVED

    def test_a_fixed_number_of_processors_is_machine_dependent(self, bubblewrap_backend):
        import os

        tests = f"import os\ndef test_x(): assert os.cpu_count() == {os.cpu_count()}"
        judgement = self.judged(bubblewrap_backend, Processors(), tests)
        assert [finding.cause for finding in judgement.findings] == ["machine-dependent"]
        tests = "import os\ndef test_x(): assert int(open('/app/n.txt').read()) == len(os.sched_getaffinity(0))"
        assert self.judged(bubblewrap_backend, Processors(), tests).findings == ()

    def test_a_fixed_amount_of_memory_is_machine_dependent(self, bubblewrap_backend):
        tests = "import os\ndef test_x(): assert os.sysconf('SC_PHYS_PAGES') > 1 << 18"
        judgement = self.judged(bubblewrap_backend, Memory(), tests)
        assert [finding.cause for finding in judgement.findings] == ["machine-dependent"]
        tests = "import os\ndef test_x(): assert os.sysconf('SC_PHYS_PAGES') > 1 << 14 and open('/app/n.txt')"
        assert self.judged(bubblewrap_backend, Memory(), tests).status is ProbeStatus.SURVIVED
        tests = ("import subprocess\ndef test_x():\n    cells = subprocess.check_output(['free', '-m']).split()\n"
                 "    assert int(cells[7]) > 1024")
        assert [f.cause for f in self.judged(bubblewrap_backend, Memory(), tests).findings] == ["machine-dependent"]
