-- What environments are compared by, computed at ingest: signatures/signature.py says what each column is.

CREATE TABLE signature (
    environment_id VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    fixture VARCHAR,                     -- hash of the files that the task works on; NULL where it brings none
    tests VARCHAR,                       -- hash of the syntax trees of its tests
    minhash BLOB NOT NULL,               -- 128 little-endian uint32 over word 8-grams of the instruction
    sketch BLOB NOT NULL,                -- 256 int8, what the task is about
    grams UBIGINT[] NOT NULL             -- winnowed fingerprints of the instruction
);
