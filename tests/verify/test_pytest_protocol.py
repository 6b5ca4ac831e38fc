"""The pytest protocol, on what a real pytest prints; and when a pytest run has judged nothing."""

import subprocess
import sys

import pytest

from river_envs.environment import File
from river_envs.outcome import Status
from river_envs.verifier import grade
from river_envs.verify.pytest_results import read_junit, read_terminal
from river_envs.verify.workplace import JUNIT

MIXED = """
import pytest
def test_ok(): assert 1
def test_bad(): assert open('/nope/x').read() == 'x'
@pytest.mark.skip(reason='no')
def test_s(): pass
@pytest.mark.xfail
def test_x(): assert 0
@pytest.fixture
def f(): raise ValueError('fix - ture')
def test_e(f): pass
class TestIt:
    @pytest.mark.parametrize('v', ['a b', 'c::d'])
    def test_p(self, v): assert v == 'a b'
"""


@pytest.fixture
def real(tmp_path, sandbox):
    """A sandbox whose verifier is a real pytest on a test file in ``tmp_path``, where /tests would be."""

    def make(content):
        def script(box, command, env):
            (tmp_path / "test_final_state.py").write_text(content)
            xml = tmp_path / "junit.xml"
            command = [sys.executable, *(part.replace(JUNIT, str(xml)) for part in command[1:])]
            command += ["-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
            if xml.exists():
                box.files[JUNIT] = xml.read_bytes()
            return done.returncode, done.stdout.replace(str(tmp_path), "/tests") + done.stderr
        return sandbox(script)

    return make


def test_all_pass(real, environment):
    outcome = grade(real("def test_a(): pass"), environment("pytest", "test_final_state.py"))
    assert (outcome.status, outcome.reward, outcome.passed) == (Status.GRADED, 1.0, True)
    assert [(test.name, test.outcome) for test in outcome.tests] == [("test_final_state.py::test_a", "passed")]


def test_one_failure_is_zero_and_every_test_is_reported(real, environment):
    outcome = grade(real(MIXED), environment("pytest", "test_final_state.py"))
    assert (outcome.reward, outcome.passed) == (0.0, False)
    found = {test.name.split("::", 1)[1]: test.outcome for test in outcome.tests}
    assert found == {
        "test_ok": "passed", "test_bad": "failed", "test_s": "skipped", "test_x": "xfailed", "test_e": "error",
        "TestIt::test_p[a b]": "passed", "TestIt::test_p[c::d]": "failed",
    }
    terminal = read_terminal(outcome.log)
    assert {test.name: test.outcome for test in terminal.tests} == {test.name: test.outcome for test in outcome.tests}
    assert terminal.counts == {"passed": 2, "failed": 2, "skipped": 1, "xfailed": 1, "error": 1}


@pytest.mark.parametrize(("content", "status", "word"), [
    ("import nosuchmod\ndef test_a(): pass", Status.VERIFIER_CRASHED, "nosuchmod"),
    ("def test_a(: pass", Status.VERIFIER_CRASHED, "SyntaxError"),
    ("", Status.VERIFIER_CRASHED, "no test"),
    ("D = open('/home/user/deliverable.json').read()\ndef test_a(): pass", Status.GRADED, ""),
    ("import solution\ndef test_a(): pass", Status.GRADED, ""),
    ("raise AssertionError('missing')", Status.GRADED, ""),
])
def test_collection_errors(real, environment, content, status, word):
    task = environment("pytest", "test_final_state.py", content.encode(), instruction="Write /home/user/solution.py.")
    outcome = grade(real(content), task)
    assert outcome.status is status
    assert word in outcome.detail
    assert outcome.reward == (0.0 if status is Status.GRADED else None)


def test_a_helper_module_of_the_tests_is_no_missing_dependency(real, environment):
    task = environment("pytest", "test_final_state.py", files=(File("helper.py"),))
    assert grade(real("import helper"), task).status is Status.GRADED


@pytest.mark.parametrize(("code", "output"), [
    (1, "/usr/bin/python3: No module named pytest\n"),
    (127, "bash: python3: command not found\n"),
    (4, "ERROR: usage: python -m pytest\npython -m pytest: error: unrecognized arguments: --ctrf x\n"),
    (3, "INTERNALERROR> Traceback\n"),
    (139, ""),
])
def test_pytest_that_cannot_start(sandbox, environment, code, output):
    outcome = grade(sandbox(lambda *_: (code, output)), environment("pytest", "test_final_state.py"))
    assert outcome.status is Status.VERIFIER_CRASHED
    assert outcome.detail


def test_a_harbor_zero_without_pytest_is_no_judgement(sandbox, environment):
    def script(box, command, env):
        box.files["/logs/verifier/reward.txt"] = b"0"
        return 0, "/usr/bin/python3: No module named pytest\n"
    assert grade(sandbox(script), environment()).status is Status.VERIFIER_CRASHED


def test_a_harbor_zero_with_a_session_is_one(sandbox, environment):
    def script(box, command, env):
        box.files["/logs/verifier/reward.txt"] = b"0"
        return 0, "E   /usr/bin/python3: No module named pytest\n1 failed in 0.02s\n"
    assert grade(sandbox(script), environment()).passed is False


def test_second_run_for_per_test_results(sandbox, environment):
    def script(box, command, env):
        box.files["/logs/verifier/reward.txt"] = b"1"
        if "--junitxml=/logs/verifier/river-junit.xml" in env.get("PYTEST_ADDOPTS", ""):
            box.files["/logs/verifier/reward.txt"] = b"0"
            box.files["/logs/verifier/river-junit.xml"] = b'<t><testcase classname="test_a" name="test_b"/></t>'
        return 0, ""
    assert grade(sandbox(script), environment()).tests == ()
    outcome = grade(sandbox(script), environment(), per_test="run")
    assert (outcome.reward, [test.name for test in outcome.tests]) == (1.0, ["test_a.py::test_b"])


@pytest.mark.parametrize("content", [
    b"", b"<a", b"\xff\xfe\x00",
    b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    b"<a>" * 200_000,
    b'<a x="' + b"y" * 5_000_000 + b'"/>',
])
def test_hostile_junit_is_no_data(content):
    assert read_junit(content) == ()


def test_terminal_bench_parses_the_short_summary(sandbox, environment):
    def run(output, **verifier):
        return grade(sandbox(lambda *_: (0, output)), environment("terminal-bench-1", "run-tests.sh", **verifier))
    head = "=========================== short test summary info ============================\n"
    assert run(head + "PASSED a.py::t\nSKIPPED [1] a.py:3: x\n2 passed in 0.1s").passed is True
    assert run(head + "PASSED a.py::t\nFAILED a.py::u - x\n1 failed in 0.1s").passed is False
    assert run(head + "XPASS a.py::t\n").passed is False
    assert run("all fine").status is Status.VERIFIER_CRASHED
    assert run(head + "PASSED a.py::t\n", parser="swebench").status is Status.UNSUPPORTED


def test_terminal_bench_names_the_tests_folder(sandbox, environment):
    box = sandbox(lambda *_: (0, ""))
    grade(box, environment("terminal-bench-1", "run-tests.sh"))
    assert box.calls[0]["env"]["TEST_DIR"] == "/tests"
