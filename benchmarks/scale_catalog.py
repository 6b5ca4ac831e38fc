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

_MACROS = """
CREATE TEMP MACRO drawn(i, what) AS (hash(i, what) % 1000000007)::DOUBLE / 1000000007;
CREATE TEMP MACRO of(names, share) AS names[1 + floor(len(names) * power(share, 2))::BIGINT];
CREATE TEMP TABLE member AS
SELECT i, printf('%08x%08x', hash(i) & 4294967295, i) AS id, floor($templates * power(drawn(i, 'template'), 3))::BIGINT
    AS template, drawn(i, 'verdict') AS lot FROM range($number) r(i);
"""

_ENVIRONMENT = """
INSERT INTO environment BY NAME
SELECT
    id, printf('task_%07d', i) AS name, of(['tmax-15k', 'endless-terminals', 'open-instruct'], drawn(template, 's')) AS
    source, of(['tmax', 'harbor', 'terminal-bench-1'], drawn(template, 's')) AS format,
    repeat(printf('Read /app/input-%d.csv and write step %d of the report. ', template, i), 10) AS instruction,
    of(['data_processing', 'file_management', 'text', 'security', 'networking', 'git', 'databases', 'build', 'services',
        'science', 'media', 'games'], drawn(template, 'd')) AS domain,
    of(['exact_text', 'json_values', 'program_output', 'state', 'service', 'numeric'], drawn(template, 'v')) AS
    verifier_kind,
    of(['short: one or two steps', 'moderate: several steps', 'long: many steps'], drawn(i, 'c')) AS task_complexity,
    of(['python', 'bash', 'c', 'rust'], drawn(template, 'l')) AS language, [] AS primitive_skills, [] AS keywords,
    'dockerfile' AS image_kind, 'FROM ubuntu:22.04' AS image_recipe, id AS image_digest, 'harbor' AS verifier_protocol,
    id AS verifier_digest, drawn(i, 'r') < 0.2 AS has_reference, 'none' AS network,
    CASE WHEN lot > 0.98 THEN ['several services'] ELSE [] END AS unsupported,
    CASE WHEN lot > 0.98 THEN 'unsupported' ELSE 'supported' END AS status, '{}' AS spec,
    TIMESTAMPTZ '2026-01-01 00:00:00Z' AS added_at
FROM member;
INSERT INTO origin SELECT printf('corpus/%d/%d', i, copy), id, printf('task_%07d', i), 'tmax-15k', '' FROM member,
    range(3) r(copy) WHERE copy = 0 OR drawn(i, 'copies') < 0.05;
INSERT INTO ingest_input SELECT 'ingest-1', input, '', 'ingested', environment_id, '', TIMESTAMPTZ '2026-01-01 00:00:00Z'
    FROM origin;
"""

