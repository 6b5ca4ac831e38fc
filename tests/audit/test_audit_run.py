"""The audit as a whole, on a backend without a kernel: order, early stops, resume, faults, findings and verdicts."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from audit_support import MemoryBackend, grading
from probe_support import FIND_TOTAL, environment

from river_envs.audit.options import AuditOptions
from river_envs.audit.run import Run
from river_envs.catalog import Catalog, open_catalog
from river_envs.environment import Environment, File, ImageRecipe, Reference
from river_envs.scoring.run import score_catalog

RIGHT = b'{"total": 4812}'
IMAGE = {"app/orders.csv": b"id,amount\n1,4812\n", "app/.expected.json": RIGHT}


def sample(name: str, **changes: object) -> Environment:
    """An environment of its own whose reference writes the right total."""
    solve = Reference("shipped", (File("solve.sh", b"/app/total.json=" + RIGHT, 0o755),))
    made = environment(FIND_TOTAL + f"\n({name})\n")
    return replace(made, name=name, reference=solve, **changes)  # type: ignore[arg-type]


def means_right(content: bytes) -> bool:
    """Whether the content is the right total in any form."""
    try:
        return bool(json.loads(content) == json.loads(RIGHT))
    except ValueError:
        return False


def judges(made: Environment):
    """The verifier that each name stands for."""
    out = "app/total.json"
    return {
        "sound": lambda files: means_right(files.get(out, b"")),
        "resisted": lambda files: means_right(files.get(out, b"")),
        "nothing": lambda files: True,
        "exists": lambda files: out in files,
        "shape": lambda files: b'"total": ' in files.get(out, b"") and files[out][10:11].isdigit(),
        "rejects": lambda files: False,
        "printed": lambda files: files.get(out, b"").startswith((b'{"total": 17,', RIGHT)),
    }[made.name]


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    made = open_catalog(tmp_path / "c.duckdb", create=True)
    environments = [sample(name) for name in ("sound", "nothing", "exists", "shape", "rejects", "printed")]
    environments.append(replace(sample("resisted"), reference=None))
    environments.append(replace(sample("unbuilt"), image=ImageRecipe("dockerfile", "FROM x\nCOPY missing /\n")))
    environments.append(replace(sample("steps"), unsupported=("multi-step",)))
    with made.writer() as writer:
        writer.add_environments(environments, [made.name for made in environments])
    return made


def run(catalog: Catalog, backend: MemoryBackend, **options: object):
    """One run of the audit over the catalog."""
    return Run(catalog, backend, AuditOptions(jobs=2, **options), grading(judges), command="river-envs audit")()  # type: ignore[arg-type]


def verdicts(catalog: Catalog) -> dict[str, tuple[str, list[str]]]:
    score_catalog(catalog)
    frame = catalog.sql(
        "SELECT e.name, v.verdict, v.causes FROM verdict v JOIN environment e ON e.id = v.environment_id"
    )
    return {row.name: (row.verdict, list(row.causes)) for row in frame.itertuples(index=False)}


EXPECTED = {
    "sound": ("defective", ["image-answer"]),  # the image ships .expected.json
    "resisted": ("defective", ["image-answer"]),
    "nothing": ("defective", ["pays-for-nothing"]),
    "exists": ("defective", ["existence-only"]),
    "shape": ("defective", ["shape-only"]),
    "rejects": ("defective", ["reference-fails"]),
    "printed": ("defective", ["printed-answer"]),
    "unbuilt": ("defective", ["build-fails"]),
    "steps": ("unverified", []),
}


def test_every_verdict_has_its_cause(catalog: Catalog):
    report = run(catalog, MemoryBackend(IMAGE))
    assert (report.environments, report.finished, report.errors) == (8, 8, 2)
    assert verdicts(catalog) == EXPECTED


def test_without_the_leak_the_sound_ones_are_sound(catalog: Catalog):
    run(catalog, MemoryBackend({"app/orders.csv": IMAGE["app/orders.csv"]}))
    found = verdicts(catalog)
    assert found["sound"] == ("sound", [])
    assert found["resisted"] == ("resisted", [])


def attempts(catalog: Catalog) -> list[tuple[object, ...]]:
    frame = catalog.sql("SELECT id, probe, arm, repeat, status, passed FROM attempt ORDER BY id")
    return list(frame.itertuples(index=False, name=None))


def test_a_second_run_does_nothing(catalog: Catalog):
    run(catalog, MemoryBackend(IMAGE))
    backend = MemoryBackend(IMAGE)
    assert run(catalog, backend).attempts == 0
    assert backend.started == 0


def test_stopped_anywhere_it_goes_on_without_repeating(catalog: Catalog, tmp_path: Path):
    run(catalog, MemoryBackend(IMAGE))
    undisturbed, expected = attempts(catalog), verdicts(catalog)
    other = open_catalog(tmp_path / "other.duckdb", create=True)
    with other.writer() as writer:
        made = catalog.load(catalog.ids())
        writer.add_environments(made, [environment.name for environment in made])
    chance, total = random.Random(3), 0
    for _ in range(200):
        left = chance.randint(1, 4)
        runner = Run(other, MemoryBackend(IMAGE), AuditOptions(jobs=2), grading(judges), command="river-envs audit")

        def countdown(progress: object, runner: Run = runner, left: int = left) -> None:
            if progress.attempts >= left:  # type: ignore[attr-defined]
                runner.stop.set()

        runner.show = countdown
        report = runner()
        total += report.attempts
        if not report.attempts:
            break
    assert attempts(other) == undisturbed
    assert total == len(undisturbed)
    assert verdicts(other) == expected


def test_a_dying_sandbox_is_tried_again_and_is_never_a_reward(catalog: Catalog):
    chance = random.Random(1)
    run(catalog, MemoryBackend(IMAGE, fail=lambda: chance.random() < 0.05))
    for _ in range(20):
        if not run(catalog, MemoryBackend(IMAGE)).attempts:
            break
    assert verdicts(catalog) == EXPECTED


def test_a_dead_backend_accuses_nobody(catalog: Catalog):
    run(catalog, MemoryBackend(IMAGE, fail=lambda: True), tries=1)
    found = verdicts(catalog)
    assert {name: verdict for name, (verdict, _) in found.items() if name not in {"unbuilt"}} == {
        name: "unverified" for name in EXPECTED if name != "unbuilt"
    }
    assert catalog.sql("SELECT count(*) AS n FROM attempt WHERE reward IS NOT NULL")["n"].iloc[0] == 0


def test_a_spent_budget_leaves_the_rest_unverified(catalog: Catalog):
    report = run(catalog, MemoryBackend(IMAGE), budget_sec=0.0)
    assert (report.attempts, report.interrupted) == (0, "the budget is spent")
    assert {verdict for verdict, _ in verdicts(catalog).values()} == {"unverified"}


def test_again_forgets(catalog: Catalog):
    run(catalog, MemoryBackend(IMAGE))
    before = attempts(catalog)
    assert run(catalog, MemoryBackend(IMAGE), again=True).attempts == len(before)
    assert attempts(catalog) == before
