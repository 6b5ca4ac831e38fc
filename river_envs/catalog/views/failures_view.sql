-- Where no reward was given, and why: infrastructure, never evidence.
CREATE OR REPLACE VIEW failures_view AS
SELECT a.environment_id, e.name, a.status, 'attempt' AS stage, a.probe, a.detail AS reason, a.backend, a.seconds, a.recorded_at
FROM attempt a JOIN environment e ON e.id = a.environment_id WHERE a.status <> 'graded'
UNION ALL
SELECT i.environment_id, e.name, i.status, 'image', NULL, right(i.log, 500), i.backend, i.seconds, i.recorded_at
FROM image i JOIN environment e ON e.id = i.environment_id WHERE i.status <> 'built';
