"""The amounts of all rentals, highest first."""
import csv

AMOUNTS = [['truck', '840'], ['car', '658'], ['van', '366'], ['boat', '330'], ['bike', '70']]


def test_invoices():
    with open("/home/user/invoices.csv", newline="") as handle:
        rows = [[cell.strip() for cell in row] for row in csv.reader(handle) if row]
    assert rows == [["vehicle", "amount"], *AMOUNTS]
