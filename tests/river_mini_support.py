"""Where the bundled corpus is, and its labels by name."""

from __future__ import annotations

import csv
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[1] / "catalogs" / "river-mini"
LABELS = {row["name"]: row for row in csv.DictReader((CORPUS / "labels.csv").read_text().splitlines())}
