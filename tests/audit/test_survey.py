"""The survey of a built image: what is listed, what is read, and that both are bounded."""

from __future__ import annotations

import pytest
from audit_support import MemoryBackend
from probe_support import environment
from real_probe_support import real_environment

from river_envs.audit import survey as module
from river_envs.audit.survey import survey
from river_envs.catalog import codec
from river_envs.environment import ImageRecipe
from river_envs.probes.base import Survey


def look(files: dict[str, bytes], instruction: str = "Read /app/big.log.") -> Survey:
    backend = MemoryBackend(files)
    with backend.start(backend.build(ImageRecipe("prebuilt"))) as sandbox:
        return survey(sandbox, environment(instruction))  # type: ignore[arg-type]


def test_small_text_is_read_and_the_beginning_of_what_is_named():
    seen = look({
        "app/a.txt": "grün\n".encode(), "app/big.log": b"x" * 50_000, "app/other.log": b"y" * 50_000,
        "app/b.bin": b"\0\1", "app/.git/x": b"object", "app/cut.txt": b"\xff",
    })  # fmt: skip
    assert {peek.path: (peek.text[:5], peek.whole) for peek in seen.peeks} == {
        "/app/a.txt": ("grün\n", True),
        "/app/big.log": ("xxxxx", False),
    }
    assert seen.peek("/app/a.txt") is not None
    assert seen.peek("/app/b.bin") is None


def test_what_is_read_is_bounded():
    seen = look({f"app/{index:03}.txt": b"z" * 3000 for index in range(200)})
    assert len(seen.peeks) <= module.FILES
    assert sum(len(peek.text) for peek in seen.peeks) <= module.TOTAL


def test_a_survey_survives_the_catalog():
    seen = look({"app/a.txt": "ß\u2028\n".encode()})
    assert codec.loads(Survey, codec.dumps(Survey, seen)) == seen


@pytest.mark.sandbox
def test_further_places_are_listed_and_installed_programs_are_not(bubblewrap_backend):
    build = "mkdir -p /opt/mine /opt/huge /srv/x\necho a >/opt/mine/f\necho b >/srv/x/g\n"
    build += "echo c >/usr/local/bin/own-tool\n"
    build += "i=0; while [ $i -lt 500 ]; do : >/opt/huge/$i; i=$((i+1)); done"
    env = real_environment("Do it.", "false", {}, build)
    with bubblewrap_backend.start(bubblewrap_backend.build(env.image)) as sandbox:
        paths = {entry.path for entry in survey(sandbox, env).listing}
    assert {"/opt/mine/f", "/srv/x/g", "/usr/local/bin/own-tool"} <= paths
    assert not any(path.startswith(("/opt/huge/", "/usr/local/bin/pip")) for path in paths)
