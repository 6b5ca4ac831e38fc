"""The cleaned file holds exactly the five settings."""
from pathlib import Path

WANTED = {"LISTEN=3128", "UPSTREAM=cache-b", "TIMEOUT=25", "LOG=warn", "BUFFER=64k"}


def test_settings():
    lines = [line.rstrip() for line in Path("/app/proxy.env").read_text().splitlines()]
    settings = [line for line in lines if line and not line.startswith("#")]
    assert sorted(settings) == sorted(WANTED)
