-- How many environments each cause concerns, and how an agent would meet it.
CREATE OR REPLACE VIEW causes_view AS
SELECT
    cause, any_value(claim) AS claim, count(DISTINCT environment_id) AS environments, count(*) AS findings,
    list_sort(list(DISTINCT trigger)) AS triggers, list_sort(list(DISTINCT probe)) AS probes
FROM finding GROUP BY cause ORDER BY environments DESC, cause;
