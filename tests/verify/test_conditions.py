"""Conditions: what a grading runs under, shown to real programs."""

import time

import pytest

from river_envs.environment import File, RiverError
from river_envs.outcome import Status
from river_envs.sandbox.base import Change, Delta
from river_envs.verifier import grade
from river_envs.verify import conditions as under

DAY = 86400
SHOW = b"""
import datetime, os, sys, time
print("py", int(time.time()), int(datetime.datetime.now().timestamp()), datetime.date.today(), time.strftime("%Z"))
now = datetime.datetime.now(datetime.timezone.utc)
print("utc", int(now.timestamp()), type(now) is datetime.datetime)
import logging
logging.basicConfig(format="log %(asctime)s", datefmt="%Y", stream=sys.stdout)
logging.warning("x")
print("cpu", os.cpu_count(), len(os.sched_getaffinity(0)))
"""
SCRIPT = b"""mkdir -p /logs/verifier
python3 /tests/show.py
echo sh $(date +%s) $(date -d @5 +%s) $(date -u -d '1 day ago' +%s) $(nproc) $TZ
echo 1 >>/tmp/graded; echo 1 > /logs/verifier/reward.txt
wc -l </tmp/graded
"""


@pytest.mark.parametrize("pair", [
    ("clock", "soon"), ("processors", "0"), ("memory", "8"),
    ("delay", "3600"), ("again", "0"), ("order", "random"), ("network", "all"),
    ("moon", "full"), ("age", "-5"),
])
def test_what_is_no_condition_is_refused(pair):
    with pytest.raises(RiverError, match=pair[0]):
        under.prepare([pair])


def test_conditions_that_need_nothing_put_nothing():
    for pair in (("delay", "1"), ("again", "2"), ("network", "none")):
        assert under.prepare([pair]) == under.Prepared()


def test_blind_programs_are_named():
    clock = [("clock", "86400")]
    assert under.unseen(clock, ["openssl"], []) == "openssl"
    assert under.unseen(clock, [], ["os.path.getmtime(p)"]) == "getmtime"
    assert under.unseen(clock, ["grep"], ["text.find('x')"]) == ""
    assert under.unseen([("TZ", "UTC+3")], ["openssl"], []) == ""


@pytest.fixture
def show(environment):
    return environment("harbor", "test.sh", SCRIPT, files=(File("show.py", SHOW),))


