"""Where nothing could be proved, nothing is tried; hostile tests cost little and never raise."""

from __future__ import annotations

import pytest
from probe_support import ask, controls, environment, graded, survey

from river_envs.probes.base import NotApplicable, ProbeStatus
from river_envs.probes.guided_synthesis import GuidedSynthesis

SEEN = survey("/app/sales.csv", "/app/run.py")
FORM = """
import json
def test_it():
    data = json.load(open("/app/out.json"))
    assert isinstance(data["n"], int)
    assert data["n"] > 1000
"""


@pytest.mark.parametrize(
    "instruction",
    [
        "Find a number n above 1000 that is divisible by 7 and is stored in /app/sales.csv; write n to /app/out.json.",
        "Compute from /app/sales.csv any n you like and write it to /app/out.json; n may be arbitrary.",
        "Measure how long /app/run.py takes on /app/sales.csv and write the milliseconds as n to /app/out.json.",
        "Fit a model to /app/sales.csv with an error below 5 and write the number n of its leaves to /app/out.json.",
        "Compute n from /app/sales.csv such that n satisfies all constraints; write it to /app/out.json.",
        "Generate a password with n characters for the users in /app/sales.csv; write n to /app/out.json.",
        "Create /app/out.json with the key n.",
        "From /app/sales.csv compute how many workers are useful, at least 1000; write n to /app/out.json.",
    ],
)
def test_wording_that_allows_several_answers(instruction: str):
    assert isinstance(ask(GuidedSynthesis(), environment(instruction, tests=FORM), SEEN, lambda _: True), NotApplicable)


FIND = "Compute n, the number of sales in /app/sales.csv, and the state; write n and state to /app/out.json."


@pytest.mark.parametrize(
    "check",
    [
        'assert data["n"] == 17',
        'assert data["n"] in (17, 18)',
        'assert abs(data["n"] - 17) <= 1',
        'assert 16 < data["n"] < 18',
        'assert str(data["n"]) in open("/tests/truth.txt").read()',
        'assert data["n"] == len(open("/app/sales.csv").readlines()) - 1',
        'assert hash_of(data["n"]) == "5f"',
        'assert re.fullmatch(r"seventeen", data["n"])',
        'assert data["n"] % 17 == 0',
        'assert "seventeen" in data["n"].lower()',
        'assert data == {"n": 17, "state": "done"}',
        'assert data["n"] == subprocess.run(["/app/run.py"], capture_output=True).stdout',
        'assert data["n"] is True',
    ],
)
def test_tests_that_know_the_value(check: str):
    imports = FORM.replace("import json", "import json, re, subprocess")
    tests = imports.replace("assert data", f"{check}\n    assert data")
    silent = ask(GuidedSynthesis(), environment(FIND, tests=tests), SEEN, lambda _: True)
    assert isinstance(silent, NotApplicable), silent


@pytest.mark.parametrize(
    "tests",
    [
        "def test_x(:",
        "x = " + "(" * 300 + ")" * 300,
        "def test_x():\n    a = 'x' * 10**9\n    assert open('/app/out.json').read() == a",
        "def f(n):\n    return f(n) + f(n)\ndef test_x():\n    assert f(3) == open('/app/out.json').read()",
        "import re\ndef test_x():\n    assert re.match(r'(a+)+$', open('/app/out.json').read())",
        "def test_x():\n    x = 3\n" + "    x = x * x\n" * 200 + "    assert str(x) in open('/app/out.json').read()",
        "def test_x():\n for a in range(60):\n  for b in range(60):\n   for c in range(60):\n    g(a)\n",
        "import csv\ndef test_x():\n    r = list(csv.reader(open('/app/o.csv')))\n    assert float(r[1][99999999]) > 0",
        "import json\ndef test_x():\n    d = json.load(open('/app/out.json'))\n    assert d[999999999]['n'] > 3",
        "def test_x():\n    assert f\"{'x':>999999999}\" == open('/app/out.json').read()",
        "def test_x():\n    assert open('/app/../../etc/passwd').read() and open('/app/out.json').read() > ''",
    ],
)
def test_hostile_tests(tests: str):
    found = GuidedSynthesis().plan(environment(FIND, tests=tests), SEEN)
    if not isinstance(found, NotApplicable):
        assert all(len(file.content) < 1 << 20 for attempt in found for a in attempt.actions for file in a.files)


def test_one_reward_proves_nothing_and_a_rewarded_control_neither():
    env = environment(FIND, tests=FORM)
    first = iter([True])
    judgement = ask(GuidedSynthesis(), env, SEEN, lambda _: next(first, False))
    assert (judgement.status, judgement.findings) == (ProbeStatus.SURVIVED, ())
    lax = ask(GuidedSynthesis(), env, SEEN, lambda _: True, controls(env, passed=True))
    assert lax.findings == ()


def test_attempts_are_few_and_the_same_everywhere():
    env = environment(FIND, tests=FORM)
    probe = GuidedSynthesis()
    ids = [[attempt.id for attempt in probe.plan(env, SEEN)] for _ in range(2)]
    assert ids[0] == ids[1]
    results = [graded(attempt, False) for attempt in probe.plan(env, SEEN)]
    assert list(probe.more(env, results, controls(env))) == []


def test_files_that_the_instruction_does_not_speak_of_are_left_alone():
    tests = FORM.replace("data = ", 'given = json.load(open("/srv/store/given.json"))\n    data = ')
    tests = tests.replace('assert data["n"] > 1000', 'assert data["n"] == len(given["sales"])')
    assert isinstance(ask(GuidedSynthesis(), environment(FIND, tests=tests), SEEN, lambda _: True), NotApplicable)


def test_a_program_that_is_used_in_ways_that_cannot_be_followed():
    find = "Write a service /app/serve.py that computes the number of sales in /app/sales.csv for each request."
    tests = """
import subprocess, urllib.request
def test_it():
    server = subprocess.Popen(["python3", "/app/serve.py"])
    assert urllib.request.urlopen("http://127.0.0.1:8000/").status == 200
"""
    assert isinstance(ask(GuidedSynthesis(), environment(find, tests=tests), SEEN, lambda _: True), NotApplicable)
