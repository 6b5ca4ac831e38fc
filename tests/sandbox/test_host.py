import getpass
import sys
from pathlib import Path

import pytest
from sandbox_support import shell

from river_envs.sandbox import host, host_python

pytestmark = pytest.mark.sandbox


def test_python_runs_pytest_as_root(sandbox):
    sandbox.exec(["mkdir", "/tests"], timeout_sec=10)
    shell(sandbox, "printf 'def test_one():\\n    assert 1 + 1 == 2\\n' > /tests/test_one.py")
    for command in (["python3", "-m", "pytest", "-q", "/tests"], ["pytest", "-q", "/tests"]):
        result = sandbox.exec(command, timeout_sec=60)
        assert result.exit_code == 0, result.text
        assert "1 passed" in result.text
        assert "Warning" not in result.text


def test_python_is_the_one_that_runs_river(sandbox):
    result = sandbox.exec(["python3", "-c", "import sys, sqlite3, ssl, ctypes; print(sys.version)"], timeout_sec=60)
    assert result.text.strip() == sys.version
    assert sandbox.exec(["python", "-c", "print(1)"], timeout_sec=60).text == "1\n"


def test_pytest_starts_without_compiling(sandbox):
    result = shell(sandbox, "cd /tmp; python3 -m pytest --version")
    assert result.exit_code == 0
    assert [change.path for change in sandbox.delta().changes if "_pytest" in change.path] == []


def test_python_runs_for_another_user(sandbox, namespaces):
    if namespaces.id_map.mode == "single":
        pytest.skip("one user is mapped")
    script = "cd /tmp; python3 -c 'import sys; print(sys.version)'; python3 -m pytest --version"
    result = shell(sandbox, script, user="nobody")
    assert result.text.startswith(sys.version)
    assert "pytest" in result.text


def test_usual_tools_are_there(sandbox):
    tools = "bash ls sed awk grep find sort tar gzip diff head xargs"
    script = f"for tool in {tools}; do command -v $tool || echo no $tool; done"
    assert "no " not in shell(sandbox, script).text


def test_root_looks_like_a_fresh_system(sandbox):
    modes = {"/etc": 755, "/home": 755, "/opt": 755, "/root": 700, "/tmp": 1777, "/usr": 755, "/var/tmp": 1777}
    found = sandbox.exec(["stat", "-c", "%n %a", *modes], timeout_sec=10).text.splitlines()
    assert found == [f"{path} {mode}" for path, mode in modes.items()]
    assert shell(sandbox, "ls /home /srv /opt").text.split() == ["/home:", "/opt:", *_opt(), "/srv:"]
    assert sandbox.get("/etc/passwd").startswith(b"root:x:0:0:root:/root:/bin/bash\n")
    assert getpass.getuser() == "root" or getpass.getuser().encode() not in sandbox.get("/etc/passwd")
    assert b"localhost" in sandbox.get("/etc/hosts")


def _opt():
    return ["python"] if host_python.is_outside_usr() else []


def test_secrets_are_not_copied(sandbox):
    for path in ("/etc/shadow-", "/etc/ssh", "/etc/ssl/private", "/etc/pip.conf", "/etc/gitconfig", "/etc/sudoers",
                 "/etc/npmrc", "/etc/docker", "/run/docker.sock", "/etc/machine-id", "/var/lib/dpkg"):
        assert shell(sandbox, f"test -e {path}").exit_code == 1, path
    assert b"$" not in sandbox.get("/etc/shadow")
    if not sys.prefix.startswith("/usr"):
        assert shell(sandbox, f"test -e {sys.prefix}").exit_code == 1


def test_files_can_be_added_next_to_the_host_s(sandbox):
    script = """set -e
        printf '#!/bin/sh\\necho mine\\n' > /usr/local/bin/mine; chmod +x /usr/local/bin/mine; mine
        echo x > /usr/bin/other; mkdir -p /usr/share/mine /usr/lib/mine /opt/mine /usr/local/lib/mine
        rm /usr/bin/other"""
    result = shell(sandbox, script)
    assert (result.exit_code, result.text) == (0, "mine\n")
    assert not Path("/usr/local/bin/mine").exists()


def test_a_host_program_can_be_replaced(sandbox):
    original = Path("/usr/bin/env").read_bytes()
    script = "cd /usr/bin; rm env && printf '#!/bin/sh\\necho replaced\\n' > env && chmod 755 env && ./env"
    assert shell(sandbox, script).text == "replaced\n"
    assert Path("/usr/bin/env").read_bytes() == original


def test_host_files_belong_to_root_inside(sandbox, namespaces):
    owner = shell(sandbox, "stat -c %u:%g /usr/bin/env").text
    if namespaces.id_map.mode == "root":
        assert owner == "0:0\n"
        assert shell(sandbox, "cd /usr/bin; touch env && chown 5:6 env && stat -c %u:%g env").text == "5:6\n"
    else:
        assert owner in ("0:0\n", "65534:65534\n")


def test_users_can_be_made(sandbox, namespaces):
    if namespaces.id_map.mode == "single":
        pytest.skip("one user is mapped")
    result = shell(sandbox, "useradd -m -s /bin/bash agent && su agent -c 'cd; pwd; id -un; touch file'")
    assert result.text == "/home/agent\nagent\n", result.text


def test_identity_follows_the_python(monkeypatch):
    first = host.identity()
    assert first == host.identity()
    assert len(first) == 16
    host.identity.cache_clear()
    monkeypatch.setattr(sys, "version", "3.99")
    try:
        assert host.identity() != first
    finally:
        host.identity.cache_clear()


def test_made_once(namespaces, rootfs):
    home = Path(rootfs.mounts[0].lowers[0]).parent.parent
    before = [(path.name, path.stat().st_ino) for path in home.iterdir()]
    again, identity = host.host_base(namespaces, home)
    assert again == rootfs
    assert identity == host.identity()
    assert [(path.name, path.stat().st_ino) for path in home.iterdir()] == before
