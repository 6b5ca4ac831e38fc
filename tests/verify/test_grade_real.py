"""Grading in real sandboxes on the host base: the three protocols, hostile states, test layers."""

import shutil
from importlib import metadata
from pathlib import Path

import pytest

from river_envs.environment import File, ImageRecipe
from river_envs.outcome import Status
from river_envs.sandbox.base import BackendOptions, BackendUnavailable
from river_envs.verifier import grade
from river_envs.verify.interpreter import find_interpreter
from river_envs.verify.packages import site_folder
from river_envs.verify.test_layer import prepare_tests

pytestmark = pytest.mark.sandbox

REWARD = "\nif [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi\n"
UV = "curl -LsSf https://astral.sh/uv/0.9.5/install.sh | sh\nsource $HOME/.local/bin/env\n"
APT = "apt-get update\napt-get install -y curl\n"
UVX = APT + UV + "uvx -p 3.13 -w pytest==8.4.1 pytest /tests/test_state.py -rA" + REWARD
TESTS = b"""
import subprocess, sys
def test_state():
    assert open("/app/answer").read() == "42"
def test_the_layer_is_isolated():
    assert sys.prefix == "/opt/river-tests/venv"
def test_curl_is_the_real_one():
    assert subprocess.run(["curl", "-s", "http://localhost:9/"]).returncode == 7
"""


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    from river_envs.sandbox.bubblewrap import BubblewrapBackend
    store = str(tmp_path_factory.mktemp("store"))
    backend = BubblewrapBackend(BackendOptions(store=store, aliases={"river:test": "host"}))
    try:
        backend.build(ImageRecipe("dockerfile", "FROM river:test\nWORKDIR /app\n"))
    except BackendUnavailable as error:
        pytest.skip(str(error))
    yield backend
    backend.close()


@pytest.fixture(scope="module")
def image(backend):
    return backend.build(ImageRecipe("dockerfile", "FROM river:test\nWORKDIR /app\n"))


@pytest.fixture(scope="module")
def store(backend, image, tmp_path_factory):
    """A package store that holds this environment's own pytest as if it had been fetched."""
    store = tmp_path_factory.mktemp("layers")
    with backend.start(image) as sandbox:
        interpreter = find_interpreter(sandbox, [])
    site = site_folder(("pytest==8.4.1",), interpreter, store)
    for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        for path in metadata.files(name):
            source = Path(path.locate())
            if source.suffix != ".pyc" and ".." not in path.parts and source.is_file():
                (site / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, site / path)
    return store


def state(backend, image, task, *files, script="", **options):
    with backend.start(image) as sandbox:
        sandbox.put(files)
        if script:
            sandbox.exec(["bash", "-c", script], timeout_sec=20)
        return grade(sandbox, task, **options)


def test_harbor(backend, image, environment):
    task = environment("harbor", "test.sh", b"grep -q 42 answer" + REWARD.encode())
    assert state(backend, image, task, File("app/answer", b"42")).passed is True
    outcome = state(backend, image, task)
    assert (outcome.status, outcome.reward, outcome.passed) == (Status.GRADED, 0.0, False)
    assert outcome.substitutions[0].startswith("base river:test: host")


@pytest.mark.parametrize("planted", [
    "mkdir -p /logs/verifier/reward.txt/x", "ln -s /etc/hostname /logs/verifier/reward.txt",
    "rm -rf /logs; echo 1 > /logs", "mkfifo /logs/verifier/reward.json",
    "echo '{\"reward\": 1}' > /logs/verifier/reward.json",
    "echo 1 > /tests", "mkdir -p /tests/test.sh",
    "rm -rf /logs/verifier; mkdir /tmp/v; echo '{\"reward\": 1}' > /tmp/v/reward.json; ln -s /tmp/v /logs/verifier",
])
def test_planted_rewards_and_folders_change_nothing(backend, image, environment, planted):
    task = environment("harbor", "test.sh", b"grep -q 42 answer" + REWARD.encode())
    script = f"mkdir -p /logs/verifier; {planted}"
    assert state(backend, image, task, script=script).reward == 0.0
    assert state(backend, image, task, File("app/answer", b"42"), script=script).reward == 1.0


@pytest.mark.parametrize(("content", "status"), [
    ("mkfifo /logs/verifier/reward.txt", Status.MALFORMED_REWARD),
    ("ln -s /etc/passwd /logs/verifier/reward.txt", Status.MALFORMED_REWARD),
    ("echo 1 > /tmp/r; ln -s /tmp/r /logs/verifier/reward.txt", Status.MALFORMED_REWARD),
    ("mkdir /logs/verifier/reward.json", Status.MALFORMED_REWARD),
    ("head -c 3000000 /dev/zero > /logs/verifier/reward.txt", Status.MALFORMED_REWARD),
    ("set -e; false; echo 1 > /logs/verifier/reward.txt", Status.NO_REWARD_FILE),
    ("sleep 30", Status.VERIFIER_TIMEOUT),
])
def test_hostile_reward_files(backend, image, environment, content, status):
    assert state(backend, image, environment("harbor", "test.sh", content.encode(), timeout_sec=2.0)).status is status


