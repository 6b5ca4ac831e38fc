-- One row per lead, with the environment it concerns and what was proved there; a lead itself proves nothing.
CREATE OR REPLACE VIEW leads_view AS
SELECT
    l.environment_id, e.name, e.source, e.domain, e.verifier_kind, v.verdict, coalesce(v.causes, []) AS proved_causes,
    l.rule, l.causes, l.path, l.line, l.message
FROM lead l
JOIN environment e ON e.id = l.environment_id
LEFT JOIN verdict v ON v.environment_id = l.environment_id;
