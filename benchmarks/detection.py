"""How well the audit tells defective environments from sound ones, cause by cause.

    python benchmarks/detection.py                       # audit river-mini into a temporary catalog, then compare
    python benchmarks/detection.py --catalog c.duckdb    # compare a catalog that was audited already

This is the only place that reads ``labels.csv``; the audit never sees it. Recall and false alarms come with 95 %
intervals: Wilson, and a bootstrap over families where rows of one family are alike. Writes
benchmarks/results/detection.json.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
SEED = 0


@dataclass(frozen=True)
class Row:
    """One labelled environment and what the audit said of it."""

    name: str
    family: str
    sound: bool
    cause: str
    reference: bool
    verdict: str
    causes: tuple[str, ...]
    attempts: int
    seconds: float
    form: str = ""
    leads: bool = False

    @property
    def caught(self) -> bool:
        return not self.sound and self.verdict == "defective"

    @property
    def named(self) -> bool:
        return self.caught and self.cause in self.causes


def wilson(hits: int, tries: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % Wilson interval of a share."""
    if not tries:
        return (0.0, 1.0)
    share = hits / tries
    middle = share + z * z / (2 * tries)
    spread = z * math.sqrt(share * (1 - share) / tries + z * z / (4 * tries * tries))
    scale = 1 + z * z / tries
    return (max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))


def bootstrap(
    rows: Sequence[Row], figure: Callable[[Sequence[Row]], float | None], times: int = 2000
) -> tuple[float, float] | None:
    """The 95 % interval of ``figure`` when whole families are drawn again."""
    families = defaultdict(list)
    for row in rows:
        families[row.family].append(row)
    names, chance, values = sorted(families), random.Random(SEED), []
    for _ in range(times):
        drawn = [row for name in chance.choices(names, k=len(names)) for row in families[name]]
        value = figure(drawn)
        if value is not None:
            values.append(value)
    if not values:
        return None
    values.sort()
    return (values[int(0.025 * len(values))], values[min(int(0.975 * len(values)), len(values) - 1)])


def recall(rows: Sequence[Row]) -> float | None:
    """The share of defective rows that were called defective."""
    defective = [row for row in rows if not row.sound]
    return sum(row.caught for row in defective) / len(defective) if defective else None


def false_alarms(rows: Sequence[Row]) -> float | None:
    """The share of sound rows that were called defective."""
    sound = [row for row in rows if row.sound]
    return sum(row.verdict == "defective" for row in sound) / len(sound) if sound else None


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """The figures of one group of rows."""
    defective = [row for row in rows if not row.sound]
    sound = [row for row in rows if row.sound]
    alarms = sum(row.verdict == "defective" for row in sound)
    caught = sum(row.caught for row in defective)
    return {
        "environments": len(rows),
        "recall": recall(rows),
        "recall_wilson": wilson(caught, len(defective)),
        "recall_families": bootstrap(rows, recall),
        "causes_named": sum(row.named for row in defective) / caught if caught else None,
        "false_alarm_rate": false_alarms(rows),
        "false_alarms": [row.name for row in sound if row.verdict == "defective"],
        "false_alarm_wilson": wilson(alarms, len(sound)),
        "verdicts_of_sound": dict(Counter(row.verdict for row in sound)),
        "verdicts_of_defective": dict(Counter(row.verdict for row in defective)),
        "attempts_per_environment": sum(row.attempts for row in rows) / max(len(rows), 1),
        "seconds_per_environment": sum(row.seconds for row in rows) / max(len(rows), 1),
    }


