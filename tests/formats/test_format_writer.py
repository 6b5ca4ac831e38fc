"""Writing Harbor directories: round trips, wrappers that really run, and what cannot be written."""

import os
import subprocess
import sys
import tomllib
from dataclasses import replace

import pytest
from formats.format_tasks import TASK_TOML, harbor_files, read_one, terminal_bench_files, tmax_files, write_tree

from river_envs.environment import Environment, File, ImageRecipe, Reference, RiverError, Verifier
from river_envs.formats.base import Found
from river_envs.formats.writer import harbor_name, write_files, write_harbor


def read_environment(path) -> Environment:
    item = read_one(path)
    assert isinstance(item, Found), item
    return item.environment


RICH = TASK_TOML + """
workdir = "/app"
network_mode = "allowlist"
allowed_hosts = ["a.org"]
docker_image = "org/image:1"
[environment.env]
QUOTED = 'a "b" \\ c'
NESTED = "${X:-${Y}}"
DOLLAR = "$HOME ${HOME}x"
EMPTY = ""
[verifier.env]
V = "ü\\u007f"
[solution.env]
S = "1"
"""


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"task.toml": RICH},
        {"task.toml": '[agent]\nuser = 1000\n[verifier]\nuser = "judge"\ntimeout_sec = 0.5\n'},
        {"solution/solve.sh": None},
        {"instruction.md": "no newline\r\nwindows line\tümlaut"},
        {"environment/Dockerfile": None, "task.toml": '[environment]\ndocker_image = "org/image:1"\n'},
        {"task.toml": '[metadata]\nreward_key = "accuracy"\n[environment]\ncpus = 0.5\nallow_internet = false\n'},
        {"tests/data/binary": bytes(range(256)), "environment/a b/ü.txt": "x"},
    ],
)
def test_round_trip_keeps_the_id(tmp_path, changed):
    source = write_tree(tmp_path / "source", harbor_files(**changed))
    (source / "tests/run").write_text("#!/bin/sh\n")
    (source / "tests/run").chmod(0o755)
    (source / "tests/link").symlink_to("run")
    environment = read_environment(source)
    written = read_environment(write_harbor(environment, tmp_path / "written"))
    assert written.id == environment.id
    assert written.limits == environment.limits
    assert replace(written.metadata, corpus_kind=None) == replace(environment.metadata, corpus_kind=None)


def test_tmax_becomes_a_harbor_task(tmp_path):
    task = {"domain": "debugging", "verifier_kind": "exact_text", "truth": "the answer is 42"}
    environment = read_environment(write_tree(tmp_path / "task_1", tmax_files(task)))
    folder = write_harbor(environment, tmp_path / "out")
    written = read_environment(folder)
    assert written.instruction == environment.instruction
    assert written.image.text.startswith("FROM ubuntu:22.04")
    assert (folder / "environment/fixtures/data.csv").read_text() == "1,2\n"
    assert written.verifier.timeout_sec == environment.verifier.timeout_sec
    assert written.metadata.verifier_kind == "exact_text"
    assert b"42" not in b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    settings = tomllib.loads((folder / "task.toml").read_text())
    assert settings["schema_version"] == "1.1"
    assert settings["task"]["name"] == "river/task_1"
    assert settings["metadata"]["river_id"] == environment.id
    assert os.access(folder / "tests/test.sh", os.X_OK)


def run_verifier(folder, tmp_path) -> str:
    """Run tests/test.sh with the container's paths moved below ``tmp_path``."""
    script = (folder / "tests/test.sh").read_text()
    script = script.replace("/logs", str(tmp_path / "logs")).replace("/tests", str(folder / "tests"))
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"  # noqa: PTH120
    variables = {"PATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(["bash", "-c", script], check=False, capture_output=True, timeout=60, env=variables)
    return (tmp_path / "logs/verifier/reward.txt").read_text().strip()


@pytest.mark.parametrize(
    ("body", "reward"), [("assert True", "1"), ("assert False", "0"), ("import os; os._exit(3)", "0")]
)
@pytest.mark.parametrize("kind", ["tmax", "terminal-bench"])
def test_wrappers_write_a_reward_on_every_path(tmp_path, kind, body, reward):
    test = f"def test_it():\n    {body}\n"
    if kind == "tmax":
        files = tmax_files(**{"test_final_state.py": test})
    else:
        files = terminal_bench_files(**{"tests/test_outputs.py": test})
    environment = read_environment(write_tree(tmp_path / "t", files))
    assert run_verifier(write_harbor(environment, tmp_path / "out"), tmp_path) == reward


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tmax/task_1", "tmax/task_1"), ("task 1/../../etc", "river/task-1-etc"), ("\x1b[2Jx\n", "river/2Jx"),
        ("a/../b", "river/a-b"), ("ü" * 5, None), ("x" * 300, "river/" + "x" * 80),
    ],
)  # fmt: skip
def test_names(tmp_path, name, expected):
    environment = replace(read_environment(write_tree(tmp_path / "t", harbor_files())), name=name)
    assert harbor_name(environment) == (expected or f"river/{environment.id}")


def test_a_reference_with_another_entry(tmp_path):
    environment = read_environment(write_tree(tmp_path / "t", harbor_files()))
    reference = Reference("captured", (File("run.sh", b"true\n", 0o755),), "run.sh")
    folder = write_harbor(replace(environment, reference=reference), tmp_path / "out")
    assert "/solution/run.sh" in (folder / "solution/solve.sh").read_text()


def test_what_cannot_be_written(tmp_path):
    environment = read_environment(write_tree(tmp_path / "t", harbor_files()))
    broken = ImageRecipe("apptainer", "Bootstrap: docker\nFrom: x\n%setup\n  touch /host\n")
    wrapped = Verifier("pytest", (File("test.sh", b""), File("test_final_state.py", b"")), "test_final_state.py")
    for changed, words in (
        ({"unsupported": ("3 services",)}, "3 services"),
        ({"image": broken}, "%setup"),
        ({"image": replace(environment.image, build_args=(("A", "1"),))}, "build arguments"),
        ({"verifier": wrapped}, "tests/test.sh of its own"),
    ):
        with pytest.raises(RiverError, match=words):
            write_harbor(replace(environment, **changed), tmp_path / "out")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    with pytest.raises(RiverError, match="is not empty"):
        write_harbor(environment, tmp_path / "full")


@pytest.mark.parametrize(
    "files",
    [
        [File("../evil")], [File("/evil")], [File("a/../../evil")], [File("")],
        [File("d", link="/tmp"), File("d/evil")],
    ],
)  # fmt: skip
def test_files_that_would_leave_the_directory(tmp_path, files):
    (tmp_path / "in").mkdir()
    with pytest.raises(RiverError):
        write_files(tmp_path / "in", files)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
