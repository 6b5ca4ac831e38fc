"""Modes of the whole tree, and that nothing else has changed."""
import os
import stat
from pathlib import Path

SITE = Path("/app/site")
FILES = {
    "index.html": (0o644, "<h1>hello</h1>\n"),
    "docs/usage.txt": (0o644, "usage\n"),
    "docs/read me.txt": (0o644, "hi\n"),
    "bin/deploy.sh": (0o750, "#!/bin/sh\necho deploy\n"),
    "bin/README": (0o644, "scripts\n"),
    "private/rotate.sh": (0o600, "#!/bin/sh\necho rotate\n"),
    "private/db.ini": (0o600, "[db]\nuser=site\n"),
    "private/api keys.txt": (0o600, "k=1\n"),
}


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def test_directories():
    found = {str(p.relative_to(SITE)) for p in SITE.rglob("*") if p.is_dir()}
    assert found == {"docs", "bin", "private"}
    assert {mode(SITE / name) for name in found} | {mode(SITE)} == {0o755}


def test_files():
    found = {str(p.relative_to(SITE)) for p in SITE.rglob("*") if not p.is_dir()}
    assert found == set(FILES)
    for name, (wanted, text) in FILES.items():
        assert mode(SITE / name) == wanted, name
        assert (SITE / name).read_bytes() == text.encode(), name