def per_cause(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """For each planted cause: how many, how many caught, named rightly, and what was said instead."""
    found = {}
    for cause in sorted({row.cause for row in rows if not row.sound}):
        own = [row for row in rows if row.cause == cause]
        said = Counter("+".join(row.causes) if row.causes else row.verdict for row in own)
        found[cause] = {
            "planted": len(own),
            "caught": sum(row.caught for row in own),
            "named": sum(row.named for row in own),
            "said": dict(said),
            "recall_wilson": wilson(sum(row.caught for row in own), len(own)),
        }
    return found


def read(catalog: Path, labels: Path) -> list[Row]:
    """Join labels and verdicts by name. Raises SystemExit naming what is in one and not in the other."""
    from river_envs import open_catalog

    opened = open_catalog(catalog)
    verdicts = opened.sql(
        "SELECT e.name, e.has_reference, v.verdict, v.causes, coalesce(a.n, 0) AS attempts,"
        " coalesce(a.seconds, 0) AS seconds"
        " FROM environment e JOIN verdict v ON v.environment_id = e.id"
        " LEFT JOIN (SELECT environment_id, count(*) AS n, sum(seconds) AS seconds FROM attempt GROUP BY ALL) a"
        " ON a.environment_id = e.id"
    )
    leads = set(opened.sql("SELECT DISTINCT name FROM leads_view")["name"])
    planted = pd.read_csv(labels, keep_default_na=False)
    joined = planted.merge(verdicts, on="name", how="outer", suffixes=("", "_seen"), indicator=True)
    alone = joined[joined["_merge"] != "both"]
    if len(alone):
        raise SystemExit(f"labels and catalog differ in {len(alone)} names: {sorted(alone['name'])[:10]}")
    return [
        Row(
            row.name,
            str(row.family),
            bool(int(row.sound)),
            row.cause,
            bool(row.has_reference_seen),
            row.verdict,
            tuple(row.causes),
            int(row.attempts),
            float(row.seconds),
            str(getattr(row, "form", "")),
            row.name in leads,
        )
        for row in joined.itertuples(index=False)
    ]


def show(figures: dict[str, Any], causes: dict[str, dict[str, Any]]) -> None:
    """Print the figures as a person reads them."""
    print(f"{'planted cause':24} {'n':>3} {'caught':>7} {'named':>6}   said instead or as well")
    for cause, row in causes.items():
        others = ", ".join(f"{said} x{count}" for said, count in row["said"].items() if said != cause)
        print(f"{cause:24} {row['planted']:>3} {row['caught']:>7} {row['named']:>6}   {others}")
    for group, row in figures.items():
        low, high = row["recall_wilson"]
        alarm_low, alarm_high = row["false_alarm_wilson"]
        print(
            f"\n{group}: {row['environments']} environments\n"
            f"  recall {_percent(row['recall'])} [{low:.1%}, {high:.1%}],"
            f" causes named right {_percent(row['causes_named'])}\n"
            f"  false alarms {_percent(row['false_alarm_rate'])} [{alarm_low:.1%}, {alarm_high:.1%}]"
            f" {row['false_alarms'] or ''}\n"
            f"  sound ones were called {row['verdicts_of_sound']}, defective ones {row['verdicts_of_defective']}\n"
            f"  {row['attempts_per_environment']:.1f} attempts and"
            f" {row['seconds_per_environment']:.2f} verifier seconds each"
        )


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def main() -> None:
    """Audit if asked to, compare, print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--catalog", type=Path)
    parser.add_argument("--effort", default="standard", help="of the audit, when no catalog is given")
    parser.add_argument("--labels", type=Path, default=ROOT / "catalogs" / "river-mini" / "labels.csv")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "detection.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        catalog = options.catalog
        if catalog is None:
            command = [str(Path(sys.executable).with_name("river-envs")), "demo", "--json", "-o", f"{folder}/demo"]
            command += ["--effort", options.effort]
            subprocess.run(command, check=True, stdout=sys.stderr)
            catalog = Path(folder) / "demo" / "river.duckdb"
        rows = read(catalog, options.labels)
    figures = {
        "all": summary(rows),
        "with reference": summary([row for row in rows if row.reference]),
        "without reference": summary([row for row in rows if not row.reference]),
    }
    causes = per_cause(rows)
    show(figures, causes)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps({"figures": figures, "causes": causes}, indent=1) + "\n")


if __name__ == "__main__":
    main()
