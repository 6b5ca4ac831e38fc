"""Task folders for the reported failures, and what an audit said about them.

One small task stands behind all of them: add up a column, write the sum to a file. Each case changes only what its
report is about, so that a wrong verdict can have no other reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from river_envs.audit.grading import grading
from river_envs.audit.options import AuditOptions, AuditReport
from river_envs.audit.run import Run
from river_envs.catalog import Catalog, open_catalog
from river_envs.formats.ingest import ingest
from river_envs.probes.base import Effort
from river_envs.scoring.run import score_catalog

BASE = "failures/base:1"
"""A base that the backend of these tests takes for this machine's own programs, as a user vouches with an alias."""
ASK = "Add up the column `amount` of `/app/orders.csv` and write the sum, and nothing else, to `/app/total.txt`.\n"
ORDERS = "id,amount\n1,4000\n2,700\n3,112\n"
SOLVE = "awk -F, 'NR > 1 {s += $2} END {print s}' /app/orders.csv >/app/total.txt\n"
RIGHT = '[ "$(cat /app/total.txt 2>/dev/null)" = 4812 ]'
RECIPE = f"FROM {BASE}\nWORKDIR /app\nCOPY orders.csv /app/orders.csv\n"
PYTEST = "cd /tests && python3 -m pytest -q -p no:cacheprovider test_state.py"


def pays(condition: str = RIGHT) -> str:
    """A test script that writes 1 where the shell condition holds and 0 where it does not."""
    return (
        f"#!/bin/bash\nmkdir -p /logs/verifier\nif {condition}\nthen reward=1; else reward=0; fi\n"
        "echo $reward >/logs/verifier/reward.txt\n"
    )


def harbor(
    folder: Path,
    name: str,
    *,
    ask: str = ASK,
    test: str = "",
    tests: Mapping[str, str] = {},
    recipe: str = RECIPE,
    files: Mapping[str, str | bytes] = {},
    solve: str | None = SOLVE,
    verifier_sec: float = 30,
    agent_sec: float = 60,
) -> Path:
    """A Harbor task folder; without changes it is sound."""
    settings = f'schema_version = "1.1"\n[task]\nname = "failures/{name}"\n[agent]\ntimeout_sec = {agent_sec}\n'
    settings += f"[verifier]\ntimeout_sec = {verifier_sec}\n[environment]\nallow_internet = false\n"
    written: dict[str, str | bytes] = {
        "instruction.md": ask,
        "task.toml": settings,
        "environment/Dockerfile": recipe,
        "environment/orders.csv": ORDERS,
        "tests/test.sh": test or pays(),
        **{f"tests/{path}": content for path, content in tests.items()},
        **{f"environment/{path}": content for path, content in files.items()},
    }
    if solve is not None:
        written["solution/solve.sh"] = solve
    return write(folder / name, written)


def tmax(folder: Path, name: str, **changed: Any) -> Path:
    """A TMax task folder; ``changed`` replaces files, or keys of ``task.json`` given as ``task``."""
    task = {"name": name, "description": ASK, "truth": "4812", **changed.pop("task", {})}
    recipe = f"Bootstrap: docker\nFrom: {BASE}\n%files\n/gen/{name}/fixtures/orders.csv /app/orders.csv\n"
    recipe += "%post\nmkdir -p /app\n"
    files = {
        "task.json": json.dumps(task),
        "container.def": recipe,
        "test_final_state.py": "def test_sum():\n    assert open('/app/total.txt').read().strip() == '4812'\n",
        "fixtures/orders.csv": ORDERS,
        **changed,
    }
    return write(folder / name, files)


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below ``folder``."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@dataclass(frozen=True)
class Audited:
    """A catalog after ingest, audit and score."""

    catalog: Catalog
    report: AuditReport

    def rows(self, query: str, name: str) -> list[dict[str, Any]]:
        """The rows of a query with ``{id}`` for the environment called ``name``."""
        found = self.catalog.sql(f"SELECT id FROM environment WHERE name = 'failures/{name}' OR name = '{name}'")
        (identifier,) = found["id"].tolist()
        return self.catalog.sql(query.format(id=identifier)).to_dict("records")

    def verdict(self, name: str) -> tuple[str, list[str]]:
        """The verdict and its causes."""
        (row,) = self.rows("SELECT verdict, causes FROM verdict WHERE environment_id = '{id}'", name)
        return row["verdict"], list(row["causes"])

    def reasons(self, name: str) -> str:
        """The sentences that explain the verdict."""
        (row,) = self.rows("SELECT reasons FROM verdict WHERE environment_id = '{id}'", name)
        return "; ".join(row["reasons"])

    def findings(self, name: str) -> list[dict[str, Any]]:
        """The findings, ranking or not."""
        return self.rows("SELECT * FROM finding WHERE environment_id = '{id}' ORDER BY probe", name)

    def leads(self, name: str) -> list[dict[str, Any]]:
        """What suggests a cause and proves nothing."""
        return self.rows("SELECT * FROM leads_view WHERE environment_id = '{id}' ORDER BY rule, path, line", name)

    def attempts(self, name: str, probe: str | None = None) -> list[dict[str, Any]]:
        """The attempts (of one probe), in order."""
        found = self.rows("SELECT * FROM attempt WHERE environment_id = '{id}' ORDER BY probe, repeat, arm", name)
        return [row for row in found if probe in (None, row["probe"])]

    def statuses(self, name: str, probe: str) -> set[str]:
        """How the attempts of a probe ended."""
        return {row["status"] for row in self.attempts(name, probe)}

    def probes(self, name: str) -> dict[str, tuple[str, str]]:
        """Every probe's status and reason."""
        found = self.rows("SELECT probe, status, reason FROM probe_result WHERE environment_id = '{id}'", name)
        return {row["probe"]: (row["status"], row["reason"]) for row in found}

    def score(self, name: str) -> dict[str, Any]:
        """The numbers and their intervals."""
        (row,) = self.rows("SELECT * FROM score WHERE environment_id = '{id}'", name)
        return row


Audit = Callable[..., Audited]


def audit(backend: Any, folder: Path, catalog: Path, effort: Effort = "quick", jobs: int = 2) -> Audited:
    """Ingest the task folders below ``folder``, audit them, score them."""
    opened = open_catalog(catalog, create=True)
    ingest(opened, [folder])
    report = Run(opened, backend, AuditOptions(effort=effort, jobs=jobs), grading, command="river-envs audit")()
    score_catalog(opened)
    return Audited(opened, report)


def interval(row: Mapping[str, Any], name: str) -> Sequence[float]:
    """The low end, the value and the high end of one number of a score."""
    return row[f"{name}_low"], row[name], row[f"{name}_high"]