def test_another_user_may_write_its_reward(backend, image, environment):
    if backend.namespaces.id_map.mode == "single":
        pytest.skip("one user is mapped: nobody else to be")
    task = environment("harbor", "test.sh", b"id -un; echo 1 > /logs/verifier/reward.txt", user="nobody")
    outcome = state(backend, image, task)
    assert outcome.passed is True
    assert "nobody" in outcome.log


def test_pytest_protocol(backend, image, environment):
    task = environment("pytest", "test_final_state.py", b"def test_a(): assert open('/app/answer').read() == '42'")
    outcome = state(backend, image, task, File("app/answer", b"42"))
    assert (outcome.reward, [test.outcome for test in outcome.tests]) == (1.0, ["passed"])
    outcome = state(backend, image, task)
    assert (outcome.reward, [test.outcome for test in outcome.tests]) == (0.0, ["failed"])


def test_terminal_bench(backend, image, environment):
    script = b"python3 -m pytest $TEST_DIR/test_outputs.py -rA"
    files = (File("test_outputs.py", b"def test_a(): assert open('/app/answer').read() == '42'"),)
    task = environment("terminal-bench-1", "run-tests.sh", script, files=files)
    assert state(backend, image, task, File("app/answer", b"42")).passed is True
    assert state(backend, image, task).passed is False


def test_without_a_layer_a_download_needs_the_network(backend, image, environment):
    task = environment("harbor", "test.sh", UVX.encode(), files=(File("test_state.py", TESTS),))
    outcome = state(backend, image, task, File("app/answer", b"42"))
    assert outcome.status is Status.NEEDS_NETWORK
    assert "astral.sh" in outcome.detail


def test_a_layer_answers_uvx_and_judges_the_state(backend, image, environment, store):
    task = environment("harbor", "test.sh", UVX.encode(), files=(File("test_state.py", TESTS),))
    layer = prepare_tests(backend, image, task, network=False, store=store)
    assert layer.unavailable == ""
    outcome = state(backend, image, task, File("app/answer", b"42"), test_layer=layer)
    assert outcome.passed is True, outcome.log
    assert state(backend, image, task, test_layer=layer).reward == 0.0
    found = "\n".join(outcome.substitutions)
    for part in ("test layer: pytest==8.4.1", "answered: apt-get install -y curl", "answered: uvx -p 3.13",
                 "answered: curl https://astral.sh/uv/0.9.5/install.sh"):
        assert part in found


@pytest.mark.parametrize("script", [
    UV + "uv init\nuv add pytest==8.4.1\nuv run pytest /tests/test_state.py",
    UV + "uv venv .v\nsource .v/bin/activate\nuv pip install pytest==8.4.1\nuv run pytest /tests/test_state.py",
    UV + "uv venv .v\nsource .v/bin/activate\nuv pip install pytest==8.4.1\npytest /tests/test_state.py",
    UV + "$HOME/.local/bin/uv run --with pytest==8.4.1 pytest /tests/test_state.py",
    "pip install --break-system-packages pytest==8.4.1\npytest /tests/test_state.py",
    "python3 -m pip install --break-system-packages pytest==8.4.1\npython3 -m pytest /tests/test_state.py",
    "wget -qO- https://astral.sh/uv/install.sh | sh\nPATH=$HOME/.local/bin:$PATH\n"
    "uvx --from pytest==8.4.1 pytest /tests/test_state.py",
])
def test_other_bootstraps(backend, image, environment, store, script):
    tests = File("test_state.py", b"def test_a(): assert open('/app/answer').read() == '42'")
    task = environment("harbor", "test.sh", (script + REWARD).encode(), files=(tests,))
    layer = prepare_tests(backend, image, task, network=False, store=store)
    assert layer.unavailable == ""
    outcome = state(backend, image, task, File("app/answer", b"42"), test_layer=layer)
    assert outcome.passed is True, outcome.log
    assert any(entry.startswith("answered: ") for entry in outcome.substitutions)
    assert state(backend, image, task, test_layer=layer).passed is False


def test_packages_of_the_image_stand_in_and_are_named(backend, image, environment, tmp_path):
    task = environment("harbor", "test.sh", (UV + "uvx -w pytest==8.4.1 pytest /tests/t.py" + REWARD).encode(),
                       files=(File("t.py", b"def test_a(): pass"),))
    layer = prepare_tests(backend, image, task, network=False, store=tmp_path)
    outcome = state(backend, image, task, test_layer=layer)
    assert outcome.passed is True
    assert f"pytest==8.4.1: version {metadata.version('pytest')} of the image" in outcome.substitutions


def test_a_layer_that_cannot_be_had_answers_nothing(backend, image, environment, tmp_path):
    script = UV + "uvx -w pytest -w no-such-package pytest /tests/t.py" + REWARD
    task = environment("harbor", "test.sh", script.encode(), files=(File("t.py", b"def test_a(): pass"),))
    layer = prepare_tests(backend, image, task, network=False, store=tmp_path)
    outcome = state(backend, image, task, test_layer=layer)
    assert outcome.status is Status.NEEDS_NETWORK
    assert "no-such-package" in outcome.detail
    assert not any(entry.startswith("answered") for entry in outcome.substitutions)


def test_no_bootstrap_no_layer(backend, image, environment):
    assert prepare_tests(backend, image, environment("harbor", "test.sh", b"true")) is None
