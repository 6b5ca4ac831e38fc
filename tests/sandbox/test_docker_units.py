"""The parts of the Docker backend that need no daemon."""

import pytest

from river_envs.environment import File
from river_envs.sandbox import open_backend
from river_envs.sandbox.base import BackendUnavailable
from river_envs.sandbox.docker import DockerBackend
from river_envs.sandbox.docker_build import CA_FILE, rewrite
from river_envs.sandbox.docker_client import Client, orphaned, owner
from river_envs.sandbox.docker_files import pack


def test_bases_are_replaced_where_they_are_used():
    text = (
        "ARG TAG=22.04\nFROM --platform=linux/amd64 ubuntu:${TAG} AS one\nRUN true \\\n FROM x\nFROM one\nFROM other\n"
        "COPY --from=third /a /b\n"
    )
    out = rewrite(text, {"ubuntu:22.04": "sha256:1", "other": "sha256:2", "third": "sha256:3"}, {}, {}, False)
    assert out == (
        "ARG TAG=22.04\nFROM --platform=linux/amd64 sha256:1 AS one\nRUN true \\\n FROM x\nFROM one\nFROM sha256:2\n"
        "COPY --from=sha256:3 /a /b\n\n"
    )


def test_build_arguments_choose_the_base():
    out = rewrite("ARG BASE\nFROM ${BASE:-b}\n", {"a": "sha256:1", "b": "sha256:2"}, {"BASE": "a"}, {}, False)
    assert "FROM sha256:1" in out
    assert "FROM sha256:2" in rewrite("ARG BASE\nFROM ${BASE:-b}\n", {"a": "sha256:1", "b": "sha256:2"}, {}, {}, False)


def test_build_only_variables_follow_every_from():
    out = rewrite("FROM a\nUSER me\nFROM b\nRUN x\nUSER you\n", {}, {}, {"HTTP_PROXY": "p"}, True)
    assert out.count("ARG HTTP_PROXY") == 2
    assert out.endswith(f"USER root\nRUN rm -f {CA_FILE}\nUSER you\n")


def test_cache_mounts_are_dropped():
    out = rewrite("FROM a\nRUN --mount=type=cache,target=/root/.cache pip install x\n", {}, {}, {}, False)
    assert "RUN pip install x" in out


def test_owner_names_a_living_process():
    assert not orphaned(owner())
    pid, started, host = owner().split(":", 2)
    assert orphaned(f"{pid}:1{started}:{host}"), "the same number, another process"
    assert orphaned(f"999999999:1:{host}")
    assert not orphaned(f"999999999:1:not-{host}"), "processes of other machines are not ours to judge"
    assert not orphaned("")


def test_without_a_daemon(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(BackendUnavailable, match="no Docker daemon answers"):
        _ = Client().api
    with pytest.raises(BackendUnavailable):
        open_backend("docker")
    checks = DockerBackend().check()
    assert [(check.name, check.ok) for check in checks] == [("docker daemon", False)]
    assert checks[0].remedy


def test_packing_has_no_surprises():
    content = pack([File("a/b", b"1"), File("l", link="/x")], "/root", 3, 4)
    assert b"root/a/b" in content
    assert content.count(b"ustar") == 2
