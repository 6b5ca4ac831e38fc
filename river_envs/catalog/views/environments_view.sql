-- One row per environment: what it is, what was concluded, what a person said about it.
CREATE OR REPLACE VIEW environments_view AS
WITH latest_mark AS (
    SELECT environment_id, arg_max(mark, recorded_at) AS mark, arg_max(note, recorded_at) AS note FROM mark GROUP BY environment_id
), attempted AS (
    SELECT environment_id, count(*) AS attempts, count(*) FILTER (status <> 'graded') AS failed_attempts
    FROM attempt GROUP BY environment_id
), found AS (
    SELECT environment_id, count(*) AS findings FROM finding GROUP BY environment_id
), suggested AS (
    SELECT environment_id, count(*) AS leads FROM lead GROUP BY environment_id
), copied AS (
    SELECT environment_id, count(*) AS origins FROM origin GROUP BY environment_id
)
SELECT
    e.id, e.name, e.source, e.format, e.domain, e.skill_type, e.verifier_kind, e.language, e.task_complexity,
    e.difficulty, e.image_kind, e.verifier_protocol, e.has_reference, e.reference_provenance, e.network,
    v.verdict, coalesce(v.causes, []) AS causes, s.quality, s.p_accepts_wrong, s.p_rejects_right, s.instability,
    s.learnability, coalesce(f.findings, 0) AS findings, coalesce(a.attempts, 0) AS attempts,
    coalesce(a.failed_attempts, 0) AS failed_attempts, e.status, e.unsupported,
    CASE WHEN m.mark <> 'clear' THEN m.mark END AS mark, CASE WHEN m.mark <> 'clear' THEN m.note END AS mark_note,
    coalesce(c.origins, 0) AS origins, length(e.instruction) AS instruction_length, e.added_at,
    coalesce(l.leads, 0) AS leads, s.p_sound
FROM environment e
LEFT JOIN verdict v ON v.environment_id = e.id
LEFT JOIN score s ON s.environment_id = e.id
LEFT JOIN attempted a ON a.environment_id = e.id
LEFT JOIN found f ON f.environment_id = e.id
LEFT JOIN suggested l ON l.environment_id = e.id
LEFT JOIN latest_mark m ON m.environment_id = e.id
LEFT JOIN copied c ON c.environment_id = e.id;
