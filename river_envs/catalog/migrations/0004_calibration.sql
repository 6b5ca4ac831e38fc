-- What the numbers are computed from, the model that says how likely an environment is sound, and what it says.

CREATE TABLE evidence (
    environment_id VARCHAR NOT NULL,
    evidence JSON NOT NULL               -- scoring/evidence.py: everything that was counted
);

CREATE TABLE calibration (               -- one row: the model of the last `river-envs calibrate`; none: the default model
    model JSON NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);

ALTER TABLE score ADD COLUMN p_sound DOUBLE;
ALTER TABLE score ADD COLUMN p_sound_low DOUBLE;
ALTER TABLE score ADD COLUMN p_sound_high DOUBLE;
ALTER TABLE score ADD COLUMN basis JSON; -- for each number one line: what was asked, hit, survived and contrasted
