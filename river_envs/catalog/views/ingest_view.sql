-- What became of every input, latest word first: nothing is skipped silently.
CREATE OR REPLACE VIEW ingest_view AS
SELECT input, arg_max(result, recorded_at) AS result, arg_max(reason, recorded_at) AS reason, arg_max(environment_id, recorded_at) AS environment_id,
    max(recorded_at) AS recorded_at, count(*) AS seen
FROM ingest_input GROUP BY input ORDER BY input;
