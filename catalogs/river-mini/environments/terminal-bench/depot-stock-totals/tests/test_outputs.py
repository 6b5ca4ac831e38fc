"""Final and lowest stock of every item, from the verifier's own copy of the journal."""
from pathlib import Path


def wanted():
    stock, lowest = {}, {}
    for line in Path("/tests/moves.txt").read_text().splitlines():
        _, kind, item, number = line.split("\t")
        before = stock.get(item, 0)
        stock[item] = {"in": before + int(number), "out": before - int(number), "count": int(number)}[kind]
        lowest[item] = min(lowest.get(item, 0), stock[item])
    return [[item, str(stock[item]), str(lowest[item])] for item in sorted(stock)]


def test_stock():
    lines = [line.split() for line in Path("/app/stock.txt").read_text().splitlines() if line.strip()]
    assert lines == wanted()
