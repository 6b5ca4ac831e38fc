"""Pure functions: attempts to findings, findings to verdicts and scores."""
