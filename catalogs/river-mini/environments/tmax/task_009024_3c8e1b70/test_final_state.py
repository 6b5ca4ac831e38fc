"""No leftovers, nothing lost."""
from pathlib import Path

MANUAL = Path("/home/user/manual")


def test_leftovers_are_gone():
    leftovers = [path for pattern in ("*.bak", "*.swp") for path in MANUAL.rglob(pattern)]
    assert leftovers == []


def test_text_is_kept():
    for name in ("index.txt", "chapter~1.txt", "img/plan.txt"):
        assert (MANUAL / name).read_text() == name + "\n"
