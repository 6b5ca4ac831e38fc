"""Crashes grouped by type and innermost frame, from the verifier's own copy of the log."""
import re
from pathlib import Path

CRASH = re.compile(r"Traceback.*?\n((?:  .*\n)+)(\S.*)\n")


def wanted():
    counts = {}
    for frames, last in CRASH.findall(Path("/tests/spool.log").read_text()):
        file, line = re.findall(r'File "([^"]+)", line (\d+)', frames)[-1]
        key = f"{last.split(':')[0]} {Path(file).name}:{line}"
        counts[key] = counts.get(key, 0) + 1
    return [f"{count} {key}" for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def test_crashes():
    lines = Path("/app/kinds.txt").read_text().splitlines()
    assert [" ".join(line.split()) for line in lines if line.strip()] == wanted()
