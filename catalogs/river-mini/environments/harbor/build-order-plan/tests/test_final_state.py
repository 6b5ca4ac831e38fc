"""The one right order of the targets."""
from pathlib import Path

from buildgraph_testkit import alphabetical_topological_order, read_targets


def test_order():
    wanted = alphabetical_topological_order(read_targets("/app/targets.txt"))
    assert Path("/app/order.txt").read_text().split() == wanted
