"""What environments are compared by, computed once, at ingest: the filter reads no text."""
