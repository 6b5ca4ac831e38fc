"""The catalog: one DuckDB file that every stage reads and writes.

    catalog = open_catalog("river.duckdb")
    catalog.sql("SELECT verdict, count(*) FROM environments_view GROUP BY ALL")
    with catalog.writer() as writer:
        writer.add_mark(catalog.find("my-task"), "exclude", "answer is in the image")

The schema is in ``migrations/``, the views in ``views/``. ``store.py`` holds the only statements that change a catalog;
audit workers append to a spool instead (``spool.py``), which ``Catalog.absorb_spool`` takes in.
"""

from __future__ import annotations

from river_envs.catalog.catalog import Catalog, open_catalog
from river_envs.catalog.connection import CatalogBusy
from river_envs.catalog.records import (
    Estimate,
    ImageRecord,
    InputRow,
    JudgedRecord,
    Known,
    LeadRecord,
    PlanRecord,
    ProbeRecord,
    ScoreRecord,
    SubsetMember,
    SubsetRecord,
    SurveyRecord,
)
from river_envs.catalog.writer import Writer

__all__ = [
    "Catalog",
    "CatalogBusy",
    "Estimate",
    "ImageRecord",
    "InputRow",
    "JudgedRecord",
    "Known",
    "LeadRecord",
    "PlanRecord",
    "ProbeRecord",
    "ScoreRecord",
    "SubsetMember",
    "SubsetRecord",
    "SurveyRecord",
    "Writer",
    "open_catalog",
]
