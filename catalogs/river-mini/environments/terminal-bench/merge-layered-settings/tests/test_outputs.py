"""The effective settings, whatever their layout."""
import json
from pathlib import Path

EFFECTIVE = {'log': {'level': 'debug', 'color': False}, 'limits': {'cpu': 4, 'disk': {'root': 10}}, 'hosts': ['a', 'b', 'c', 'd']}
LAYERS = {'10-default.json': {'log': {'level': 'info', 'file': '/var/log/a'}, 'limits': {'cpu': 2, 'mem': 512}, 'hosts': ['a']}, '20-site.json': {'log': {'level': 'debug'}, 'limits': {'mem': None}, 'hosts': ['b', 'c']}, '30-local.json': {'limits': {'cpu': 4, 'disk': {'root': 10}}, 'hosts': ['d'], 'log': {'file': None, 'color': False}}}


def test_effective_settings():
    assert json.loads(Path("/app/effective.json").read_text()) == EFFECTIVE


def test_layers_are_unchanged():
    for name, layer in LAYERS.items():
        assert json.loads(Path("/app/layers", name).read_text()) == layer
