"""Overdue members, in order."""
import csv

OVERDUE = [
    ["Cleo", "6", "88"],
    ["Bo", "5", "71"],
    ["Ada", "3", "90"],
    ["Finn", "3", "75"],
    ["Gro", "3", "111"],
    ["Dag", "2", "85"],
    ["Edda", "2", "24"],
    ["Ines", "1", "14"],
    ["Jon", "1", "53"],
]


def test_overdue_members():
    with open("/app/overdue.csv", newline="") as handle:
        rows = [[cell.strip() for cell in row] for row in csv.reader(handle) if row]
    assert rows[0] == ["member", "loans", "worst"]
    assert rows[1:] == OVERDUE
