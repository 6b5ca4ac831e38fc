"""A small sound task of each sort, with the state of its reference made by hand where no sandbox is needed."""

from __future__ import annotations

import json

import pytest

from river_envs.environment import Environment, File, ImageRecipe, Metadata, Reference, Verifier
from river_envs.plant import Call, Observed
from river_envs.plant.subject import Subject
from river_envs.sandbox.base import Change, Delta

SCRIPT = """#!/bin/bash
mkdir -p /logs/verifier
cd /tests
if python3 -m pytest -q -p no:cacheprovider test_final_state.py; then
    echo 1 > /logs/verifier/reward.txt
else
    echo 0 > /logs/verifier/reward.txt
fi
"""
TESTS = '''"""The report must agree with the verifier's own copy of the sales."""
import json
from pathlib import Path


def wanted():
    rows = [line.split(",") for line in Path("/tests/sales.csv").read_text().splitlines()[1:]]
    return {"total": sum(int(amount) for _, amount in rows), "best": max(rows, key=lambda row: int(row[1]))[0]}


def test_keys():
    assert set(json.loads(Path("/app/report.json").read_text())) == {"total", "best"}


def test_report():
    given = json.loads(Path("/app/report.json").read_text())
    assert given["total"] == wanted()["total"]
    assert given["best"] == wanted()["best"]
'''
SALES = b"region,amount\nnorth,41\nsouth,57\nwest,38\neast,12\n"
SOLVE = """#!/bin/bash
python3 - <<'EOF'
import json
rows = [line.split(",") for line in open("/app/sales.csv").read().splitlines()[1:]]
best = max(rows, key=lambda row: int(row[1]))[0]
json.dump({"total": sum(int(row[1]) for row in rows), "best": best}, open("/app/report.json", "w"))
EOF
"""
INSTRUCTION = (
    "Read `/app/sales.csv` and write `/app/report.json`, an object with the keys `total` (the sum of all amounts) and"
    " `best` (the region with the largest amount).\n"
)
PROGRAM = """#!/usr/bin/env python3
import sys

for line in sys.stdin:
    print(line.strip()[::-1].upper())
"""
PROGRAM_TESTS = '''"""Lines are reversed and put in upper case."""
import subprocess


def run(lines):
    given = "\\n".join(lines) + "\\n"
    done = subprocess.run(["python3", "/app/mirror.py"], input=given, capture_output=True, text=True)
    assert done.returncode == 0
    return done.stdout.split()


def test_words():
    assert run(["abc", "Quick", "brown", "fox", "jumps"]) == ["CBA", "KCIUQ", "NWORB", "XOF", "SPMUJ"]


def test_digits():
    assert run(["a1b2", "z9"]) == ["2B1A", "9Z"]
'''
PROGRAM_INSTRUCTION = (
    "Write `/app/mirror.py`, run as `python3 /app/mirror.py`: it uses `sys.stdin`, reading `line` by `line`, and prints"
    " each one reversed and in upper case.\n"
)


def environment(name, instruction, tests, solve, fixtures=(), own=()):
    """A Harbor task on this machine's own programs."""
    copies = "".join(f"COPY {file.path} /app/{file.path}\n" for file in fixtures)
    text = f"FROM host\nRUN mkdir -p /app\nWORKDIR /app\n{copies}"
    files = (File("test.sh", SCRIPT.encode(), 0o755), File("test_final_state.py", tests.encode()), *own)
    return Environment(
        name=name,
        source="tests",
        format="harbor",
        instruction=instruction,
        image=ImageRecipe("dockerfile", text, tuple(fixtures)),
        verifier=Verifier("harbor", files, "test.sh", 60.0),
        reference=Reference("shipped", (File("solve.sh", solve.encode(), 0o755),)),
        metadata=Metadata(domain="data_processing", verifier_kind="exact_text"),
    )


@pytest.fixture(scope="session")
def report():
    """A task with one JSON document."""
    sales = File("sales.csv", SALES)
    return environment("tests/report", INSTRUCTION, TESTS, SOLVE, (sales,), (sales,))


@pytest.fixture(scope="session")
def mirror():
    """A task with one program."""
    solve = f"#!/bin/bash\ncat > /app/mirror.py <<'EOF'\n{PROGRAM}EOF\nchmod 755 /app/mirror.py\n"
    return environment("tests/mirror", PROGRAM_INSTRUCTION, PROGRAM_TESTS, solve)


@pytest.fixture(scope="session")
def report_subject(report):
    """The document task and its state."""
    content = json.dumps({"total": 148, "best": "south"}).encode()
    return Subject(report, Delta((Change("app/report.json", "file", content=content),)), Observed())


@pytest.fixture(scope="session")
def mirror_subject(mirror):
    """The program task, its state, and two calls."""
    calls = (
        Call("/app/mirror.py", "python3", (), "abc\nQuick\nbrown\nfox\njumps\n", "CBA\nKCIUQ\nNWORB\nXOF\nSPMUJ\n", 0),
        Call("/app/mirror.py", "python3", (), "a1b2\nz9\n", "2B1A\n9Z\n", 0),
    )
    change = Change("app/mirror.py", "file", 0o755, content=PROGRAM.encode())
    return Subject(mirror, Delta((change,)), Observed(calls))


@pytest.fixture(scope="session")
def workshop(bubblewrap_backend):
    """A workshop on real namespaces."""
    from river_envs.audit.grading import grading
    from river_envs.audit.options import AuditOptions
    from river_envs.plant.workshop import Workshop

    return Workshop(bubblewrap_backend, grading(bubblewrap_backend, AuditOptions()))
