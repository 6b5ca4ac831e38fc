"""Where attempts run: one protocol (``base.py``), two backends, one conformance suite."""
