-- One row per finding, with the environment it concerns.
CREATE OR REPLACE VIEW findings_view AS
SELECT
    f.id, f.environment_id, e.name, e.source, e.domain, e.verifier_kind, f.claim, f.cause, f.trigger, f.probe, f.message,
    f.advice, len(f.attempts) AS attempts, f.attempts AS attempt_ids, f.evidence
FROM finding f JOIN environment e ON e.id = f.environment_id;
