"""How fast a corpus of TMax's size is ingested, how much memory that takes, and what ingesting it again costs.

    python benchmarks/ingest.py [--environments 14600]

Makes a corpus of TMax directories with fixtures in a temporary directory, ingests it twice into a new catalog, each
time in a process of its own (so that the peak memory is that of one ingest), and writes
benchmarks/results/ingest.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "ingest.json"
SECONDS_FIRST, SECONDS_AGAIN, MEGABYTES = 60, 20, 2048

TASK = """Bootstrap: docker
From: ubuntu:22.04

%files
    /build/corpus/{name}/fixtures/records.csv /app/fixtures/records.csv
    /build/corpus/{name}/fixtures/notes.txt /app/fixtures/notes.txt

%post
    apt-get update && apt-get install -y python3 python3-pip
    pip3 install pytest
    mkdir -p /home/user/work && chmod -R 777 /home/user
    echo {number} > /home/user/work/seed
"""

VERIFIER = """import json
from pathlib import Path

EXPECTED = {expected}


def test_report_exists():
    assert Path("/home/user/work/report.json").is_file()


def test_total_is_right():
    report = json.loads(Path("/home/user/work/report.json").read_text())
    assert report["total"] == EXPECTED
"""


def make_corpus(root: Path, environments: int) -> int:
    """Write the corpus; returns its size in bytes. Seven files a task, about 14 kB, as in the published one."""
    dice = random.Random(0)
    size = 0
    for number in range(environments):
        name = f"task_{number:06d}_{dice.getrandbits(32):08x}"
        rows = [dice.randrange(10_000) for _ in range(400)]
        files = {
            "task.json": json.dumps({
                "name": name, "domain": "data_processing", "skill_type": "aggregation",
                "primitive_skills": ["csv", "sum"],
                "task_complexity": "moderate: several steps", "command_complexity": "bash and code: some of both",
                "scenario": "a ledger", "language": "python", "anchor": None, "verifier_kind": "exact_text",
                "fixture_kind": "text_only", "corpus_kind": "v2", "base_image": None,
                "description": f"Sum column amount of /app/fixtures/records.csv into report.json. Case {number}. " * 12,
                "truth": f"total = {sum(rows)}",
            }),
            "container.def": TASK.format(name=name, number=number),
            "test_final_state.py": VERIFIER.format(expected=sum(rows)),
            "test_initial_state.py": "def test_seed():\n    assert open('/home/user/work/seed').read()\n",
            "setup.sh": "#!/bin/sh\nmkdir -p /home/user/work\n",
            "fixtures/records.csv": "id,amount\n" + "".join(f"{i},{amount}\n" for i, amount in enumerate(rows)),
            "fixtures/notes.txt": f"ledger {number}\n" + "as delivered\n" * 200,
        }
        (root / name / "fixtures").mkdir(parents=True)
        for path, text in files.items():
            (root / name / path).write_text(text)
            size += len(text)
    return size


def ingest_once(corpus: str, catalog: str) -> dict[str, float]:
    """One ingest, measured in this process."""
    from river_envs.catalog import open_catalog
    from river_envs.formats.ingest import ingest

    started = time.perf_counter()
    report = ingest(open_catalog(catalog, create=True), [corpus])
    return {
        "seconds": round(time.perf_counter() - started, 2),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        **{word: report.counts[word] for word in ("ingested", "unchanged", "duplicate", "unsupported", "rejected")},
    }


def measure(environments: int) -> dict[str, object]:
    """The whole benchmark."""
    with tempfile.TemporaryDirectory(prefix="river-ingest-") as folder:
        corpus = Path(folder) / "corpus"
        size = make_corpus(corpus, environments)
        catalog = Path(folder) / "river.duckdb"
        runs = []
        for _ in range(2):
            command = [sys.executable, __file__, "--worker", str(corpus), str(catalog)]
            runs.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        first, again = runs
        return {
            "environments": environments,
            "corpus_mb": round(size / 1e6, 1),
            "catalog_mb": round(catalog.stat().st_size / 1e6, 1),
            "cpus": os.cpu_count(),
            "first": first,
            "again": again,
            "environments_per_second": round(environments / first["seconds"]),
            "again_to_first": round(again["seconds"] / first["seconds"], 3),
            "within_target": first["seconds"] < SECONDS_FIRST
            and again["seconds"] < SECONDS_AGAIN
            and max(first["peak_mb"], again["peak_mb"]) < MEGABYTES,
        }


def main() -> None:
    """Run, print and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", type=int, default=14_600)
    parser.add_argument("--worker", nargs=2, metavar=("CORPUS", "CATALOG"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(ingest_once(*options.worker)))
        return
    result = measure(options.environments)
    first, again = result["first"], result["again"]
    for name, run in (("first", first), ("again", again)):
        print(f"{name}  {run['seconds']:6.1f} s  {run['peak_mb']:5d} MB")
    print(f"{result['environments_per_second']} environments a second, the second run {result['again_to_first']} of it")
    print(f"targets (60 s, 20 s, 2,048 MB): {'met' if result['within_target'] else 'missed'}")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
