"""Hostile points are refused, harmless ones accepted; every line counts."""
import subprocess
from pathlib import Path


def answers(name):
    lines = Path("/tests", name).read_text()
    done = subprocess.run(["python3", "/app/check_point.py"], input=lines, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == len(lines.splitlines())
    return list(zip(lines.splitlines(), done.stdout.split()))


def test_hostile_points():
    assert [line for line, answer in answers("evil.jsonl") if answer != "bad"] == []


def test_harmless_points():
    assert [line for line, answer in answers("clean.jsonl") if answer != "good"] == []
