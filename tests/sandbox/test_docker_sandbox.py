"""What only the Docker backend has to care about: owners, orphans, both ways to a delta, no daemon."""

import subprocess
import sys
import time

import pytest

from river_envs.environment import File
from river_envs.sandbox import docker_delta
from river_envs.sandbox.base import SandboxError
from river_envs.sandbox.conformance_delta import WORK
from river_envs.sandbox.docker import DockerBackend

pytestmark = pytest.mark.docker

LEFT_BEHIND = """
import sys, time
from river_envs.sandbox.base import Image
from river_envs.sandbox.docker import DockerBackend
backend = DockerBackend()
sandbox = backend.start(Image(sys.argv[1]))
sandbox.exec(["sh", "-c", "setsid sleep 71401 >/dev/null 2>&1 &"], timeout_sec=30)
print(sandbox.container, flush=True)
time.sleep(600)
"""


def test_killed_parent_leaves_nothing(docker_backend, docker_image):
    api = docker_backend._client.api
    process = subprocess.Popen([sys.executable, "-c", LEFT_BEHIND, docker_image.key], stdout=subprocess.PIPE, text=True)
    container = process.stdout.readline().strip()
    assert api.inspect_container(container)["State"]["Running"]
    process.kill()
    process.wait()
    for _ in range(200):
        if not api.inspect_container(container)["State"]["Running"]:
            break
        time.sleep(0.05)
    assert not api.inspect_container(container)["State"]["Running"], "the container ends with its owner"
    with docker_backend.start(docker_image) as living:
        assert docker_backend.sweep() >= 1
        assert living.exec(["true"], timeout_sec=30).exit_code == 0
    assert not api.containers(all=True, filters={"id": container})


def test_close_destroys_what_runs(docker_image):
    backend = DockerBackend()
    sandbox = backend.start(docker_image)
    backend.close()
    with pytest.raises(SandboxError):
        sandbox.exec(["true"], timeout_sec=10)
    assert not backend._client.api.containers(all=True, filters={"id": sandbox.container})


def test_both_ways_to_a_delta_agree(docker_backend, docker_image):
    script = WORK + """rm -r /usr/share/doc; mkdir /usr/share/doc; rm -r /etc/default; echo 1 >/etc/default
        touch /etc/group; mkfifo pipe; for i in $(seq 14); do echo $i >/etc/new-$i; done"""
    with docker_backend.start(docker_image) as sandbox:
        assert sandbox.exec(["sh", "-c", script], timeout_sec=60, user="root").exit_code == 0
        direct = sandbox.delta()
        asked = docker_delta.take_delta(docker_backend._client, sandbox.container, docker_image, ask_daemon=True)
        assert set(direct.changes) == set(asked.changes)
        assert direct == asked
        sandbox.exec(["sh", "-c", "rm /etc/new-*"], timeout_sec=60, user="root")
        few = docker_delta.take_delta(docker_backend._client, sandbox.container, docker_image, ask_daemon=True)
        assert few == sandbox.delta()


def test_delta_has_a_limit(docker_backend, docker_image, monkeypatch):
    monkeypatch.setattr(docker_delta, "LIMIT_BYTES", 1 << 20)
    with docker_backend.start(docker_image) as sandbox:
        sandbox.exec(["sh", "-c", "head -c 2000000 /dev/zero >/srv/big"], timeout_sec=30, user="root")
        with pytest.raises(SandboxError, match="larger than 1 MiB"):
            sandbox.delta()


def test_removed_image_is_named(docker_backend, docker_image):
    from dataclasses import replace

    with pytest.raises(SandboxError, match="gone from Docker"):
        docker_backend.start(replace(docker_image, key="sha256:" + "0" * 64))


def test_unknown_user_is_named(docker_backend, docker_image):
    with docker_backend.start(docker_image) as sandbox:
        with pytest.raises(SandboxError, match="no user 'stranger'"):
            sandbox.put([File("x", b"1")], user="stranger")
        with pytest.raises(SandboxError, match="stranger"):
            sandbox.exec(["true"], timeout_sec=10, user="stranger")


def test_missing_working_directory_is_the_commands_failure(docker_backend, docker_image):
    with docker_backend.start(docker_image) as sandbox:
        result = sandbox.exec(["true"], timeout_sec=10, cwd="/nowhere")
        assert result.exit_code == 126
        assert b"/nowhere" in result.output


def test_hard_links_in_a_large_delta(docker_backend, docker_image):
    with docker_backend.start(docker_image) as sandbox:
        script = "ln /etc/passwd /srv/zz; for i in $(seq 20); do echo $i >/etc/new-$i; done"
        sandbox.exec(["sh", "-c", script], timeout_sec=30, user="root")
        direct = sandbox.delta()
        asked = docker_delta.take_delta(docker_backend._client, sandbox.container, docker_image, ask_daemon=True)
        assert direct.get("srv/zz").content.startswith(b"root:")
        assert asked == direct


@pytest.mark.sandbox
def test_equal_work_has_one_digest_on_both_backends(docker_backend, bubblewrap_backend, shared_base):
    from river_envs.environment import ImageRecipe

    recipe = ImageRecipe("dockerfile", f"FROM {shared_base}\nRUN mkdir -p /app && echo 1 >/app/one\nWORKDIR /app\n")
    script = WORK + """rm -r /usr/share/doc; mkdir /usr/share/doc; mv /app/one two; cp -a /app /etc/default
        touch /etc/group; sed -i s/root/toor/ /etc/passwd; chmod 700 /app; mkfifo pipe; rm -rf /opt; ln -s /srv /opt"""
    digests, states = set(), []
    for backend in (docker_backend, bubblewrap_backend):
        with backend.start(backend.build(recipe, network=False)) as sandbox:
            result = sandbox.exec(["sh", "-c", script], timeout_sec=60)
            assert result.exit_code == 0, result.text
            delta = sandbox.delta()
            states.append({(c.path, c.kind, c.mode, c.uid, c.gid, c.link, c.content) for c in delta.changes})
            digests.add(delta.digest)
    assert states[0] == states[1]
    assert len(digests) == 1
