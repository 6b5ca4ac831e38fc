# The final state: the full mounts, in order.
import csv

ROWS = [
    ["server", "mount", "percent"],
    ["beta", "/var", "97"],
    ["alpha", "/", "80"],
    ["gamma", "/srv", "80"],
    ["gamma", "/tmp", "80"],
]


def test_full_mounts():
    with open("/home/user/full.csv", newline="") as handle:
        rows = [[cell.strip() for cell in row] for row in csv.reader(handle) if row]
    assert rows == ROWS
