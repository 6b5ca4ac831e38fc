"""Exactly the newest revisions are left."""
from pathlib import Path

LEFT = {
    "sales.csv": "this is sales.r10.csv",
    "stock.csv": "this is stock.r2.csv",
    "staff.csv": "this is staff.r1.csv",
    "README": "this is README",
}


def test_folder():
    found = {path.name: path.read_text().strip() for path in Path("/home/user/exports").iterdir()}
    assert found == LEFT
