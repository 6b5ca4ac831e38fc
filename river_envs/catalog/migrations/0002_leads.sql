-- What suggests a defect and proves none: concluded by the score stage, like findings, and never counted among them.

CREATE TABLE lead (
    environment_id VARCHAR NOT NULL,
    rule VARCHAR NOT NULL,               -- a name in probes/leads.py, or the id of the probe whose attempts suggest it
    causes VARCHAR[] NOT NULL,           -- what it makes more likely, from the one table of causes
    path VARCHAR NOT NULL,               -- the file that was read (tests/..., image for the recipe) or edited
    line INTEGER NOT NULL,               -- 0 where no line is meant
    message VARCHAR NOT NULL
);
