-- The rows of a synthetic catalog, but for its signatures. Parameters: number, templates, attempts, causes, claims.

CREATE TEMP MACRO drawn(i, what) AS (hash(i, what) % 1000000007)::DOUBLE / 1000000007;  -- in [0, 1), the same each time
CREATE TEMP MACRO skewed(names, share) AS names[1 + floor(len(names) * power(share, 2))::BIGINT];
CREATE TEMP TABLE member AS
SELECT
    i, printf('%08x%08x', hash(i) & 4294967295, i) AS id, drawn(i, 'verdict') AS lot,
    floor($templates * power(drawn(i, 'template'), 3))::BIGINT AS template
FROM range($number) r(i);

INSERT INTO environment BY NAME
SELECT
    id,
    printf('task_%07d', i) AS name,
    skewed(['tmax-15k', 'endless-terminals', 'open-instruct'], drawn(template, 'source')) AS source,
    skewed(['tmax', 'harbor', 'terminal-bench-1'], drawn(template, 'source')) AS format,
    repeat(printf('Read /app/input-%d.csv and write step %d of the report. ', template, i), 10) AS instruction,
    skewed(
        ['data_processing', 'file_management', 'text', 'security', 'networking', 'git', 'databases', 'build',
         'services', 'science', 'media', 'games'], drawn(template, 'domain')
    ) AS domain,
    skewed(
        ['exact_text', 'json_values', 'program_output', 'state', 'service', 'numeric'], drawn(template, 'verifier')
    ) AS verifier_kind,
    skewed(['short: one step', 'moderate: several steps', 'long: many steps'], drawn(i, 'complexity')) AS
        task_complexity,
    skewed(['python', 'bash', 'c', 'rust'], drawn(template, 'language')) AS language,
    [] AS primitive_skills, [] AS keywords, 'dockerfile' AS image_kind, 'FROM ubuntu:22.04' AS image_recipe,
    id AS image_digest, 'harbor' AS verifier_protocol, id AS verifier_digest,
    drawn(i, 'reference') < 0.2 AS has_reference, 'none' AS network,
    CASE WHEN lot > 0.98 THEN ['several services'] ELSE [] END AS unsupported,
    CASE WHEN lot > 0.98 THEN 'unsupported' ELSE 'supported' END AS status,
    '{}' AS spec, TIMESTAMPTZ '2026-01-01 00:00:00Z' AS added_at
FROM member;

INSERT INTO origin
SELECT printf('corpus/%d/%d', i, copy), id, printf('task_%07d', i), 'tmax-15k', ''
FROM member, range(3) r(copy) WHERE copy = 0 OR drawn(i, 'copies') < 0.05;

INSERT INTO ingest_input
SELECT 'ingest-1', input, '', 'ingested', environment_id, '', TIMESTAMPTZ '2026-01-01 00:00:00Z' FROM origin;

CREATE TEMP TABLE found AS
SELECT id, i, n, skewed($causes, drawn(i * 8 + n, 'cause')) AS cause
FROM member, range(4) r(n) WHERE lot < 0.45 AND n <= floor(4 * power(drawn(i, 'findings'), 2));

INSERT INTO finding
SELECT
    printf('%016x', hash(i, n)), id, $claims[list_position($causes, cause)], cause,
    skewed(['plain', 'privileged'], drawn(i, n)), 'empty-output',
    'The verifier paid for what no right answer holds: ' || id, 'Compare with the computed value.', [id], '{}'
FROM found;

INSERT INTO verdict
SELECT
    id,
    CASE WHEN lot < 0.45 THEN 'defective' WHEN lot < 0.60 THEN 'sound' WHEN lot < 0.85 THEN 'resisted'
        ELSE 'unverified' END,
    coalesce(causes, []), ['what was seen there']
FROM member
LEFT JOIN (SELECT id, list_sort(list(DISTINCT cause)) AS causes FROM found GROUP BY id) USING (id)
WHERE lot <= 0.98;

INSERT INTO score BY NAME
SELECT
    id AS environment_id, drawn(i, 'a') AS p_accepts_wrong, drawn(i, 'b') AS p_rejects_right,
    drawn(i, 'u') / 20 AS instability, CASE WHEN drawn(i, 'k') < 0.8 THEN drawn(i, 'e') END AS learnability,
    round(drawn(i, 'q'), 6) AS quality
FROM member WHERE lot <= 0.98;

INSERT INTO lead
SELECT id, 'existence-test', ['existence-only'], 'tests/test_state.py', n, 'The file is opened nowhere.'
FROM member, range(3) r(n) WHERE n <= floor(3 * drawn(i, 'leads')) AND drawn(i, 'has lead') < 0.5;

INSERT INTO mark
SELECT id, skewed(['sound', 'exclude'], drawn(i, 'mark')), 'looked at it', 'ann', TIMESTAMPTZ '2026-01-02 00:00:00Z'
FROM member WHERE drawn(i, 'marked') < 0.001;

INSERT INTO attempt BY NAME
SELECT
    printf('%s%04x', id, n) AS id, id AS environment_id, printf('probe-%d', n) AS probe, 1 AS version, 'probe' AS arm,
    0 AS repeat, 'Would it pay?' AS question,
    CASE WHEN drawn(i, n) < 0.02 THEN 'sandbox-error' ELSE 'graded' END AS status,
    0.0 AS reward, false AS passed, true AS effective, 0.4 AS seconds, '' AS detail, [] AS substitutions,
    false AS in_place, 'bubblewrap' AS backend, 'audit-1' AS run_id,
    TIMESTAMPTZ '2026-01-01 00:00:00Z' AS recorded_at, '{}' AS result
FROM member, range($attempts) r(n);
