"""The post-mortem names the cause, the start and the end."""
from pathlib import Path

TEXT = Path("/home/user/postmortem.md")


def test_root_cause():
    text = TEXT.read_text().lower()
    assert "connection pool" in text
    assert "orders-db" in text


def test_times():
    text = TEXT.read_text()
    assert "14:07" in text
    assert "14:09" in text
