"""Dangerous files are refused, harmless ones accepted."""
import subprocess
from pathlib import Path

GUARD = Path("/app/guard.py")
CORPUS = Path("/tests/corpus")


def status(path):
    return subprocess.run(["python3", str(GUARD), str(path)], capture_output=True, timeout=20).returncode


def test_guard_is_there():
    assert GUARD.is_file()


def test_dangerous_files():
    for path in sorted(CORPUS.glob("evil/*.csv")):
        assert status(path) == 1, path.name


def test_harmless_files():
    for path in sorted(CORPUS.glob("clean/*.csv")):
        assert status(path) == 0, path.name
