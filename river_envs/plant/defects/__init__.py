"""One module per cause of the one table: how people plant it without meaning to."""
