-- What filter compares environments by, so that it reads no text; computed at ingest by river_envs/signatures.

CREATE TABLE signature (
    environment_id VARCHAR NOT NULL,
    version INTEGER NOT NULL,            -- of the computation: values of two versions do not compare
    fixture VARCHAR,                     -- hash of the files that the image brings along
    tests VARCHAR,                       -- hash of the tests' syntax trees
    minhash BLOB NOT NULL,               -- 128 uint32 over the instruction's word 8-grams
    sketch BLOB NOT NULL,                -- 256 int8: the topic
    grams UBIGINT[] NOT NULL             -- winnowed fingerprints of the instruction
);
