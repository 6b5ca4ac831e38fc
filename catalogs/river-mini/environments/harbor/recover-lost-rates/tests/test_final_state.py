"""The recovered file and the commits that touched it."""
import json
from pathlib import Path

RATES = {"harbour": 12, "berth": 52, "night": 11}
HISTORY = [
    "19d8a4c68e6ccb8e79aa9ad09845c1dd56c56f57",
    "294781f13ca5aa07de12a974142467c6dde5660b",
    "aa6682531f8cf88990b7086c39fe3ad17ff22787",
    "db3066efa4b0c3db9cf41bc85f7121db720bfe8d",
]


def test_rates():
    assert json.loads(Path("/app/rates.json").read_text()) == RATES


def test_history():
    assert Path("/app/history.txt").read_text().split() == HISTORY


def test_repository_is_untouched():
    git = Path("/app/tides.git")
    assert (git / "refs/heads/main").read_text().strip() == HISTORY[0]
    assert sum(1 for path in (git / "objects").rglob("*") if path.is_file()) == 17
