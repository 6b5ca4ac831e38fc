"""The retention job must have reported success."""
import re
from pathlib import Path


def test_job_succeeded():
    lines = Path("/app/retention.log").read_text().splitlines()
    match = re.fullmatch(r"STATUS: OK deleted=(\d+) kept=(\d+)", lines[-1].strip())
    assert match, lines[-1]
    deleted, kept = map(int, match.groups())
    assert deleted + kept == 30
