"""The catalog: one DuckDB file that every stage reads and writes."""
