"""Refund totals per town."""
import csv
from pathlib import Path

TOTALS = {
    "Bergen": "1563.65",
    "Lund": "1678.11",
    "Turku": "938.00",
    "Vejle": "674.58",
}


def test_totals():
    with open("/app/refund_totals.csv", newline="") as handle:
        rows = [row for row in csv.reader(handle) if row]
    assert rows[0] == ["town", "refunded"]
    assert rows[1:] == [[town, TOTALS[town]] for town in sorted(TOTALS)]