@pytest.mark.sandbox
class TestReal:
    def run(self, bubblewrap_backend, host_image, task, *conditions):
        with bubblewrap_backend.start(host_image) as sandbox:
            outcome = grade(sandbox, task, conditions=conditions)
        assert outcome.status is Status.GRADED, outcome
        lines = outcome.log.splitlines()
        return outcome, {line.split()[0]: line.split()[1:] for line in lines if line and line[0].isalpha()}, lines[-1]

    def test_the_clock(self, bubblewrap_backend, host_image, show):
        outcome, seen, _ = self.run(bubblewrap_backend, host_image, show, ("clock", str(400 * DAY)))
        ahead = [int(text) - time.time() for text in (*seen["py"][:2], seen["utc"][0], seen["sh"][0])]
        assert all(abs(seconds - 400 * DAY) < 600 for seconds in ahead), ahead
        assert seen["utc"][1] == "True"
        assert seen["sh"][1] == "5"
        assert int(seen["log"][0]) == time.gmtime(time.time() + 400 * DAY).tm_year
        assert abs(int(seen["sh"][2]) - time.time() - 399 * DAY) < 600
        assert "condition clock=34560000 (seen by 4 programs)" in outcome.substitutions

    def test_an_isolated_python_sees_the_clock(self, bubblewrap_backend, host_image, environment):
        script = SCRIPT.replace(b"python3 /tests", b"python3 -I /tests")
        task = environment("harbor", "test.sh", script, files=(File("show.py", SHOW),))
        _, seen, _ = self.run(bubblewrap_backend, host_image, task, ("clock", str(400 * DAY)))
        assert abs(int(seen["py"][0]) - time.time() - 400 * DAY) < 600
        _, seen, _ = self.run(bubblewrap_backend, host_image, task, ("TZ", "ABC-14"))
        assert abs(int(seen["py"][0]) - time.time()) < 600

    def test_an_isolated_python_takes_a_hash_seed(self, bubblewrap_backend, host_image, environment):
        script = b"mkdir -p /logs/verifier; echo 1 >/logs/verifier/reward.txt\n"
        script += b"PYTHONPATH=/srv python3 -I -c 'import sys; print(\"h\", hash(\"x\"), \"/srv\" in sys.path)'"
        task = environment("harbor", "test.sh", script)
        grades = [self.run(bubblewrap_backend, host_image, task, ("PYTHONHASHSEED", seed)) for seed in "1112"]
        seen = [found["h"] for _, found, _ in grades]
        assert seen[0] == seen[1] == seen[2] != seen[3]
        assert {where for _, where in seen} == {"False"}

    def test_an_older_state_keeps_its_order(self, bubblewrap_backend, host_image, environment):
        script = b"mkdir -p /logs/verifier; echo 1 >/logs/verifier/reward.txt\n"
        script += b"stat -c 'x%n %.6Y' /srv/a /srv/b /tests/test.sh"
        task = environment("harbor", "test.sh", script)
        with bubblewrap_backend.start(host_image) as sandbox:
            work = "touch -d @1000000000 /srv/old; touch /srv/a; sleep 0.05; touch /srv/b"
            sandbox.exec(["sh", "-c", work], timeout_sec=9)
            outcome = grade(sandbox, task, conditions=[("age", str(50 * DAY))])
            old = sandbox.exec(["stat", "-c", "%Y", "/srv/old"], timeout_sec=9).text
        now = time.time()
        ages = [now - float(line.split()[1]) for line in outcome.log.splitlines() if line.startswith("x")]
        assert [round(age / DAY) for age in ages] == [50, 50, 0]
        assert ages[0] > ages[1]
        assert old.strip() == "1000000000"
        assert outcome.substitutions[-1].endswith("(seen by 1 programs)")

    def test_the_time_zone_and_other_variables(self, bubblewrap_backend, host_image, show):
        _, seen, _ = self.run(bubblewrap_backend, host_image, show, ("TZ", "ABC-14"))
        assert (seen["py"][3], seen["sh"][-1]) == ("ABC", "ABC-14")

    def test_processors(self, bubblewrap_backend, host_image, show):
        _, seen, _ = self.run(bubblewrap_backend, host_image, show, ("processors", "4"))
        assert (seen["cpu"], seen["sh"][3]) == (["4", "4"], "4")

    def test_memory(self, bubblewrap_backend, host_image, environment):
        python = (
            "import os, pathlib; text = pathlib.Path('/proc/meminfo').read_text(); size = os.sysconf('SC_PAGE_SIZE');"
            " print(text.split()[1], open('/proc/meminfo', 'rb').read().split()[1].decode(),"
            " os.sysconf('SC_PHYS_PAGES') * size >> 20, 'SwapTotal' in text, open('/proc/uptime').read() != '')"
        )
        script = f'#!/bin/bash\npython3 -c "{python}"\npython3 -I -c "{python}"\nfree -mt\nfree -h\n'
        task = environment("harbor", "test.sh", script.encode())
        with bubblewrap_backend.start(host_image) as sandbox:
            log = grade(sandbox, task, conditions=[("memory", "2048")]).log.splitlines()
        assert log[:2] == ["2097152 2097152 2048 True True"] * 2
        assert [line.split()[1:] for line in log if line.startswith("Total:")] == [["2048", "512", "1536"]]
        rows = [line.split() for line in log if line.startswith("Mem:")]
        assert rows == [["Mem:", "2048", "512", "1536", "0", "0", "1536"],
                        ["Mem:", "2048Mi", "512Mi", "1536Mi", "0Mi", "0Mi", "1536Mi"]]

    def test_again_grades_one_sandbox_twice(self, bubblewrap_backend, host_image, show):
        _, _, last = self.run(bubblewrap_backend, host_image, show, ("again", "2"))
        assert last == "2"

    def test_the_order_of_tests(self, bubblewrap_backend, host_image, environment):
        tests = b"done = []\ndef test_a(): done.append(1)\ndef test_b(): assert done\n"
        task = environment("pytest", "test_final_state.py", tests)
        with bubblewrap_backend.start(host_image) as sandbox:
            assert grade(sandbox, task).passed is True
            assert grade(sandbox, task, conditions=[("order", "reversed")]).passed is False

    def test_an_isolated_python_sees_nothing_and_is_not_broken(self, bubblewrap_backend, host_image, environment):
        script = b"python3 -I -m pytest /tests/test_a.py && echo 1 >/logs/verifier/reward.txt"
        task = environment("harbor", "test.sh", script, files=(File("test_a.py", b"def test_a(): pass"),))
        with bubblewrap_backend.start(host_image) as sandbox:
            outcome = grade(sandbox, task, conditions=[("order", "reversed")])
        assert outcome.passed is True
        assert outcome.substitutions[-1] == "condition order=reversed (seen by 0 programs)"


def test_a_state_restored_later_is_as_if_just_made():
    now = int(time.time())
    delta = Delta((
        Change("a", "file", mtime=now - 50 * DAY - 7), Change("b", "file", mtime=now - 50 * DAY),
        Change("fixture", "file", mtime=1_000_000_000), Change("gone", "deleted"),
        Change("later", "file", mtime=now + DAY),
    ))
    assert under.as_just_made(delta, ()) is delta
    a, b, fixture, gone, later = (change.mtime for change in under.as_just_made(delta, [("age", "0")]).changes)
    assert b - a == 7
    assert 0 <= b - now < 60
    assert (fixture, gone, later) == (1_000_000_000, 0, now + DAY)


@pytest.mark.parametrize(
    ("script", "blind"),
    [
        ("awk '/MemTotal/ {t=$2; print t}' /proc/meminfo", True),
        ("grep -E 'MemTotal|MemFree' /proc/meminfo", True),
        ("f=/proc/meminfo; sort $f", True),
        ("os.open('/proc/meminfo', 0)", True),
        ("open('/proc/meminfo').read()", False),
        ('Path("/proc/meminfo").read_text()', False),
    ],
)
def test_what_reads_the_real_memory(script, blind):
    assert bool(under.unseen((("memory", "512"),), (), (script,))) == blind
