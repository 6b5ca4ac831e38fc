import shutil
from pathlib import Path

import pytest

from river_envs.catalog import Catalog, open_catalog
from river_envs.environment import Environment, File, ImageRecipe, Metadata, Reference, Verifier
from river_envs.outcome import Outcome, Status, TestResult
from river_envs.probes.base import Attempt, Copy, Put, Restore, Result, Run, Solve, Step
from river_envs.sandbox.base import Change, Delta

HOSTILE = "bad \udc80 name \x00 \x1b[31mred"


class Build:
    """Small real values, numbered."""

    hostile = HOSTILE

    def environment(self, number: int, **changes: object) -> Environment:
        files = (File("tests/test_it.py", f"def test_{number}(): pass\n".encode()), File("data.bin", b"\xff\x00shared"))
        fields: dict = {
            "name": f"task-{number:03}",
            "source": "corpus",
            "format": "harbor",
            "instruction": f"Write {number} to /app/answer.txt",
            "image": ImageRecipe("dockerfile", "FROM ubuntu:22.04\n", (File("run.sh", b"#!/bin/sh\n", 0o755),)),
            "verifier": Verifier("harbor", (*files, File("link", link="data.bin")), "test.sh"),
            "reference": Reference("shipped", (File("solve.sh", f"echo {number}".encode(), 0o755),)),
            "metadata": Metadata(
                domain=("security", "databases", "networking")[number % 3],
                verifier_kind=("pytest", "script")[number % 2],
                keywords=("a", "b"),
            ),
        }
        return Environment(**(fields | changes))

    def result(self, environment_id: str, *, probe: str = "control", repeat: int = 0, reward: float | None = 0.0,
               status: Status = Status.GRADED, size: int = 3, **facts: object) -> Result:
        attempt = Attempt(
            environment_id, probe, 1, "probe", repeat,
            (Put((File("answer.txt", b"x" * size), File("raw", b"\xff\xfe")), "/app"), Run("true"), Copy("/a", "/b"),
             Solve(), Restore()),
            "Would it pay?", {"tuple": (1, "two"), "nested": {"$odd": [1.5, None]}, "bytes": b"\x00\xff", **facts},
        )
        graded = status is Status.GRADED
        outcome = Outcome(
            status, reward if graded else None, reward == 1.0 if graded else None, {"reward": reward} if graded else {},
            (TestResult("test_a", "passed"), TestResult("test_b", "failed", HOSTILE)), f"log {HOSTILE}", 0, 1.25,
            "" if graded else "the sandbox died", ("base ubuntu:22.04 is host",),
        )
        return Result(attempt, outcome, (Step({"solve": True}, True, 0, HOSTILE, 0.5),), None, False)

    def delta(self, text: bytes = b"42\n") -> Delta:
        return Delta(
            (
                Change("app", "directory", 0o755),
                Change("app/answer.txt", "file", 0o600, 1000, 1000, text, mtime=1700000000),
                Change("app/gone", "deleted"),
                Change("app/l\udc80nk", "link", 0o777, link="/etc/\udcffpasswd"),
                Change("app/raw", "file", content=b"\x00\xff\n" * 1000),
            ),
            ("app/socket",),
        )


@pytest.fixture
def build() -> Build:
    return Build()


@pytest.fixture(scope="session")
def empty(tmp_path_factory) -> Path:
    """An empty catalog to copy: faster than making one each time."""
    return open_catalog(tmp_path_factory.mktemp("empty") / "river.duckdb", create=True).path


@pytest.fixture
def catalog(tmp_path, empty) -> Catalog:
    return open_catalog(shutil.copy(empty, tmp_path / "river.duckdb"))


@pytest.fixture
def filled(catalog, build) -> Catalog:
    """Five environments, ingested."""
    with catalog.writer() as writer:
        environments = [build.environment(number) for number in range(5)]
        writer.add_environments(environments, [f"corpus/{environment.name}" for environment in environments])
    return catalog
