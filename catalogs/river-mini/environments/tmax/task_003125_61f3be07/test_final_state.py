"""Statistics per site."""
import json
from pathlib import Path

SITES = {"lab": {"n": 22, "median": 51.75, "sd": 11.014639, "above": 8}, "north": {"n": 22, "median": 51.45, "sd": 9.705213, "above": 7}, "south": {"n": 18, "median": 50.2, "sd": 8.949037, "above": 3}}


def test_sites():
    given = json.loads(Path("/home/user/sites.json").read_text())
    assert set(given) == set(SITES)
    for site, wanted in SITES.items():
        assert set(given[site]) == set(wanted)
        assert given[site]["n"] == wanted["n"]
        assert given[site]["above"] == wanted["above"]
        assert abs(given[site]["median"] - wanted["median"]) <= 0.001
        assert abs(given[site]["sd"] - wanted["sd"]) <= 0.001
