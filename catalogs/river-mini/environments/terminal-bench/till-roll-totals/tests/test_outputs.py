"""Takings per item."""
from pathlib import Path

TAKINGS = {'bread': 41036, 'pie': 20858, 'soup': 27103}


def test_takings():
    lines = [line.split() for line in Path("/app/takings.txt").read_text().splitlines() if line.strip()]
    assert lines == [[item, str(cents)] for item, cents in TAKINGS.items()]
