"""What an audit costs beside the verifiers that it runs: wall-clock against attempts × bare verifier time.

    python -m benchmarks.audit_cost                      # one world of each of 20 families, standard effort
    python -m benchmarks.audit_cost --corpus DIR --environments 40

*Bare* is the verifier's script alone on the same states: after an audit, the work of each of its attempts is done once
more, then the script is run and timed inside the sandbox, without starting it, putting tests in, reading rewards,
recording. The audit's time is everything: building images, looking at them, planning, working, grading, recording. Both
take turns in groups of a few environments and use as many workers, so that their ratio means something on a busy
machine too. Writes
benchmarks/results/audit_cost.json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from river_cli.commands.demo import ALIASES
from river_cli.workshop import workshop
from river_envs.audit.attempt import Workplace, run_attempt
from river_envs.audit.options import AuditOptions
from river_envs.audit.run import Run
from river_envs.catalog import Catalog, open_catalog
from river_envs.environment import Environment
from river_envs.formats.ingest import ingest
from river_envs.outcome import Outcome, Status
from river_envs.sandbox.base import Backend, Sandbox
from river_envs.verify.conditions import Conditions

RESULTS = Path(__file__).resolve().parent / "results" / "audit_cost.json"
GROUP = 5


@dataclass(frozen=True)
class Cost:
    """Of one group: the audit's seconds, and what its attempts' verifiers would have cost bare."""

    attempts: int
    audit_sec: float
    bare_sec: float

    @property
    def ratio(self) -> float:
        return self.audit_sec / self.bare_sec


class Script:
    """Grades by running the verifier's script, and remembers how long each run took, by the clock inside."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, sandbox: Sandbox, environment: Environment, /, *, conditions: Conditions = ()) -> Outcome:
        sandbox.put(environment.verifier.files, "/tests")
        sandbox.exec(["mkdir", "-p", "/logs/verifier"], timeout_sec=60)
        entry = environment.verifier.entry
        script = f"s=$(date +%s%N); bash /tests/{entry} >/dev/null 2>&1; echo $(($(date +%s%N) - s))"
        limit = environment.verifier.timeout_sec
        done = sandbox.exec(["bash", "-c", script], cwd=sandbox.image.workdir, timeout_sec=limit)
        self.seconds.append(limit if done.timed_out else int(done.text.split()[-1]) / 1e9)
        return Outcome(Status.GRADED, reward=0.0)


def bare(catalog: Catalog, backend: Backend, environment: Environment) -> float:
    """Seconds of the verifier's script on the states of all recorded attempts."""
    recorded = catalog.results([environment.id]).get(environment.id, [])
    kept = next((result.delta for result in recorded if result.delta), None)
    start = catalog.delta(kept) if kept else None
    script = Script()
    place = Workplace(backend, backend.build(environment.image), script)
    for result in recorded:
        run_attempt(place, environment, result.attempt, start)
    return sum(script.seconds)


def groups(catalog: Catalog, most: int) -> Iterator[list[Environment]]:
    """The first ``most`` environments in groups."""
    ids = catalog.ids()[:most]
    for start in range(0, len(ids), GROUP):
        yield list(catalog.load(ids[start : start + GROUP]))


def measure(catalog: Catalog, most: int, effort: Any, jobs: int) -> list[Cost]:
    """Audit a group, run its verifiers bare, and so on."""
    costs = []
    with workshop("bubblewrap", ALIASES) as (backend, grading), ThreadPoolExecutor(jobs) as pool:
        for group in groups(catalog, most):
            names = ", ".join(f"'{environment.id}'" for environment in group)
            options = AuditOptions(only=f"id IN ({names})", effort=effort, jobs=jobs)
            began = time.perf_counter()
            Run(catalog, backend, options, grading, command="benchmark")()
            seconds = time.perf_counter() - began
            whole = sum(pool.map(lambda environment: bare(catalog, backend, environment), group))
            attempts = sum(len(found) for found in catalog.results([environment.id for environment in group]).values())
            costs.append(Cost(attempts, seconds, whole / jobs))
            print(f"{costs[-1].attempts:4} attempts: audit {seconds:6.1f} s, bare {costs[-1].bare_sec:6.1f} s,"
                  f" ratio {costs[-1].ratio:.2f}", flush=True)
    return costs


def summary(costs: Sequence[Cost]) -> dict[str, float]:
    """The ratio over all groups, and the spread of the groups."""
    audit, plain = sum(cost.audit_sec for cost in costs), sum(cost.bare_sec for cost in costs)
    ratios = sorted(cost.ratio for cost in costs)
    return {
        "attempts": sum(cost.attempts for cost in costs),
        "audit_sec": round(audit, 2),
        "bare_sec": round(plain, 2),
        "ratio": round(audit / plain, 3),
        "least_ratio_of_a_group": round(ratios[0], 3),
        "median_ratio_of_the_groups": round(statistics.median(ratios), 3),
        "largest_ratio_of_a_group": round(ratios[-1], 3),
    }


def main() -> None:
    """The command line."""
    from benchmarks.worlds import families
    from benchmarks.worlds.build import build

    parser = argparse.ArgumentParser(description="Measure what an audit costs beside its verifiers.")
    parser.add_argument("--corpus", type=Path, help="another corpus than worlds made for this")
    parser.add_argument("--environments", type=int, default=20)
    parser.add_argument("--effort", default="standard")
    parser.add_argument("--jobs", type=int, default=1, help="one: groups of unequal environments leave workers idle")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = options.corpus or Path(folder) / "worlds"
        if options.corpus is None:
            names = [family.name for family in families()][:: max(1, len(families()) // options.environments)]
            build(corpus, per_family=1, seed=options.seed, names=names)
        catalog = open_catalog(Path(folder) / "cost.duckdb", create=True)
        ingest(catalog, [corpus])
        figures = summary(measure(catalog, options.environments, options.effort, options.jobs))
    print(f"an audit costs {figures['ratio']:.2f} × its attempts' bare verifier time ({figures['attempts']} attempts)")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps({"jobs": options.jobs, "effort": options.effort, **figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
