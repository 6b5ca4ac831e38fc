"""Recognising what a verifier downloads, in the forms that public test scripts use."""

import pytest

from river_envs.environment import File, Verifier
from river_envs.verify.bootstrap import recognise, requirement_name
from river_envs.verify.shell import commands

INSTALLER = "curl -LsSf https://astral.sh/uv/0.9.5/install.sh | sh\nsource $HOME/.local/bin/env\n"


def bootstrap(script, *others, protocol="harbor"):
    files = (File("test.sh", script.encode()), *(File(f"t{i}.py", text.encode()) for i, text in enumerate(others)))
    return recognise(Verifier(protocol, files, "test.sh"))


@pytest.mark.parametrize(("script", "packages", "python"), [
    (INSTALLER + "uvx \\\n  --python 3.12 \\\n  --with pytest==8.4.1 \\\n  pytest /tests/t.py -v",
     ["pytest==8.4.1"], "3.12"),
    (INSTALLER + "uvx -p 3.13 -w pytest==8.4.1 -w 'pytest-json-ctrf==0.3.5' pytest --ctrf x /t.py -rA",
     ["pytest==8.4.1", "pytest-json-ctrf==0.3.5"], "3.13"),
    (INSTALLER + "uvx --with=pytest==8.4.1,numpy pytest t.py", ["pytest==8.4.1", "numpy"], None),
    (INSTALLER + "uvx pytest@8.4.1 t.py", ["pytest==8.4.1"], None),
    (INSTALLER + "V=8.4.1\nuvx --from pytest==$V pytest t.py", ["pytest==8.4.1"], None),
    (INSTALLER + "uv init\nuv add pytest==8.4.1\nuv run pytest $TEST_DIR/t.py", ["pytest==8.4.1"], None),
    (INSTALLER + "uv venv -p 3.11 .v && source .v/bin/activate\nuv pip install pytest 'numpy>=1'\nuv run pytest",
     ["pytest", "numpy>=1"], "3.11"),
    (INSTALLER + "uv run --with pytest==8.4.1 pytest t.py", ["pytest==8.4.1"], None),
    ("pip install --quiet -U pip pytest==8.4.1 && pytest t.py", ["pytest==8.4.1"], None),
    ("if ! command -v pytest; then python3 -m pip install --index-url https://x.example/simple pytest; fi",
     ["pytest"], None),
])
def test_recognised(script, packages, python):
    found = bootstrap(script)
    assert found
    assert (list(found.pip), found.python, found.unknown) == (packages, python, ())


@pytest.mark.parametrize("script", [
    "python3 -m pytest /tests -v", "curl -sf http://localhost:8000/health", "cat > x <<'E'\npip install pytest\nE\n",
    "echo 'apt-get install curl'", "# pip install pytest", "", "((((", "\xff\x00 | sh",
])
def test_nothing_to_recognise(script):
    assert not bootstrap(script)


def test_the_pytest_protocol_has_no_script():
    assert not bootstrap("pip install pytest", protocol="pytest")


@pytest.mark.parametrize("script", [
    "pip install -r /tests/requirements.txt", "pip install git+https://x.example/a", "pip install ./package",
    "pip install $PACKAGES", "uvx --with-requirements r.txt pytest", "uv sync", "curl -O https://data.example/set.csv",
    "git clone https://x.example/a", "npm ci", "go mod download", "apt-get install ./local.deb",
    "curl https://sh.rustup.rs | sh", "python3 -m venv v\nv/bin/pip install pytest",
])
def test_what_cannot_be_answered(script):
    assert bootstrap(script).unknown


def test_helpers_are_what_only_the_bootstrap_needs():
    script = "apt-get update && apt-get install -y --no-install-recommends curl jq=1.6 git\n" + INSTALLER
    assert (bootstrap(script).helpers, bootstrap(script).apt) == (("curl",), ("jq", "git"))
    assert bootstrap(script, "subprocess.run(['curl', url])").helpers == ()


@pytest.mark.parametrize("text", ["-r x", "--index-url=http://x.example", "a @ file:///etc/passwd", "../x", "a; b", ""])
def test_hostile_requirements(text):
    assert requirement_name(text) is None


def test_deep_and_huge_scripts_are_harmless():
    assert commands(b"(" * 50_000 + b"echo" + b")" * 50_000) is not None
    assert commands(b"echo a\n" * 400_000) == []
