"""What a failing assertion asks for, read from the tests' syntax tree where the report shows no value."""

from __future__ import annotations

from dataclasses import replace

import pytest
from probe_support import environment

from river_envs.environment import File
from river_envs.outcome import Outcome, Status
from river_envs.probes.refusal_cause import demanded
from river_envs.probes.refusal_reading import Demand
from river_envs.probes.refusal_tree import Comparison, Denial
from river_envs.verify.failures import failures

HEAD = "import os, stat, subprocess\nfrom pathlib import Path\nROOT = Path('/app/out')\nNOTE = ROOT / 'trail.idx'\n"
ASK = "Write the tool /app/tool.py, which is called with a file."


def traced(*body: str, error: str = "AssertionError"):
    """An environment with a plain script as its verifier, and its one failure, with a traceback at the last line."""
    code = HEAD + "def check():\n" + "".join(f"    {line}\n" for line in body) + "check()\n"
    lines = code.splitlines()
    at = len(lines) - 1
    log = (
        f'Traceback (most recent call last):\n  File "/tests/test_state.py", line {at + 1}, in <module>\n    check()\n'
        f'  File "/tests/test_state.py", line {at}, in check\n    {lines[at - 1].strip()}\n{error}\n'
    )
    return environment(ASK, tests=code), failures(Outcome(Status.GRADED, 0.0, False, log=log))


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (("assert NOTE.exists()",), Demand("path", "/app/out/trail.idx")),
        (("assert os.path.isdir(os.path.join('/app', 'kept'))",), Demand("directory", "/app/kept")),
        (("mode = os.stat('/app/a').st_mode & 0o777", "assert mode == 0o600"), Demand("mode", "600")),
        (
            ("done = subprocess.run(['python3', '/app/tool.py', '--dry'])", "assert done.returncode == 0"),
            Demand("option", "--dry"),
        ),
        (("done = subprocess.run(['python3', '/app/tool.py', 'x'])", "assert done.returncode == 0"), None),
        (("if not NOTE.exists():", "    raise AssertionError('no')"), Demand("path", "/app/out/trail.idx")),
        (("if NOTE.read_text() != 'a':", "    raise ValueError('no')"), Comparison("NOTE.read_text() != 'a'", "'a'")),
        (("rows = NOTE.read_text().split()", "assert len(rows) == 3"), Comparison("assert len(rows) == 3", "3")),
        (("rows = NOTE.read_text().split()", "assert len(rows) != 3"), Denial("assert len(rows) != 3")),
        (("assert not NOTE.exists()",), Denial("assert not NOTE.exists()")),
    ],
)
def test_a_bare_assertion_is_read(body, found):
    env, failed = traced(*body)
    assert [demanded(env, failure) for failure in failed] == [found]


def test_a_key_that_the_tests_own_data_lack_is_no_demand_on_the_work():
    body = (
        "import json",
        "cases = json.loads(open('cases.json').read())",
        "for n, case in enumerate(cases):",
        "    case['wnted']",
    )
    env, failed = traced(*body, error="KeyError: 'wnted'")
    own = replace(env, verifier=replace(env.verifier, files=(*env.verifier.files, File("tests/cases.json", b"[]"))))
    found = demanded(own, failed[0])
    assert isinstance(found, Comparison)
    assert "'wnted'" in found.shown
    work = tuple(line.replace("'cases.json'", "'/app/cases.json'") for line in body)
    env, failed = traced(*work, error="KeyError: 'wnted'")
    own = replace(env, verifier=replace(env.verifier, files=(*env.verifier.files, File("tests/cases.json", b"[]"))))
    assert demanded(own, failed[0]) == Demand("key", "wnted")


def test_a_check_that_is_only_named_is_looked_up():
    env, _ = traced("assert NOTE.exists()")
    failed = failures(Outcome(Status.GRADED, 0.0, False, log="FAILED check AssertionError()\nnot as asked\n"))
    assert demanded(env, failed[0]) == Demand("path", "/app/out/trail.idx")


def test_each_traceback_is_a_failure_and_a_chain_is_one():
    one = "Traceback (most recent call last):\n  File \"/tests/a.py\", line 1, in x\n    f()\nKeyError: 'a'\n"
    chain = one + "\nDuring handling of the above exception, another exception occurred:\n\n" + one
    assert [f.errors for f in failures(Outcome(Status.GRADED, 0.0, False, log=one + "check failed\n" + one))] == [
        ("KeyError: 'a'", "check failed"),
        ("KeyError: 'a'",),
    ]
    assert len(failures(Outcome(Status.GRADED, 0.0, False, log=chain))) == 1
