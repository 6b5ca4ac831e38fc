"""How long filter and the everyday views take on catalogs of 15 thousand and 1 million environments, and how it grows.

    python benchmarks/scale.py                             # 15,000 and 1,000,000 environments: half an hour
    python benchmarks/scale.py --sizes 15000 60000

Each catalog is synthesised with the skew of real ones (scale_catalog.py; ``--attempts`` per environment). Filter (a dry
run, end to end) and the views run in a process of their own each, so that the peak memory is that of one command. The
growth exponent between two sizes is log(time ratio) / log(size ratio): 1 is linear, and n log n gives at most 1.1 here.
Absolute times do not travel between machines; the exponent does. Writes benchmarks/results/scale.json.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.scale_catalog import synthesise

RESULTS = Path(__file__).parent / "results" / "scale.json"
SECONDS = {15_000: 10.0, 1_000_000: 300.0}
VIEW_SECONDS = {15_000: 0.1}
MEGABYTES = 8 * 1024
REPEATS = 5

VIEWS = {
    "environments_view": "SELECT coalesce(verdict, status) AS state, count(*) AS n FROM environments_view GROUP BY 1",
    "environments_view, 200 rows": "SELECT * FROM environments_view ORDER BY quality, name, id LIMIT 200",
    "environments_view, one row": "SELECT * FROM environments_view WHERE name = 'task_0000007'",
    "findings_view": "SELECT * FROM findings_view ORDER BY environment_id, cause, id LIMIT 200",
    "domains_view": "SELECT * FROM domains_view",
    "causes_view": "SELECT cause, claim, environments FROM causes_view ORDER BY environments DESC, cause",
    "leads_view": "SELECT rule, count(*) AS leads, count(DISTINCT environment_id) AS environments FROM leads_view "
                  "GROUP BY rule",
}
"""What the report and the summaries ask, by the view that they ask."""


def filter_once(path: str) -> dict[str, Any]:
    """One dry filter, measured in this process."""
    from river_envs.catalog import open_catalog
    from river_envs.selection.request import Request
    from river_envs.selection.run import filter_catalog

    started = time.perf_counter()
    filtered = filter_catalog(open_catalog(path), Request(0.3), None)
    return {"seconds": round(time.perf_counter() - started, 2), "kept": filtered.kept, "grounds": filtered.grounds}


def view_once(path: str) -> dict[str, Any]:
    """Seconds of each view: the median of a few, each opening the file anew as a command does."""
    from river_envs.catalog import open_catalog

    catalog = open_catalog(path)
    catalog.sql("SELECT 1")
    found = {}
    for name, query in VIEWS.items():
        times = []
        for _ in range(REPEATS):
            started = time.perf_counter()
            catalog.sql(query)
            times.append(time.perf_counter() - started)
        found[name] = round(statistics.median(times), 4)
    return found


CHILDREN = {"filter": filter_once, "views": view_once}


def in_child(what: str, path: Path) -> dict[str, Any]:
    """The result of one of ``CHILDREN`` in a process of its own, with its peak memory."""
    command = [sys.executable, __file__, "--child", what, str(path)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(number: int, attempts: int, folder: Path) -> dict[str, Any]:
    """Everything about one size."""
    path = folder / f"{number}.duckdb"
    started = time.perf_counter()
    synthesise(path, number, attempts)
    seconds = time.perf_counter() - started
    size = path.stat().st_size >> 20
    print(f"{number:9,} environments, {attempts} attempts each: {size:,} MB, made in {seconds:.0f} s")
    filtered, views = in_child("filter", path), in_child("views", path)
    print(f"          filter {filtered['seconds']:8.2f} s {filtered['peak_mb']:6,} MB  {filtered['grounds']}")
    for name, time_taken in views.items():
        if name != "peak_mb":
            print(f"          {name:30} {time_taken * 1e3:8.1f} ms")
    slowest = max(taken for name, taken in views.items() if name != "peak_mb")
    within = filtered["peak_mb"] < MEGABYTES and filtered["seconds"] < SECONDS.get(number, math.inf) and (
        slowest < VIEW_SECONDS.get(number, math.inf))
    path.unlink()
    return {
        "environments": number, "attempts_each": attempts, "filter": filtered, "views": views, "within_target": within,
    }


def exponents(small: dict[str, Any], large: dict[str, Any]) -> dict[str, float]:
    """Growth exponents between two sizes."""
    ratio = math.log(large["environments"] / small["environments"])
    times = {"filter": (small["filter"]["seconds"], large["filter"]["seconds"])} | {
        name: (small["views"][name], large["views"][name]) for name in VIEWS
    }
    return {name: round(math.log(after / before) / ratio, 2) for name, (before, after) in times.items()}


def main() -> int:
    """Run, print and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=sorted(SECONDS))
    parser.add_argument("--attempts", type=int, default=20, help="per environment; 4 above 100,000 environments")
    parser.add_argument("--folder", type=Path, help="where the catalogs are made; 3 GB for a million")
    parser.add_argument("--child", nargs=2, metavar=("WHAT", "CATALOG"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        found = CHILDREN[given.child[0]](given.child[1])
        print(json.dumps(found | {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10}))
        return 0
    with tempfile.TemporaryDirectory(prefix="river-scale-", dir=given.folder) as folder:
        rows = [
            measure(number, given.attempts if number <= 100_000 else min(4, given.attempts), Path(folder))
            for number in sorted(given.sizes)
        ]
    growth = {}
    for small, large in pairwise(rows):
        growth[f"{small['environments']} to {large['environments']}"] = found = exponents(small, large)
        print(f"growth from {small['environments']:,} to {large['environments']:,}: " + ", ".join(
            f"{name} n^{value}" for name, value in found.items()))
    met = all(row["within_target"] for row in rows)
    print("targets (filter 10 s at 15,000, 300 s at 1,000,000, 8 GB; views 100 ms at 15,000): " + (
        "met" if met else "missed"))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"cpus": os.cpu_count(), "sizes": rows, "growth": growth}, indent=1) + "\n")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
