import numpy as np
import pytest

from river_envs.catalog import open_catalog
from river_envs.catalog.merge import merge
from river_envs.environment import RiverError
from river_envs.signatures import VERSION, ensure_signatures, signature


def forget(catalog, condition):
    with catalog.writer() as writer:
        writer._store.update(f"DELETE FROM signature WHERE {condition}", [])


def test_ingest_writes_what_signature_computes(filled):
    found = filled.signatures()
    assert found.ids == filled.ids()
    grams = filled.grams()
    assert grams.ids == found.ids
    for row, environment in enumerate(filled.load(found.ids)):
        wanted = signature(environment)
        assert found.minhash[row].astype("<u4").tobytes() == wanted.minhash
        assert found.sketch[row].tobytes() == wanted.sketch
        assert tuple(grams.values[grams.offsets[row]:grams.offsets[row + 1]]) == wanted.grams
        assert (found.fixture[row] < 0) == (wanted.fixture is None)
        assert (found.tests[row] < 0) == (wanted.tests is None)


def test_a_selection_is_in_id_order(filled):
    ids = filled.ids()
    every, some = filled.signatures(), filled.signatures([ids[3], ids[1]])
    assert some.ids == [ids[1], ids[3]]
    assert np.array_equal(some.minhash, every.minhash[[1, 3]])
    assert np.array_equal(some.sketch, every.sketch[[1, 3]])
    assert filled.grams([ids[3], ids[1]]).ids == some.ids
    assert len(filled.signatures([])) == 0


def test_equal_codes_mean_equal_hashes(catalog, build):
    with catalog.writer() as writer:
        writer.add_environments([build.environment(1), build.environment(1, instruction="another one")], ["a", "b"])
    found = catalog.signatures()
    assert found.tests[0] == found.tests[1]
    assert found.fixture[0] == found.fixture[1]


def test_an_older_catalog_is_completed_once(filled):
    ids, before = filled.ids(), filled.signatures()
    forget(filled, f"environment_id IN ('{ids[0]}', '{ids[2]}')")
    with filled.writer() as writer:
        writer._store.update("UPDATE signature SET version = version - 1 WHERE environment_id = ?", [ids[1]])
    with pytest.raises(RiverError, match=r"3 of 5 environments in .* have no signature of this release"):
        filled.signatures()
    with pytest.raises(RiverError, match="no signature"):
        filled.grams()
    told = []
    assert ensure_signatures(filled, lambda done, total: told.append((done, total))) == 3
    assert told == [(3, 3)]
    after = filled.signatures()
    assert after.ids == before.ids
    assert np.array_equal(after.minhash, before.minhash)
    assert np.array_equal(after.tests, before.tests)
    assert filled.sql("SELECT DISTINCT version FROM signature").version.tolist() == [VERSION]
    assert ensure_signatures(filled) == 0


def test_an_empty_catalog(catalog):
    assert ensure_signatures(catalog) == 0
    found, grams = catalog.signatures(), catalog.grams()
    assert (len(found), found.minhash.shape, found.sketch.shape) == (0, (0, 128), (0, 256))
    assert (grams.ids, grams.offsets.tolist(), len(grams.values)) == ([], [0], 0)


def test_merging_takes_signatures_along(filled, tmp_path, build):
    other = open_catalog(tmp_path / "other.duckdb", create=True)
    with other.writer() as writer:
        writer.add_environments([build.environment(4), build.environment(5)], ["x", "y"])
    merge(filled.path, other.path)
    assert filled.signatures().ids == filled.ids()
    assert filled.count() == 6
