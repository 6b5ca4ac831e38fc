"""How fast attempts are, and what a sandbox costs over running the same verifier bare.

    python benchmarks/speed.py                          # both backends, where they work here
    python benchmarks/speed.py --backend bubblewrap --attempts 100

One attempt is what the audit does: start a sandbox, put an answer, grade it by Harbor's rules, destroy. *Bare* is the
same script in the same file system without any of that: run again and again in one sandbox that stays, timed inside it.
Bare runs and attempts take turns in one process, so that their ratio means something on a busy machine too; absolute
numbers do not travel. Writes benchmarks/results/speed.json.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from river_envs.environment import Environment, File, ImageRecipe, RiverError, Verifier
from river_envs.sandbox import open_backend
from river_envs.sandbox.base import Backend, BackendOptions, Image, Sandbox
from river_envs.verifier import grade

RESULTS = Path(__file__).resolve().parent / "results" / "speed.json"
TESTS = b"""
from pathlib import Path

ANSWER = Path("/var/tmp/river-speed-answer.txt")

def test_there():
    assert ANSWER.exists()

def test_value():
    assert ANSWER.read_text().strip() == "42"
"""
PYTEST = b"""cd /; export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
python3 -m pytest -q -p no:cacheprovider /tests/test_state.py
if [ $? -eq 0 ]; then echo 1 >/logs/verifier/reward.txt; else echo 0 >/logs/verifier/reward.txt; fi
"""
TRIVIAL = b"echo 1 >/logs/verifier/reward.txt\n"
ANSWER = File("var/tmp/river-speed-answer.txt", b"42\n")


def environment(script: bytes) -> Environment:
    """A task with this verifier."""
    files = (File("test.sh", script, 0o755), File("test_state.py", TESTS))
    verifier = Verifier("harbor", files, "test.sh")
    return Environment("speed", "benchmark", "harbor", "", ImageRecipe("prebuilt"), verifier)


def attempt(backend: Backend, image: Image, task: Environment) -> float:
    """Seconds of one whole attempt."""
    began = time.perf_counter()
    with backend.start(image) as sandbox:
        sandbox.put([ANSWER])
        outcome = grade(sandbox, task, per_test=False)
    if outcome.passed is not True:
        raise RiverError(f"the attempt did not pass: {outcome.status} {outcome.detail} {outcome.log[-500:]}")
    return time.perf_counter() - began


def bare(sandbox: Sandbox, count: int = 1) -> float:
    """Seconds of one bare run, the mean of ``count``, by the clock inside."""
    script = f"""s=$(date +%s%N); for i in $(seq {count}); do bash /tests/test.sh >/dev/null 2>&1; done
        echo $(($(date +%s%N) - s))"""
    result = sandbox.exec(["bash", "-c", script], timeout_sec=600)
    return int(result.text.split()[-1]) / 1e9 / count


def prepared(backend: Backend, image: Image, task: Environment) -> Sandbox:
    """A sandbox in which the verifier can be run again and again."""
    sandbox = backend.start(image)
    sandbox.put([ANSWER])
    sandbox.put(task.verifier.files, "/tests")
    sandbox.exec(["mkdir", "-p", "/logs/verifier"], timeout_sec=60)
    return sandbox


def bare_rate(backend: Backend, image: Image, task: Environment, count: int, threads: int) -> float:
    """Bare runs per second, ``threads`` at a time, each in a sandbox of its own that stays."""
    places = [prepared(backend, image, task) for _ in range(threads)]
    try:
        with ThreadPoolExecutor(threads) as pool:
            return sum(1 / seconds for seconds in pool.map(lambda place: bare(place, count // threads), places))
    finally:
        for place in places:
            place.destroy()


def attempt_rate(backend: Backend, image: Image, task: Environment, count: int, threads: int) -> float:
    """Attempts per second, ``threads`` at a time."""
    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda _: attempt(backend, image, task), range(count)))
    return count / (time.perf_counter() - began)


def measure(backend: Backend, image: Image, script: bytes, attempts: int) -> dict[str, float]:
    """Medians of runs and attempts that alternate, then rates on all cores."""
    task = environment(script)
    cores = os.cpu_count() or 1
    attempt(backend, image, task)
    with prepared(backend, image, task) as place:
        bare(place)
        pairs = [(bare(place), attempt(backend, image, task)) for _ in range(attempts)]
    bare_median, median = (statistics.median(column) for column in zip(*pairs, strict=True))
    bare_per_second = bare_rate(backend, image, task, attempts, cores)
    per_second = attempt_rate(backend, image, task, attempts, cores)
    return {
        "bare_ms": round(bare_median * 1e3, 2),
        "attempt_ms": round(median * 1e3, 2),
        "overhead_ms": round(statistics.median(whole - part for part, whole in pairs) * 1e3, 2),
        "attempts_per_second": round(per_second, 2),
        "bare_per_second": round(bare_per_second, 2),
        "share_of_bare": round(per_second / bare_per_second, 3),
        "cores": cores,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure attempts per second and the overhead per attempt.")
    parser.add_argument("--backend", action="append", choices=["bubblewrap", "docker"])
    parser.add_argument("--attempts", type=int, default=40)
    parser.add_argument("--base", default="river-base:1", help="the Docker image; it needs python3 with pytest")
    given = parser.parse_args()
    results: dict[str, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as store:
        for name in given.backend or ["bubblewrap", "docker"]:
            base = given.base if name == "docker" else "host"
            try:
                backend = open_backend(name, BackendOptions(store=store))
                image = backend.build(ImageRecipe("dockerfile", f"FROM {base}\n"), network=False)
            except RiverError as error:
                print(f"{name}: left out: {error}", file=sys.stderr)
                continue
            try:
                results[name] = {
                    "pytest": measure(backend, image, PYTEST, given.attempts),
                    "trivial": measure(backend, image, TRIVIAL, given.attempts),
                }
            finally:
                backend.close()
            for verifier, row in results[name].items():
                print(f"{name:11}{verifier:8} bare {row['bare_ms']:8.1f} ms  attempt {row['attempt_ms']:8.1f} ms  "
                      f"overhead {row['overhead_ms']:7.1f} ms  {row['attempts_per_second']:6.2f} attempts/s on "
                      f"{row['cores']} cores, {row['share_of_bare']:.0%} of bare")
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    print(f"written to {RESULTS.relative_to(Path.cwd()) if RESULTS.is_relative_to(Path.cwd()) else RESULTS.name}")
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
