"""The probes: one small class per file, found by ``registry.py``."""
