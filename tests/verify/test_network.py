"""Verifiers that failed for want of a network, told apart from those that judged (real logs, cut)."""

import pytest

from river_envs.environment import File
from river_envs.outcome import Status
from river_envs.verifier import grade

UVX = b"""#!/bin/bash
apt-get update
apt-get install -y curl
curl -LsSf https://astral.sh/uv/0.9.5/install.sh | sh
source $HOME/.local/bin/env
uvx --python 3.12 --with pytest==8.4.1 pytest /tests/test_final_state.py -v
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
"""
NO_NET = """Err:1 http://mirror.example.org/debian bookworm InRelease
  Temporary failure resolving 'mirror.example.org'
E: Unable to locate package curl
curl: (6) Could not resolve host: astral.sh
t.sh: line 5: /root/.local/bin/env: No such file or directory
t.sh: line 6: uvx: command not found
"""
UV = """error: Failed to download `https://github.com/astral-sh/python-build-standalone/releases/x.tar.gz`
  cause: dns error
"""
PIP = """WARNING: Retrying after connection broken by 'NewConnectionError('<x>: Failed to establish a new connection')'
ERROR: No matching distribution found for pytest==8.4.1
/usr/bin/python3: No module named pytest
"""
METER = "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- 0curl: (6) Could not resolve host: astral.sh\n"
SESSION = "============================= test session starts ==============================\ncollected 1 item\n"


def script_writing(reward, output):
    def script(box, command, env):
        if reward is not None:
            box.files["/logs/verifier/reward.txt"] = reward
        return 0, output
    return script


@pytest.mark.parametrize(("content", "output", "word"), [
    (UVX, NO_NET, "astral.sh"),
    (UVX, UV, "github.com"),
    (UVX, METER + "uvx: command not found", "astral.sh"),
    (b"pip install pytest==8.4.1\npython3 -m pytest /tests/t.py", PIP, "No module named pytest"),
    (b"git clone https://github.com/a/b || exit 1", "fatal: unable to access 'https://github.com/a/b/': "
     "Could not resolve host: github.com\n", "github.com"),
    (b"npm install\n", "npm error code EAI_AGAIN\nsh: 1: jest: not found\n", "npm"),
])
@pytest.mark.parametrize("reward", [b"0", None])
def test_failed_downloads(sandbox, environment, content, output, word, reward):
    outcome = grade(sandbox(script_writing(reward, output)), environment("harbor", "test.sh", content))
    if word == "No module named pytest":
        word = "pip"
    assert outcome.status is Status.NEEDS_NETWORK
    assert word in outcome.detail
    assert outcome.reward is None


@pytest.mark.parametrize(("content", "output"), [
    # the tests ran: the failed bootstrap did not matter
    (UVX, NO_NET + SESSION + "E   assert 1 == 2\n1 failed in 0.05s\n"),
    # a test asserts something about a connection
    (b"python3 -m pytest", SESSION + "curl: (6) Could not resolve host: example.com\n"
     "FAILED t.py::t - AssertionError: no connection\n1 failed in 0.05s\n"),
    # a service of the agent is not there
    (b"curl -sf http://localhost:8080/ || fail\n", "curl: (7) Failed to connect to localhost port 8080: refused\n"),
    # the agent's program printed the message; the script downloads nothing
    (b"/app/run.sh\n", "curl: (6) Could not resolve host: example.com\n"),
    # an outside host, but one that the script never names
    (b"curl -s $(cat /app/url)\n", "curl: (6) Could not resolve host: example.com\n"),
])
def test_judgements_are_left_alone(sandbox, environment, content, output):
    outcome = grade(sandbox(script_writing(b"0", output)), environment("harbor", "test.sh", content))
    assert (outcome.status, outcome.passed) == (Status.GRADED, False)


def test_a_passing_reward_stands(sandbox, environment):
    assert grade(sandbox(script_writing(b"1", NO_NET)), environment("harbor", "test.sh", UVX)).passed is True


def test_tests_that_all_need_an_outside_host(sandbox, environment):
    head = SESSION + "=========================== short test summary info ============================\n"
    message = "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>"
    one = head + f"FAILED t.py::a - {message}\n1 failed in 0.1s\n"
    two = head + f"FAILED t.py::a - {message}\nFAILED t.py::b - AssertionError: no\n2 failed in 0.1s\n"
    task = environment("harbor", "test.sh", b"python3 -m pytest")
    assert grade(sandbox(script_writing(b"0", one)), task).status is Status.NEEDS_NETWORK
    assert grade(sandbox(script_writing(b"0", two)), task).status is Status.GRADED


def test_a_network_that_was_there_is_mentioned(sandbox, environment):
    outcome = grade(sandbox(script_writing(b"0", NO_NET)), environment("harbor", "test.sh", UVX), network=True)
    assert "had a network" in outcome.detail


def test_a_missing_dependency_after_a_failed_install_is_the_network(sandbox, environment):
    output = PIP.replace("/usr/bin/python3: No module named pytest\n", "")
    output += SESSION.replace("1 item", "0 items / 1 error")
    output += ("____________________ ERROR collecting t.py ____________________\n"
               "t.py:1: in <module>\n    import requests\n"
               "E   ModuleNotFoundError: No module named 'requests'\n=========== short test summary info ===========\n"
               "ERROR t.py\n!!!!!! Interrupted: 1 error during collection !!!!!!\n====== 1 error in 0.1s ======\n")
    content = b"pip install requests\npython3 -m pytest /tests/t.py"
    task = environment("harbor", "test.sh", content, files=(File("t.py", b"import requests"),))
    assert grade(sandbox(script_writing(b"0", output)), task).status is Status.NEEDS_NETWORK