_CONCLUDED = """
CREATE TEMP TABLE found AS
SELECT id, i, n, of($causes, drawn(i * 8 + n, 'cause')) AS cause FROM member, range(4) r(n)
WHERE lot < 0.45 AND n <= floor(4 * power(drawn(i, 'findings'), 2));
INSERT INTO finding
SELECT printf('%016x', hash(i, n)), id, $claims[list_position($causes, cause)], cause, of(['plain', 'privileged'], drawn(i, n)), 'empty-output',
    'The verifier paid for what no right answer holds: ' || id, 'Compare with the computed value.', [id], '{}' FROM found;
INSERT INTO verdict
SELECT id, CASE WHEN lot < 0.45 THEN 'defective' WHEN lot < 0.60 THEN 'sound' WHEN lot < 0.85 THEN 'resisted'
    ELSE 'unverified' END, coalesce(causes, []), ['what was seen there'] FROM member
LEFT JOIN (SELECT id, list(DISTINCT cause) AS causes FROM found GROUP BY id) USING (id) WHERE lot <= 0.98;
INSERT INTO score BY NAME
SELECT id AS environment_id, drawn(i, 'a') AS p_accepts_wrong, drawn(i, 'b') AS p_rejects_right, drawn(i, 'u') / 20 AS
    instability, CASE WHEN drawn(i, 'k') < 0.8 THEN drawn(i, 'e') END AS learnability, round(drawn(i, 'q'), 6) AS quality
FROM member WHERE lot <= 0.98;
INSERT INTO lead SELECT id, 'existence-test', ['existence-only'], 'tests/test_state.py', n, 'The file is opened nowhere.'
    FROM member, range(3) r(n) WHERE n <= floor(3 * drawn(i, 'leads')) AND drawn(i, 'has lead') < 0.5;
INSERT INTO mark SELECT id, of(['sound', 'exclude'], drawn(i, 'm')), 'looked at it', 'ann',
    TIMESTAMPTZ '2026-01-02 00:00:00Z' FROM member WHERE drawn(i, 'marked') < 0.001;
INSERT INTO attempt BY NAME
SELECT printf('%s%04x', id, n) AS id, id AS environment_id, printf('probe-%d', n) AS probe, 1 AS version, 'probe' AS arm,
    0 AS repeat, 'Would it pay?' AS question, CASE WHEN drawn(i, n) < 0.02 THEN 'sandbox-error' ELSE 'graded' END AS status,
    0.0 AS reward, false AS passed, true AS effective, 0.4 AS seconds, '' AS detail, [] AS substitutions,
    false AS in_place, 'bubblewrap' AS backend, 'audit-1' AS run_id, TIMESTAMPTZ '2026-01-01 00:00:00Z' AS recorded_at,
    '{}' AS result FROM member, range($attempts) r(n);
"""


def synthesise(path: Path, number: int, attempts: int) -> None:
    """Write a new catalog of ``number`` environments with ``attempts`` attempts each to ``path``."""
    templates = max(1, 3 * int(number**0.8))
    open_catalog(path, create=True)
    with connection.writing(path) as held:
        claims = [cause.claim for cause in CAUSES.values()]
        values: dict[str, Any] = {
            "templates": templates, "number": number, "attempts": attempts, "causes": list(CAUSES), "claims": claims,
        }
        for statement in held.extract_statements(_MACROS + _ENVIRONMENT + _CONCLUDED):
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
    topics = rng.normal(size=(templates, 64)).astype(np.float32) + 2 * rng.normal(size=(40, 64))[
        rng.integers(0, 40, templates)].astype(np.float32)
    boilerplate = rng.integers(0, 1 << 32, (4, 128), dtype=np.uint32)
    gram_roots = rng.integers(0, 1 << 63, (templates, 40), dtype=np.uint64)
    for start in range(0, number, PORTION):
        ids, template = zip(*held.execute(
            "SELECT id, template FROM member WHERE i >= ? AND i < ? ORDER BY i", [start, start + PORTION]
        ).fetchall(), strict=True)
        family, size = np.array(template), len(ids)
        same = rng.random((size, 128), np.float32) < np.sqrt(rng.beta(2, 4, size))[:, None]
        minhash = np.where(same, roots[family], rng.integers(0, 1 << 32, (size, 128), dtype=np.uint32))
        common = rng.random((size, 128), np.float32) < 0.08
        minhash = np.where(common, boilerplate[rng.integers(0, 4, size)], minhash).astype("<u4")
        sketch = topics[family] + 0.7 * rng.normal(size=(size, 64)).astype(np.float32)
        sketch = (sketch * (127 / np.abs(sketch).max(axis=1, keepdims=True))).astype(np.int8)
        grams = np.concatenate([gram_roots[family], rng.integers(0, 1 << 63, (size, 40), dtype=np.uint64)], axis=1)
        shared_tests, shared_start = rng.random(size) < 0.1, rng.random(size) < 0.5
        held.register("river_incoming", pa.table({
            "environment_id": ids,
            "version": pa.array([VERSION] * size, pa.int32()),
            "fixture": [f"f{t}" if shared else f"own{i}" for i, t, shared in zip(ids, template, shared_start, strict=True)],
            "tests": [f"t{t}" if shared else f"own{i}" for i, t, shared in zip(ids, template, shared_tests, strict=True)],
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
