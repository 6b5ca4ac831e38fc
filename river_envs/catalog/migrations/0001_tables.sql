-- The tables of the catalog. JSON columns are written by codec.py.

CREATE TABLE environment (
    id VARCHAR PRIMARY KEY,              -- content hash, 16 hexadecimal digits
    name VARCHAR NOT NULL,
    source VARCHAR NOT NULL,             -- the corpus it came from
    format VARCHAR NOT NULL,             -- the published format it was read from
    instruction VARCHAR NOT NULL,
    domain VARCHAR,
    skill_type VARCHAR,
    primitive_skills VARCHAR[],
    task_complexity VARCHAR,
    command_complexity VARCHAR,
    scenario VARCHAR,
    language VARCHAR,
    verifier_kind VARCHAR,
    fixture_kind VARCHAR,
    corpus_kind VARCHAR,
    difficulty VARCHAR,
    keywords VARCHAR[],
    truth VARCHAR,                       -- the generator's own note; never shown to an agent
    image_kind VARCHAR NOT NULL,
    image_recipe VARCHAR NOT NULL,
    image_digest VARCHAR NOT NULL,
    docker_image VARCHAR,
    verifier_protocol VARCHAR NOT NULL,
    verifier_digest VARCHAR NOT NULL,
    has_reference BOOLEAN NOT NULL,
    reference_provenance VARCHAR,
    network VARCHAR NOT NULL,
    agent_timeout_sec DOUBLE,
    build_timeout_sec DOUBLE,
    verifier_timeout_sec DOUBLE,
    cpus DOUBLE,
    memory_mb BIGINT,
    storage_mb BIGINT,
    gpus INTEGER,
    unsupported VARCHAR[],               -- what cannot be run yet
    status VARCHAR NOT NULL,             -- supported | unsupported
    spec JSON NOT NULL,                  -- the whole Environment, file contents by hash
    added_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE file (
    sha256 VARCHAR PRIMARY KEY,
    size BIGINT NOT NULL,
    content BLOB NOT NULL
);

CREATE TABLE environment_file (
    environment_id VARCHAR NOT NULL,
    role VARCHAR NOT NULL,               -- image | verifier | reference
    path VARCHAR NOT NULL,
    mode INTEGER NOT NULL,
    link VARCHAR,
    sha256 VARCHAR NOT NULL
);

CREATE TABLE origin (                    -- every input that gave an environment, duplicates too
    input VARCHAR NOT NULL,
    environment_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    signature VARCHAR NOT NULL
);

CREATE TABLE ingest_input (
    run_id VARCHAR NOT NULL,
    input VARCHAR NOT NULL,
    signature VARCHAR NOT NULL,
    result VARCHAR NOT NULL,             -- ingested | duplicate | unsupported | rejected | unchanged
    environment_id VARCHAR,
    reason VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE image (
    environment_id VARCHAR NOT NULL,
    backend VARCHAR NOT NULL,
    status VARCHAR NOT NULL,             -- built | build-failed | sandbox-error
    key VARCHAR NOT NULL,
    bases JSON NOT NULL,
    notes VARCHAR[],
    log VARCHAR NOT NULL,
    seconds DOUBLE NOT NULL,
    run_id VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE attempt (
    id VARCHAR PRIMARY KEY,
    environment_id VARCHAR NOT NULL,
    probe VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    arm VARCHAR NOT NULL,                -- probe | altered | benign
    repeat INTEGER NOT NULL,
    question VARCHAR NOT NULL,
    status VARCHAR NOT NULL,             -- graded, or why there is no reward
    reward DOUBLE,
    passed BOOLEAN,
    effective BOOLEAN NOT NULL,          -- the receipt shows that every action took effect
    exit_code INTEGER,
    seconds DOUBLE NOT NULL,
    detail VARCHAR NOT NULL,
    substitutions VARCHAR[],
    delta VARCHAR,                       -- digest of the kept delta
    in_place BOOLEAN NOT NULL,
    backend VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    result JSON NOT NULL,                -- the whole Result, exactly; the columns below are read out of it
    actions JSON GENERATED ALWAYS AS (json_extract(result, '$.attempt.actions')) VIRTUAL,
    facts JSON GENERATED ALWAYS AS (json_extract(result, '$.attempt.facts')) VIRTUAL,
    rewards JSON GENERATED ALWAYS AS (json_extract(result, '$.outcome.rewards')) VIRTUAL,
    receipt JSON GENERATED ALWAYS AS (json_extract(result, '$.receipt')) VIRTUAL,
    log VARCHAR GENERATED ALWAYS AS (json_extract_string(result, '$.outcome.log')) VIRTUAL
);

CREATE TABLE test_result (
    attempt_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    message VARCHAR NOT NULL
);

CREATE TABLE delta (
    digest VARCHAR PRIMARY KEY,          -- Delta.digest, which ignores times
    sha256 VARCHAR NOT NULL,             -- the packed delta in table file
    changes INTEGER NOT NULL
);

CREATE TABLE plan (
    environment_id VARCHAR NOT NULL,
    probe VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    status VARCHAR NOT NULL,             -- planned | not-applicable | not-run
    reason VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE survey (
    environment_id VARCHAR PRIMARY KEY,
    survey JSON NOT NULL,
    run_id VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE probe_result (
    environment_id VARCHAR NOT NULL,
    probe VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    status VARCHAR NOT NULL,             -- hit | survived | not-applicable | not-run | error
    reason VARCHAR NOT NULL
);

CREATE TABLE finding (
    id VARCHAR NOT NULL,
    environment_id VARCHAR NOT NULL,
    claim VARCHAR NOT NULL,
    cause VARCHAR NOT NULL,
    trigger VARCHAR NOT NULL,
    probe VARCHAR NOT NULL,
    message VARCHAR NOT NULL,
    advice VARCHAR NOT NULL,
    attempts VARCHAR[] NOT NULL,
    evidence JSON NOT NULL
);

CREATE TABLE verdict (
    environment_id VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,            -- sound | resisted | defective | unverified
    causes VARCHAR[] NOT NULL,
    reasons VARCHAR[] NOT NULL
);

CREATE TABLE score (
    environment_id VARCHAR NOT NULL,
    p_accepts_wrong DOUBLE, p_accepts_wrong_low DOUBLE, p_accepts_wrong_high DOUBLE,
    p_rejects_right DOUBLE, p_rejects_right_low DOUBLE, p_rejects_right_high DOUBLE,
    instability DOUBLE, instability_low DOUBLE, instability_high DOUBLE,
    learnability DOUBLE, learnability_low DOUBLE, learnability_high DOUBLE,
    quality DOUBLE, quality_low DOUBLE, quality_high DOUBLE
);

CREATE TABLE mark (                      -- every mark ever set; the latest counts, 'clear' takes it back
    environment_id VARCHAR NOT NULL,
    mark VARCHAR NOT NULL,               -- sound | exclude | clear
    note VARCHAR NOT NULL,
    who VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE subset (
    id VARCHAR NOT NULL,
    command VARCHAR NOT NULL,
    seed BIGINT NOT NULL,
    keep DOUBLE NOT NULL,
    options JSON NOT NULL,
    catalog_hash VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE subset_member (
    subset_id VARCHAR NOT NULL,
    environment_id VARCHAR NOT NULL,
    kept BOOLEAN NOT NULL,
    rank INTEGER,
    tier VARCHAR,
    reason VARCHAR NOT NULL,
    score DOUBLE
);

CREATE TABLE audit_run (                 -- every run of a command that writes: ingest, audit, filter
    id VARCHAR PRIMARY KEY,
    command VARCHAR NOT NULL,
    options JSON NOT NULL,
    versions JSON NOT NULL,
    started TIMESTAMPTZ NOT NULL,
    ended TIMESTAMPTZ,
    state VARCHAR NOT NULL               -- running | finished | interrupted | failed
);
