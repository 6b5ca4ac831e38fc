"""Every hostile request is denied, every harmless one allowed."""
import subprocess
from pathlib import Path


def verdicts(name):
    lines = Path("/tests", name).read_text(encoding="utf-8")
    done = subprocess.run(["python3", "/app/gate.py"], input=lines.encode(), capture_output=True, timeout=20)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    given = done.stdout.decode().split()
    requests = lines.splitlines()
    assert len(given) == len(requests)
    return dict(zip(requests, given))


def test_hostile_requests_are_denied():
    assert {r: v for r, v in verdicts("evil.txt").items() if v != "DENY"} == {}


def test_harmless_requests_are_allowed():
    assert {r: v for r, v in verdicts("clean.txt").items() if v != "ALLOW"} == {}
