"""The merged settings."""
from pathlib import Path

SETTINGS = '{\n  "features": {\n    "map": true,\n    "print": true\n  },\n  "langs": [\n    "en",\n    "sv"\n  ],\n  "name": "kiosk",\n  "port": 9090,\n  "theme": null\n}'


def test_settings():
    assert Path("/app/settings.json").read_text().strip() == SETTINGS
