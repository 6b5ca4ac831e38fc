"""One file per month, lines in order."""
from pathlib import Path


def test_months():
    wanted = {}
    for line in Path("/tests/ledger.tsv").read_text().splitlines():
        wanted.setdefault(f"{line[:7]}.tsv", []).append(line)
    found = {path.name: path.read_text().splitlines() for path in Path("/app/months").iterdir()}
    assert found == wanted
