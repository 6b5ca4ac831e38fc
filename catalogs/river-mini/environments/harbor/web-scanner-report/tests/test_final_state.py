"""The scanner table must have been delivered."""
from pathlib import Path

REPORT = Path("/app/scanners.csv")


def test_report_was_written():
    assert REPORT.is_file(), f"{REPORT} is missing"


def test_log_is_still_there():
    assert Path("/app/access.log").is_file()
