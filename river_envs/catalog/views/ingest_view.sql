-- What became of every input: the latest word that was not "unchanged", which only repeats the one before it.
CREATE OR REPLACE VIEW ingest_view AS
SELECT input,
    coalesce(arg_max(result, recorded_at) FILTER (result <> 'unchanged'), 'ingested') AS result,
    arg_max(reason, recorded_at) FILTER (result <> 'unchanged') AS reason,
    arg_max(environment_id, recorded_at) AS environment_id,
    max(recorded_at) AS recorded_at, count(*) AS seen
FROM ingest_input GROUP BY input ORDER BY input;
