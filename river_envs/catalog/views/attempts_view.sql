-- One row per attempt, without its long texts.
CREATE OR REPLACE VIEW attempts_view AS
SELECT
    a.id, a.environment_id, e.name, e.domain, a.probe, a.version, a.arm, a.repeat, a.question, a.status, a.reward, a.passed,
    a.effective, a.seconds, a.exit_code, a.detail, a.substitutions, a.in_place, a.delta, a.backend, a.run_id, a.recorded_at
FROM attempt a JOIN environment e ON e.id = a.environment_id;
