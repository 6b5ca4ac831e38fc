"""The few numbers that sum a catalog up: for the last line of a command, in JSON or as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType

from river_envs.report.frames import LATEST_SUBSET, STATE, Queryable, read
from river_envs.report.tables import cause_table, cell, verdict_table
from river_envs.report.text import percent_below


@dataclass(frozen=True)
class Summary:
    """Counts over the unique environments of a catalog; ``kept`` is of the latest subset.

    ``states`` counts every environment once: by its verdict, or as ``unsupported`` or ``not-audited`` without one.
    """

    states: dict[str, int]
    causes: dict[str, int]
    kept: int

    @property
    def ingested(self) -> int:
        """Unique environments in the catalog."""
        return sum(self.states.values())

    @property
    def keep_fraction(self) -> float:
        """The share of the unique environments that the latest subset kept."""
        return self.kept / self.ingested if self.ingested else 0.0

    def as_json(self) -> dict[str, Any]:
        """The counts that ``demo --json`` prints."""
        verdicts = {name: self.states.get(name, 0) for name in ("sound", "resisted", "defective", "unverified")}
        return {
            "ingested": self.ingested,
            "audited": sum(verdicts.values()),
            **verdicts,
            "kept": self.kept,
            "keep_fraction": round(self.keep_fraction, 6),
        }

    def tables(self) -> Iterator[RenderableType]:
        """The verdicts, the causes where there are any, and one line about the subset, for ``Console.print``."""
        yield verdict_table(self.states)
        if self.causes:
            yield cause_table(self.causes)
        if self.kept:
            share = percent_below(self.kept, self.ingested)
            yield cell(f"The latest subset keeps {self.kept:,} of {self.ingested:,} environments ({share}).")


def summarise(catalog: Queryable) -> Summary:
    """Sum ``catalog`` up."""
    states = read(catalog, f"SELECT {STATE} AS state, count(*) AS n FROM environments_view GROUP BY 1 ORDER BY 1")
    causes = read(catalog, "SELECT cause, count(DISTINCT environment_id) AS n FROM finding GROUP BY cause ORDER BY 1")
    kept = read(catalog, f"SELECT count(*) AS n FROM subset_member WHERE kept AND subset_id = {LATEST_SUBSET}")
    return Summary({row["state"]: row["n"] for row in states}, {row["cause"]: row["n"] for row in causes}, kept[0]["n"])
