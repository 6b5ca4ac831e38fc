"""Small tasks of every format, as files to write into a temporary directory."""

from __future__ import annotations

import json
from pathlib import Path

from river_envs.formats.base import Bounds, Item
from river_envs.formats.detect import read_all

TASK_TOML = """
schema_version = "1.1"
[task]
name = "tests/adder"
keywords = ["math"]
[metadata]
domain = "data_science"
task_complexity = "moderate: a few steps that depend on each other"
command_complexity = "bash, code, and system: everything"
primitive_skills = ["csv"]
[agent]
timeout_sec = 300
[verifier]
timeout_sec = 45
[environment]
cpus = 2
memory_mb = 1024
"""
RECIPE = """Bootstrap: docker
From: ubuntu:22.04

%files
    /build/out/task_1/fixtures/data.csv /app/fixtures/data.csv

%post
    mkdir -p /home/user
"""


def write_tree(root: Path, files: dict[str, str | bytes]) -> Path:
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def harbor_files(**changed: str | bytes | None) -> dict[str, str | bytes]:
    files: dict[str, str | bytes | None] = {
        "instruction.md": "Add the numbers.\n",
        "task.toml": TASK_TOML,
        "environment/Dockerfile": "FROM ubuntu:22.04\nCOPY data /data\n",
        "environment/data/numbers.txt": "1 2 3\n",
        "tests/test.sh": "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n",
        "solution/solve.sh": "#!/bin/bash\necho 6 > /tmp/sum\n",
    }
    files.update({name.replace("__", "/"): value for name, value in changed.items()})
    return {path: content for path, content in files.items() if content is not None}


def tmax_files(task: dict[str, object] | None = None, **changed: str | bytes | None) -> dict[str, str | bytes]:
    described = {"name": "task_1", "description": "Sum the csv.", "truth": "total = 3", **(task or {})}
    files: dict[str, str | bytes | None] = {
        "task.json": json.dumps(described),
        "container.def": RECIPE,
        "test_final_state.py": "def test_it():\n    assert True\n",
        "test_initial_state.py": "def test_it():\n    assert True\n",
        "fixtures/data.csv": "1,2\n",
        "setup.sh": "true\n",
        "solutions/model_summary.json": "{}",
    }
    files.update(changed)
    return {path: content for path, content in files.items() if content is not None}


def terminal_bench_files(**changed: str | bytes | None) -> dict[str, str | bytes]:
    files: dict[str, str | bytes | None] = {
        "task.yaml": "instruction: |-\n  Make a file.\ndifficulty: easy\ncategory: files\ntags: [files]\n"
        "parser_name: pytest\nmax_agent_timeout_sec: 360.0\nmax_test_timeout_sec: 60.0\n",
        "Dockerfile": "FROM python:3.12-slim\nWORKDIR /app\n",
        "run-tests.sh": "#!/bin/bash\npython3 -m pytest $TEST_DIR/test_outputs.py -rA\n",
        "tests/test_outputs.py": "def test_it():\n    assert True\n",
        "solution.sh": "#!/bin/bash\ntouch /app/file\n",
    }
    files.update(changed)
    return {path: content for path, content in files.items() if content is not None}


def read_one(path: Path, format: str = "auto", bounds: Bounds | None = None) -> Item:
    items = list(read_all([path], format, bounds))
    assert len(items) == 1, items
    return items[0]
