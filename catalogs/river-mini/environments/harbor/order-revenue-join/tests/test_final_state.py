"""Revenue per region, recomputed from the verifier's own copies of the inputs."""
import csv
import re
from pathlib import Path


def rows(path):
    with open(path, newline="") as handle:
        return [row for row in csv.reader(handle) if row]


def wanted():
    region = dict(rows("/tests/customers.csv")[1:])
    totals = {}
    for _, customer, cents, state in rows("/tests/orders.csv")[1:]:
        if state == "paid":
            entry = totals.setdefault(region.get(customer, "unknown"), [0, 0])
            entry[0] += 1
            entry[1] += int(cents)
    return [[name, str(n), f"{cents // 100}.{cents % 100:02d}"] for name, (n, cents) in sorted(totals.items())]


def test_table():
    table = [[cell.strip() for cell in row] for row in rows("/app/revenue.csv")]
    assert table[0] == ["region", "orders", "revenue"]
    assert all(re.fullmatch(r"\d+\.\d\d", row[2]) for row in table[1:])
    assert table[1:] == wanted()
