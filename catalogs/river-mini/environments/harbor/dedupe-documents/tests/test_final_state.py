"""What is left, what it contains, and the list of what was removed."""
from pathlib import Path

DOCS = Path("/app/docs")
KEPT = {"a/copy of minutes.txt": "minutes of may\n", "a/empty2": "", "b/budget.csv": "x,1\n", "b/plan.txt": "# plan\n", "c/budget.csv": "x,2\n"}
REMOVED = ["a/minutes.txt", "b/minutes-old.txt", "c/empty1", "c/plan.md"]


def test_kept_files():
    found = {str(path.relative_to(DOCS)): path.read_bytes().decode() for path in DOCS.rglob("*") if path.is_file()}
    assert found == KEPT
    assert all((DOCS / name).is_dir() for name in ("a", "b", "c"))


def test_list_of_removed_files():
    lines = Path("/app/removed.txt").read_text().splitlines()
    assert [line.rstrip() for line in lines if line.strip()] == REMOVED
