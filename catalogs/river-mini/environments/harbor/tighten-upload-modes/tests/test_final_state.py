"""The upload area after tightening."""
import os
from pathlib import Path

UPLOADS = Path("/app/uploads")


def test_no_upload_is_executable():
    files = [path for path in UPLOADS.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert not os.stat(path).st_mode & 0o111, f"{path} is executable"


def test_nothing_was_lost():
    assert {p.name for p in UPLOADS.rglob("*") if p.is_file()} == {"cat.txt", "plan.csv", "notes.md"}
