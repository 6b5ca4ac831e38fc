-- One row per domain and verdict count: where the corpus is honest.
CREATE OR REPLACE VIEW domains_view AS
SELECT
    coalesce(domain, '(none)') AS domain, count(*) AS environments, count(verdict) AS audited,
    count(*) FILTER (verdict = 'sound') AS sound, count(*) FILTER (verdict = 'resisted') AS resisted,
    count(*) FILTER (verdict = 'defective') AS defective, count(*) FILTER (verdict = 'unverified') AS unverified,
    count(*) FILTER (has_reference) AS with_reference, avg(quality) AS mean_quality
FROM environments_view GROUP BY ALL ORDER BY environments DESC, domain;
