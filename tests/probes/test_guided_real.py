"""Guided synthesis in real sandboxes: real pytest messages lead to repairs, strong tests are never accused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from real_probe_support import ask_really, real_environment

from river_envs.environment import File, Verifier
from river_envs.probes.base import NotApplicable, ProbeStatus
from river_envs.probes.guided_shell import GuidedShell
from river_envs.probes.guided_synthesis import GuidedSynthesis

pytestmark = pytest.mark.sandbox

DATA = "id,region,amount\n1,north,10.5\n2,south,20.0\n3,north,7.25\n"
FIND = (
    "The file /app/sales.csv holds sales. Compute the total amount, the count and the day with the most sales; write "
    "total, count, day and regions to /app/out.json."
)
SCRIPT = b"""mkdir -p /logs/verifier
if python3 -m pytest -q /tests/test_x.py >&2; then echo 1; else echo 0; fi >/logs/verifier/reward.txt
"""
HIDDEN_KEYS = """
import importlib, os
codec = importlib.import_module("js" + "on")
def everything():
    assert os.path.exists("/app/out.json")
    with open("/app/out.json") as f:
        return codec.load(f)
def test_it():
    data = everything()
    total, count = data["total"], data["count"]
    assert isinstance(total, float)
    assert isinstance(count, int)
"""
REPAIRED = """
import json
from datetime import datetime
def at(data, name):
    return data[name]
def check(data, rules):
    for rule in rules:
        rule(data)
def test_it():
    data = json.load(open("/app/out.json"))
    assert isinstance(data["total"], float)
    names = "".join(["cou", "nt"]), "DAY".lower()
    values = list(map(data.__getitem__, names))
    check(values, [lambda v: int(v[0]), lambda v: datetime.strptime(v[1], "%d.%m.%Y")])
"""
STRONG = """
import json
def test_it():
    data = json.load(open("/app/out.json"))
    assert isinstance(data["total"], float)
    want = sum(float(line.split(",")[2]) for line in open("/app/sales.csv").read().splitlines()[1:])
    check = {"total": want}
    for key in check:
        assert getattr(data, "get")(key) == check[key]
"""


def under(tests: str):
    env = real_environment(FIND, "true", {"sales.csv": DATA})
    files = (File("test.sh", SCRIPT, 0o755), File("test_x.py", tests.encode()))
    return replace(env, verifier=Verifier("harbor", files, "test.sh", timeout_sec=60))


def test_repairs_follow_from_real_messages(bubblewrap_backend):
    asked = ask_really(GuidedSynthesis(), under(REPAIRED), bubblewrap_backend)
    assert asked.causes == ["shape-only"], [result.outcome.log[-600:] for result in asked.results]
    assert 3 <= len(asked.results) <= 8
    rules = {change[0] for result in asked.results for change in result.attempt.facts["amendments"]}
    assert {"key", "date"} <= rules


@pytest.mark.parametrize("tests", [STRONG, HIDDEN_KEYS], ids=["recomputes", "cannot-be-followed"])
def test_what_knows_the_value_or_cannot_be_read_is_not_accused(tests: str, bubblewrap_backend):
    asked = ask_really(GuidedSynthesis(), under(tests), bubblewrap_backend)
    assert asked.causes == []
    assert isinstance(asked.judgement, NotApplicable) or asked.judgement.status is ProbeStatus.SURVIVED


def test_a_script_that_greps_for_numbers(bubblewrap_backend):
    find = "Compute the total of /app/sales.csv and write a line `Total: N` to /app/total.txt."
    weak = real_environment(find, "grep -qE '^Total: [0-9]+$' /app/total.txt", {"sales.csv": DATA})
    strong = real_environment(find, "grep -q '^Total: 37.75$' /app/total.txt", {"sales.csv": DATA})
    assert ask_really(GuidedShell(), weak, bubblewrap_backend).causes == ["shape-only"]
    assert ask_really(GuidedShell(), strong, bubblewrap_backend).causes == []
