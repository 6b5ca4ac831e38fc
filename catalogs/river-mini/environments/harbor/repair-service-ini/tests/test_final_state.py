"""The repaired file, as configparser sees it."""
import configparser
from pathlib import Path

WANTED = {
    "server": {"port": "8080", "host": "0.0.0.0", "timeout": "30"},
    "database": {"url": "postgres://db.internal/app", "pool": "10"},
    "cache": {"enabled": "yes", "ttl": "0"},
}


def test_configuration():
    parser = configparser.ConfigParser()
    parser.read_string(Path("/app/service.ini").read_text())
    assert {name: dict(parser[name]) for name in parser.sections()} == WANTED
