"""Pure functions: which environments to keep, and why."""
