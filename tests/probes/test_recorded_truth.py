"""The recorded expectation where a failure shows no values: the tests tell what they compare."""

import subprocess
import sys
from dataclasses import replace

import pytest
from real_probe_support import ask_really, real_environment

from river_envs.environment import File, Verifier
from river_envs.probes.comparisons_shown import pairs, shown
from river_envs.probes.recorded_truth import RecordedTruth

TASK = "Count the rows of `/app/in.csv` per item and write the table to `/app/out.csv` with the columns item and rows."
RECORD = {"in.csv": "item\nnut\nnut\nbolt\n", ".sums.json": '{"out": "' + "ab" * 32 + '"}\n'}
HEAD = """import hashlib, json, sys, unittest
def digests():
    with open(%r) as handle:
        known = json.load(handle)["out"]
    with open("/app/out.csv") as handle:
        rows = [line.strip() for line in handle if line.strip()]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest(), known
"""
STYLES = {
    "unittest": "class T(unittest.TestCase):\n    def test_it(self):\n        mine, known = digests()\n"
    "        assert mine == known\nif __name__ == '__main__':\n    unittest.main()\n",
    "assertEqual": "class T(unittest.TestCase):\n    def test_it(self):\n        mine, known = digests()\n"
    "        self.assertTrue(mine == known)\nif __name__ == '__main__':\n    unittest.main()\n",
    "script": "mine, known = digests()\nif mine != known:\n    sys.exit('wrong')\n",
    "check": "def check_it():\n    mine, known = digests()\n    assert mine == known, 'wrong'\n"
    "try:\n    check_it()\nexcept AssertionError:\n    print('FAILED'); sys.exit(1)\n",
}


def environment(style, record):
    made = real_environment(TASK, "python3 /tests/test_it.py >/dev/null 2>&1", RECORD)
    source = (HEAD % record) + STYLES[style]
    extra = (File("test_it.py", source.encode()), File("own.json", RECORD[".sums.json"].encode()))
    return replace(made, verifier=Verifier("harbor", (*made.verifier.files, *extra), "test.sh", timeout_sec=60))


@pytest.mark.sandbox
@pytest.mark.parametrize("style", sorted(STYLES))
def test_a_record_in_the_image_is_found_whatever_the_runner_shows(style, bubblewrap_backend):
    asked = ask_really(RecordedTruth(), environment(style, "/app/.sums.json"), bubblewrap_backend)
    assert asked.causes == ["movable-truth"], asked.judgement
    assert [result.attempt.arm for result in asked.results] == ["benign", "look", "moved"]
    healthy = ask_really(RecordedTruth(), environment(style, "/tests/own.json"), bubblewrap_backend)
    assert healthy.causes == []
    assert [result.attempt.arm for result in healthy.results] == ["benign"]


def told(tmp_path, source):
    (file,) = shown(Verifier("pytest", (File("test_a.py", source.encode()),), "test_a.py"))
    (tmp_path / "test_a.py").write_bytes(file.content)
    run = [sys.executable, str(tmp_path / "test_a.py")]
    return list(pairs(subprocess.run(run, capture_output=True, text=True, timeout=20, check=True).stdout))


def test_every_comparison_that_differs_is_told_and_none_ends_the_run(tmp_path):
    source = '''
from __future__ import annotations
import sys
def test_one():
    assert "abcdef" == "uvwxyz", "no"
    assert 1 == 1
    assert "second" == "third!"
class TestTwo:
    def setup_method(self):
        self.value = 4.5
    def test_two(self):
        assert self.value == 5.5
def test_needs(tmp_path):
    assert "never" == "called"
if "left" != "right":
    sys.exit("stopped")
'''
    assert told(tmp_path, source) == [
        ("left", "right"), ("abcdef", "uvwxyz"), ("second", "third!"), ("4.5", "5.5")
    ]


def test_what_does_not_parse_is_left_out():
    files = (File("test_a.py", b"def ("), File("test_b.py", b"x = 1"), File("data.json", b"{}"))
    assert [file.path for file in shown(Verifier("pytest", files, "test_a.py"))] == ["test_b.py"]
