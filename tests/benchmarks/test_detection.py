"""What the audit says of river-mini, against its labels. Only this test and the benchmark read them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROVABLE = {
    "pays-for-nothing",
    "existence-only",
    "printed-answer",
    "image-answer",
    "reference-fails",
    "flaky",
    "build-fails",
    "verifier-crashes",
    "no-reward-file",
    "needs-network",
    "too-slow",
}
"""Causes that the present probes must name."""


def benchmark():
    spec = importlib.util.spec_from_file_location("detection", ROOT / "benchmarks" / "detection.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["detection"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """River-mini through the demo, on real namespaces, joined with its labels."""
    folder = tmp_path_factory.mktemp("demo") / "out"
    command = [
        str(Path(sys.executable).with_name("river-envs")),
        "demo",
        "--json",
        "-o",
        str(folder),
        "--backend",
        "bubblewrap",
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=900)
    return benchmark().read(folder / "river.duckdb", ROOT / "catalogs" / "river-mini" / "labels.csv")


@pytest.mark.sandbox
@pytest.mark.timeout(900)
class TestRiverMini:
    def test_no_sound_environment_is_called_defective(self, rows):
        assert [row.name for row in rows if row.sound and row.verdict == "defective"] == []

    def test_every_sound_environment_is_verified(self, rows):
        unverified = [(row.name, row.verdict) for row in rows if row.sound and row.verdict not in {"sound", "resisted"}]
        assert unverified == []

    def test_every_provable_cause_is_named(self, rows):
        missed = [
            (row.name, row.cause, row.verdict, row.causes) for row in rows if row.cause in PROVABLE and not row.named
        ]
        assert missed == []


def test_intervals():
    module = benchmark()
    low, high = module.wilson(0, 30)
    assert low == 0
    assert 0.1 < high < 0.13
    assert module.wilson(3, 3)[0] == pytest.approx(0.4385, abs=1e-3)
