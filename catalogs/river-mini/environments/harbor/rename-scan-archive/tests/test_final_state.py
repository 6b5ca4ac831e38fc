"""The scans are where they belong, with their contents."""
from pathlib import Path

ARCHIVE = Path("/app/archive")
SCANS = {
    "2024/01/17_03.txt": "page 0\n" * 1,
    "2024/01/17_01.txt": "page 1\n" * 2,
    "2023/12/30_11.txt": "page 2\n" * 3,
    "2024/09/02_02.txt": "page 3\n" * 4,
    "2023/12/01_07.txt": "page 4\n" * 5,
    "2024/09/09_05.txt": "page 5\n" * 6,
}


def test_scans():
    found = {str(path.relative_to(ARCHIVE)): path.read_text() for path in ARCHIVE.rglob("*.txt")}
    assert found == SCANS


def test_inbox_is_empty():
    assert list(Path("/app/inbox").iterdir()) == []
