"""Days left for every certificate."""
import csv
import json
from datetime import date, datetime, timezone
from pathlib import Path


def wanted():
    today = datetime.now(timezone.utc).date()
    certificates = json.loads(Path("/tests/certs.json").read_text())
    left = [((date.fromisoformat(c["not_after"]) - today).days, c["host"]) for c in certificates]
    return [[host, str(days)] for days, host in sorted(left)]


def test_expiry():
    with open("/app/expiry.csv", newline="") as handle:
        rows = [[cell.strip() for cell in row] for row in csv.reader(handle) if row]
    assert rows == [["host", "days_left"], *wanted()]
