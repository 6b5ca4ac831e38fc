"""Verifier-guided synthesis: from what tests demand to the least artefact that meets it, with values nobody computed.

The tests' syntax trees are read, never run (``reading.py`` and what it stands on): what is read of a file, compared, or
matched becomes a *shape* (``shapes.py``). Shapes are filled in (``filling.py``, ``patterns.py``), what failed amends
them (``amend.py``), and ``draft.py`` decides whether an acceptance would prove anything.
"""
