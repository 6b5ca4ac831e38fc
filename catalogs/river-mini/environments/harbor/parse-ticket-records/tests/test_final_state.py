"""The ledger must have all its fields."""
import json
from pathlib import Path


def ledger():
    return json.loads(Path("/app/ledger.json").read_text())


def test_keys():
    assert set(ledger()) == {"tickets", "total_cents", "by_class", "last_serial"}


def test_types():
    given = ledger()
    for key in ("tickets", "total_cents", "last_serial"):
        assert isinstance(given[key], int)
        assert given[key] >= 0
    assert set(given["by_class"]) == {"0", "1", "2", "3"}
    assert all(isinstance(cents, int) for cents in given["by_class"].values())
