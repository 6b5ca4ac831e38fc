"""Synthetic catalogs of any size, with the skew of real ones, for benchmarks/scale.py.

Rows go straight into the product's own schema. What is skewed: templates (the commonest of n^0.8 gives a few percent
of all tasks), likeness to the template (Beta(2, 4), so that a third of a large family repeats a better one), shared
tests and fixtures, a boilerplate sentence in every instruction, domains, verifier kinds, verdicts, findings per
environment, scores, marks, origins. Everything is drawn from hashes and a fixed seed: the same size, the same catalog.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from river_envs.catalog import connection, open_catalog
from river_envs.causes import CAUSES
from river_envs.signatures import VERSION

PORTION = 50_000

_ROWS = Path(__file__).with_suffix(".sql")


def synthesise(path: Path, number: int, attempts: int) -> None:
    """Write a new catalog of ``number`` environments with ``attempts`` attempts each to ``path``."""
    templates = max(1, 3 * int(number**0.8))
    open_catalog(path, create=True)
    with connection.writing(path) as held:
        claims = [cause.claim for cause in CAUSES.values()]
        values: dict[str, Any] = {
            "templates": templates, "number": number, "attempts": attempts, "causes": list(CAUSES), "claims": claims,
        }
        for statement in held.extract_statements(_ROWS.read_text(encoding="utf-8")):
            wanted = statement.named_parameters
            held.execute(statement, {name: values[name] for name in wanted} if wanted else None)
        _add_signatures(held, number, templates)
        held.execute("CHECKPOINT")


def _add_signatures(held: connection.Connection, number: int, templates: int) -> None:
    """Signatures that follow from the templates, a portion at a time."""
    import numpy as np
    import pyarrow as pa

    rng = np.random.default_rng(0)
    roots = rng.integers(0, 1 << 32, (templates, 128), dtype=np.uint32)
    topics = rng.normal(size=(templates, 256)).astype(np.float32) + 2 * rng.normal(size=(40, 256))[
        rng.integers(0, 40, templates)].astype(np.float32)
    boilerplate = rng.integers(0, 1 << 32, (4, 128), dtype=np.uint32)
    gram_roots = rng.integers(0, 1 << 63, (templates, 40), dtype=np.uint64)
    for start in range(0, number, PORTION):
        ids, template = zip(*held.execute(
            "SELECT id, template::VARCHAR FROM member WHERE i >= ? AND i < ? ORDER BY i", [start, start + PORTION]
        ).fetchall(), strict=True)
        family, size = np.array(template, np.int64), len(ids)
        same = rng.random((size, 128), np.float32) < np.sqrt(rng.beta(2, 4, size))[:, None]
        minhash = np.where(same, roots[family], rng.integers(0, 1 << 32, (size, 128), dtype=np.uint32))
        common = rng.random((size, 128), np.float32) < 0.08
        minhash = np.where(common, boilerplate[rng.integers(0, 4, size)], minhash).astype("<u4")
        sketch = topics[family] + 0.7 * rng.normal(size=(size, 256)).astype(np.float32)
        sketch = (sketch * (127 / np.abs(sketch).max(axis=1, keepdims=True))).astype(np.int8)
        grams = np.concatenate([gram_roots[family], rng.integers(0, 1 << 63, (size, 40), dtype=np.uint64)], axis=1)
        held.register("river_incoming", pa.table({
            "environment_id": ids,
            "version": pa.array([VERSION] * size, pa.int32()),
            "fixture": np.where(rng.random(size) < 0.5, template, ids),
            "tests": np.where(rng.random(size) < 0.1, template, ids),
            "minhash": _blobs(pa, minhash), "sketch": _blobs(pa, sketch),
            "grams": pa.FixedSizeListArray.from_arrays(pa.array(grams.ravel()), 80).cast(pa.list_(pa.uint64())),
        }))
        held.execute("INSERT INTO signature BY NAME SELECT * FROM river_incoming")
        held.unregister("river_incoming")


def _blobs(pa: Any, values: Any) -> Any:
    """Each row of an array as one binary value."""
    width = values.shape[1] * values.itemsize
    return pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(width), len(values), [None, pa.py_buffer(values.tobytes())]
    ).cast(pa.binary())
