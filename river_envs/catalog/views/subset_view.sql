-- The members of every subset, kept and dropped, with the reason.
CREATE OR REPLACE VIEW subset_view AS
SELECT
    m.subset_id, m.rank, m.kept, m.tier, m.environment_id, e.name, e.source, e.domain, e.verifier_kind, e.verdict, e.causes,
    m.score, m.reason, e.mark, s.recorded_at
FROM subset_member m
JOIN subset s ON s.id = m.subset_id
LEFT JOIN environments_view e ON e.id = m.environment_id;
