"""Exactly the newest revisions are left."""
from pathlib import Path

LEFT = {
    "sales.csv": b"this is sales.r10.csv\n",
    "stock.csv": b"this is stock.r2.csv\n",
    "staff.csv": b"this is staff.r1.csv\n",
    "README": b"this is README\n",
}


def test_folder():
    found = {path.name: path.read_bytes() for path in Path("/home/user/exports").iterdir()}
    assert found == LEFT
