"""The amounts of all stays."""
import csv

AMOUNTS = [['R1', '8250'], ['R2', '1710'], ['R3', '480'], ['R4', '480'], ['R5', '2320']]


def test_bills():
    with open("/home/user/bills.csv", newline="") as handle:
        rows = [[cell.strip() for cell in row] for row in csv.reader(handle) if row]
    assert rows == [["room", "amount"], *AMOUNTS]
