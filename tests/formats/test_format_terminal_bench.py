"""Terminal-Bench 1 task directories."""

import pytest
from formats.format_tasks import read_one, terminal_bench_files, write_tree

from river_envs.formats.base import Found, Rejected, Unsupported
from river_envs.formats.terminal_bench import commands_as_script

COMPOSE = """services:
  client:
    build: {context: ., dockerfile: Dockerfile}
    image: ${T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME}
    container_name: ${T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME}
    command: [ "sh", "-c", "sleep infinity" ]
    environment:
      - TEST_DIR=${T_BENCH_TEST_DIR}
    volumes:
      - ${T_BENCH_TASK_LOGS_PATH}:${T_BENCH_CONTAINER_LOGS_PATH}
"""


def test_a_whole_task(tmp_path):
    item = read_one(write_tree(tmp_path / "t", terminal_bench_files(**{"docker-compose.yaml": COMPOSE})))
    assert isinstance(item, Found)
    environment = item.environment
    assert environment.instruction == "Make a file."
    assert environment.verifier.protocol == "terminal-bench-1"
    assert (environment.verifier.entry, environment.verifier.parser) == ("run-tests.sh", "pytest")
    assert {file.path for file in environment.verifier.files} == {"run-tests.sh", "test_outputs.py"}
    assert (environment.limits.agent_timeout_sec, environment.verifier.timeout_sec) == (360, 60)
    assert environment.reference.files[0].path == "solve.sh"
    assert environment.metadata.difficulty == "easy"
    assert environment.metadata.domain == "files"


def test_the_build_context_is_the_whole_task(tmp_path):
    """A recipe that copies ``.`` puts the solution into the image; that must be seen."""
    environment = read_one(write_tree(tmp_path / "t", terminal_bench_files())).environment
    assert {"solution.sh", "tests/test_outputs.py"} <= {file.path for file in environment.image.context}


def test_default_script(tmp_path):
    environment = read_one(write_tree(tmp_path / "t", terminal_bench_files(**{"run-tests.sh": None}))).environment
    script = next(file for file in environment.verifier.files if file.path == "run-tests.sh")
    assert b"pytest" in script.content


def test_commands_become_a_script():
    text = "- command: cat > a <<'E'\\nx\\nE\n  min_timeout_sec: 1\n- ls -l\n- command: |\n    echo one\n    echo two\n"
    assert commands_as_script(text).splitlines()[-3:] == ["ls -l", "echo one", "echo two"]


def test_oldest_instruction_form(tmp_path):
    yaml = "descriptions:\n  - key: base\n    description: Do it.\n  - key: hard\n    description: Guess.\n"
    environment = read_one(write_tree(tmp_path / "t", terminal_bench_files(**{"task.yaml": yaml}))).environment
    assert environment.instruction == "Do it."


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"docker-compose.yaml": COMPOSE + "  server:\n    image: nginx\n"}, "2 services"),
        ({"docker-compose.yaml": COMPOSE + "      - ./data:/data\n"}, "mounts ./data"),
        ({"docker-compose.yaml": COMPOSE.replace("context: .", "context: ../base")}, "builds from"),
        ({"docker-compose.yaml": COMPOSE.replace("sleep infinity", "/serve")}, "starts a program"),
        ({"task.yaml": "instruction: x\nparser_name: swebench\n"}, "swebench"),
    ],
)
def test_unsupported(tmp_path, changed, reason):
    item = read_one(write_tree(tmp_path / "t", terminal_bench_files(**changed)))
    assert isinstance(item, Unsupported)
    assert reason in item.reason


BOMB = "a0: &a0 {k0: v}\n" + "".join(
    f"a{n}: &a{n} {{{', '.join(f'k{n}x{m}: v' for m in range(9))}, <<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n"
    for n in range(1, 9)
)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"task.yaml": "instruction: [a"}, "not valid YAML"),
        ({"task.yaml": "instruction: 3\n"}, "instruction"),
        ({"task.yaml": "difficulty: easy\n"}, "instruction is missing"),
        ({"task.yaml": BOMB}, "task.yaml"),
        ({"task.yaml": "!!python/object/apply:os.system [true]\n"}, "not valid YAML"),
        ({"Dockerfile": None}, "Dockerfile is missing"),
        ({"task.yaml": None}, "task.yaml is missing"),
        ({"run-tests.sh": None, "tests/test_outputs.py": None}, "run-tests.sh"),
        ({"solution.sh": None, "solution.yaml": "a: b\n"}, "not a list"),
        ({"docker-compose.yaml": "version: 3\n"}, "names no services"),
    ],
)
def test_rejected(tmp_path, changed, reason):
    item = read_one(write_tree(tmp_path / "t", terminal_bench_files(**changed)))
    assert isinstance(item, Rejected)
    assert reason in item.reason
