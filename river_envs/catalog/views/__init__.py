"""One view per file; created again on opening for writing whenever their text changed."""
