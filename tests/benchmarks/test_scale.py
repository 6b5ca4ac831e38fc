"""The synthetic catalogs are what the product reads, and have the skew that they claim."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import scale
from benchmarks.scale_catalog import synthesise
from river_envs.catalog import open_catalog
from river_envs.selection.dedupe import duplicates


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    found = tmp_path_factory.mktemp("scale") / "river.duckdb"
    synthesise(found, 600, 3)
    return found


def test_every_part_is_there(path):
    catalog = open_catalog(path)
    signatures = catalog.signatures()
    assert signatures.ids == catalog.ids()
    assert len(signatures) == 600
    assert len(catalog.grams().values) == 600 * 80
    frame = catalog.environments()
    assert set(frame.verdict.dropna()) == {"sound", "resisted", "defective", "unverified"}
    assert (frame.findings > 0).equals(frame.verdict == "defective")
    assert (frame.attempts == 3).all()
    assert 0.1 < len(duplicates(range(600), signatures)) / 600 < 0.7


def test_it_measures(path):
    assert scale.filter_once(str(path))["kept"] > 0
    assert set(scale.view_once(str(path))) == set(scale.VIEWS)


def test_exponents():
    def row(number, seconds):
        return {"environments": number, "filter": {"seconds": seconds}, "views": dict.fromkeys(scale.VIEWS, seconds)}

    assert scale.exponents(row(1000, 1.0), row(10_000, 10.0))["filter"] == 1.0
    assert scale.exponents(row(1000, 1.0), row(10_000, 100.0))["causes_view"] == 2.0
