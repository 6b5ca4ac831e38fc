-- Take the attached catalog `other` into this one, in one transaction. Same ids are the same things; nothing is overwritten
-- except by what was recorded later. Details go in before their heads, so that "not known yet" can be asked of the heads.

CREATE TEMP TABLE attempts_before AS
    SELECT environment_id, list_sort(list(id)) AS ids FROM attempt GROUP BY environment_id;
CREATE TEMP TABLE attempts_theirs AS
    SELECT environment_id, list_sort(list(id)) AS ids FROM other.attempt GROUP BY environment_id;

INSERT INTO file BY NAME SELECT * FROM other.file WHERE sha256 NOT IN (SELECT sha256 FROM file);
INSERT INTO environment_file BY NAME
    SELECT * FROM other.environment_file WHERE environment_id NOT IN (SELECT id FROM environment);
INSERT INTO signature BY NAME
    SELECT * FROM other.signature WHERE environment_id NOT IN (SELECT environment_id FROM signature);
INSERT INTO environment BY NAME SELECT * FROM other.environment WHERE id NOT IN (SELECT id FROM environment);
INSERT INTO origin BY NAME SELECT * FROM other.origin WHERE input NOT IN (SELECT input FROM origin);
INSERT INTO ingest_input BY NAME
    SELECT * FROM other.ingest_input WHERE (run_id, input) NOT IN (SELECT (run_id, input) FROM ingest_input);

INSERT INTO delta BY NAME SELECT * FROM other.delta WHERE digest NOT IN (SELECT digest FROM delta);
INSERT INTO test_result BY NAME
    SELECT * FROM other.test_result WHERE attempt_id NOT IN (SELECT id FROM attempt);
INSERT INTO attempt BY NAME
    SELECT * EXCLUDE (actions, facts, rewards, receipt, log) FROM other.attempt WHERE id NOT IN (SELECT id FROM attempt);

DELETE FROM plan USING other.plan theirs
    WHERE plan.environment_id = theirs.environment_id AND plan.probe = theirs.probe AND plan.version = theirs.version
    AND plan.recorded_at < theirs.recorded_at;
INSERT INTO plan BY NAME SELECT * FROM other.plan WHERE (environment_id, probe, version) NOT IN
    (SELECT (environment_id, probe, version) FROM plan);
DELETE FROM image USING other.image theirs
    WHERE image.environment_id = theirs.environment_id AND image.backend = theirs.backend
    AND image.recorded_at < theirs.recorded_at;
INSERT INTO image BY NAME SELECT * FROM other.image WHERE (environment_id, backend) NOT IN
    (SELECT (environment_id, backend) FROM image);
INSERT INTO survey BY NAME
    SELECT * FROM other.survey WHERE environment_id NOT IN (SELECT environment_id FROM survey);

INSERT INTO mark BY NAME SELECT * FROM other.mark EXCEPT ALL SELECT * FROM mark;
INSERT INTO subset_member BY NAME SELECT * FROM other.subset_member WHERE subset_id NOT IN (SELECT id FROM subset);
INSERT INTO subset BY NAME SELECT * FROM other.subset WHERE id NOT IN (SELECT id FROM subset);
INSERT INTO audit_run BY NAME SELECT * FROM other.audit_run WHERE id NOT IN (SELECT id FROM audit_run);

-- A conclusion holds as long as the attempts that it was drawn from are all there are.
CREATE TEMP TABLE attempts_after AS
    SELECT e.id AS environment_id, list_sort(list(a.id) FILTER (a.id IS NOT NULL)) AS ids
    FROM environment e LEFT JOIN attempt a ON a.environment_id = e.id GROUP BY e.id;
CREATE TEMP TABLE ours AS
    SELECT v.environment_id FROM verdict v JOIN attempts_after n USING (environment_id)
    LEFT JOIN attempts_before b USING (environment_id) WHERE n.ids IS NOT DISTINCT FROM b.ids;
CREATE TEMP TABLE dropped AS
    SELECT environment_id FROM verdict WHERE environment_id NOT IN (SELECT environment_id FROM ours)
    UNION SELECT environment_id FROM other.verdict;
CREATE TEMP TABLE theirs AS
    SELECT v.environment_id FROM other.verdict v JOIN attempts_after n USING (environment_id)
    LEFT JOIN attempts_theirs t USING (environment_id) WHERE n.ids IS NOT DISTINCT FROM t.ids
    AND v.environment_id NOT IN (SELECT environment_id FROM ours);
DELETE FROM verdict WHERE environment_id NOT IN (SELECT environment_id FROM ours);
DELETE FROM score WHERE environment_id NOT IN (SELECT environment_id FROM ours);
DELETE FROM probe_result WHERE environment_id NOT IN (SELECT environment_id FROM ours);
DELETE FROM finding WHERE environment_id NOT IN (SELECT environment_id FROM ours);
DELETE FROM lead WHERE environment_id NOT IN (SELECT environment_id FROM ours);
INSERT INTO verdict BY NAME SELECT * FROM other.verdict WHERE environment_id IN (SELECT environment_id FROM theirs);
INSERT INTO score BY NAME SELECT * FROM other.score WHERE environment_id IN (SELECT environment_id FROM theirs);
INSERT INTO probe_result BY NAME SELECT * FROM other.probe_result WHERE environment_id IN (SELECT environment_id FROM theirs);
INSERT INTO finding BY NAME SELECT * FROM other.finding WHERE environment_id IN (SELECT environment_id FROM theirs);
INSERT INTO lead BY NAME SELECT * FROM other.lead WHERE environment_id IN (SELECT environment_id FROM theirs);
