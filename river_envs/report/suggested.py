"""Leads for the page: those of single environments, and how often each occurs where nothing was proved."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.probes.leads import ABOUT
from river_envs.probes.registry import probes
from river_envs.report.facts import Lead, LeadCount, Limits
from river_envs.report.frames import Queryable, quoted, read


def leads_of(catalog: Queryable, ids: Sequence[str], limits: Limits) -> dict[str, tuple[Lead, ...]]:
    """The first leads of each of these environments, by its id."""
    if not ids:
        return {}
    rows = read(
        catalog,
        f"SELECT * FROM lead WHERE environment_id IN ({quoted(ids)}) QUALIFY row_number() OVER"
        f" (PARTITION BY environment_id ORDER BY rule, path, line, message) <= {limits.leads}"
        " ORDER BY rule, path, line, message",
    )
    found: dict[str, tuple[Lead, ...]] = {}
    for row in rows:
        where = f"{row['path']}:{row['line']}" if row["line"] else row["path"]
        lead = Lead(row["rule"], row["causes"], where, row["message"])
        found[row["environment_id"]] = (*found.get(row["environment_id"], ()), lead)
    return found


def suggested(catalog: Queryable, limits: Limits) -> tuple[LeadCount, ...]:
    """Every lead that occurs, first those of the most environments in which nothing was proved."""
    about = {probe.id: probe.name for probe in probes()} | ABOUT
    rows = read(
        catalog,
        "SELECT rule, count(DISTINCT environment_id) AS environments, count(DISTINCT environment_id) FILTER"
        " (verdict IS DISTINCT FROM 'defective') AS unproved,"
        " min(name) FILTER (verdict IS DISTINCT FROM 'defective') AS example"
        f" FROM leads_view GROUP BY rule ORDER BY unproved DESC, environments DESC, rule LIMIT {limits.inputs}",
    )
    return tuple(
        LeadCount(row["rule"], about.get(row["rule"], ""), row["environments"], row["unproved"], row["example"] or "")
        for row in rows
    )
