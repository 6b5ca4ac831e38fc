"""Builds in Docker: what is rewritten, what is found again, what a failure says."""

import pytest

from river_envs.environment import File, ImageRecipe
from river_envs.sandbox.base import BackendOptions, BuildFailed
from river_envs.sandbox.docker import RECIPE_LABEL, DockerBackend
from river_envs.sandbox.docker_build import CA_FILE

pytestmark = pytest.mark.docker


def build(backend, text, *files, **kwargs):
    return backend.build(ImageRecipe("dockerfile", text, tuple(files), **kwargs), network=False)


def test_dockerfile(docker_backend, shared_base):
    recipe = f"""ARG BASE=nothing
FROM {shared_base} AS first
RUN mkdir /made && echo made >/made/file
FROM {shared_base}
ENV GREETING="hello world"
ARG NAME=nobody
COPY --from=first /made /made
COPY sub /sub
RUN <<EOF
echo $NAME $GREETING >/greeting
EOF
WORKDIR /sub
USER games
CMD ["false"]
"""
    program = File("sub/run.sh", b"#!/bin/sh\necho ran\n", 0o755)
    image = build(docker_backend, recipe, program, build_args=(("NAME", "you"),))
    assert dict(image.env)["GREETING"] == "hello world"
    assert (image.workdir, image.user) == ("/sub", "games")
    with docker_backend.start(image) as sandbox:
        result = sandbox.exec(["sh", "-c", "cat /made/file /greeting; ./run.sh; id -un"], timeout_sec=30)
        assert result.text == "made\nyou hello world\nran\ngames\n"


def test_apptainer_definition(docker_backend, shared_base):
    text = (
        f"Bootstrap: docker\nFrom: {shared_base}\n\n%environment\n    export A=b\n\n"
        "%post\n    mkdir -p /app\n    echo made >/app/file\n"
    )
    image = docker_backend.build(ImageRecipe("apptainer", text), network=False)
    with docker_backend.start(image) as sandbox:
        assert sandbox.get("/app/file") == b"made\n"
        assert "A=b" in sandbox.exec(["env"], timeout_sec=30).text.split("\n")


def test_prebuilt(docker_backend, shared_base):
    image = docker_backend.build(ImageRecipe("prebuilt", docker_image=shared_base), network=False)
    assert image.key.startswith("sha256:")
    assert [(base.requested, base.origin, base.substituted) for base in image.bases] == [(shared_base, "docker", False)]


def test_alias_is_recorded(shared_base, tmp_path):
    backend = DockerBackend(BackendOptions(store=str(tmp_path), aliases={"docker.io/library/ubuntu": shared_base}))
    image = build(backend, "FROM ubuntu:latest\nRUN true\n")
    seen = [(base.requested, base.origin, base.substituted) for base in image.bases]
    assert seen == [("ubuntu:latest", "alias", True)]
    with pytest.raises(BuildFailed, match="only bubblewrap"):
        build(DockerBackend(BackendOptions(store=str(tmp_path), aliases={"x": "host"})), "FROM x\n")


def test_built_once(docker_backend, shared_base, backend_options):
    text = f"FROM {shared_base}\nRUN cat /proc/sys/kernel/random/uuid >/id\n"
    first = build(docker_backend, text)
    again = build(DockerBackend(backend_options), text)
    assert first == again
    labels = docker_backend._client.api.inspect_image(first.key)["Config"]["Labels"]
    assert RECIPE_LABEL in labels


def test_failure_has_a_log_and_a_judgement(docker_backend, shared_base):
    with pytest.raises(BuildFailed, match="returned a non-zero code: 3") as failed:
        build(docker_backend, f"FROM {shared_base}\nRUN echo because; exit 3\n")
    assert "because" in failed.value.log
    assert not failed.value.blameless
    with pytest.raises(BuildFailed) as failed:
        build(docker_backend, f"FROM {shared_base}\nRUN echo Could not resolve host; exit 3\n")
    assert failed.value.blameless
    with pytest.raises(BuildFailed, match="may not use the network"):
        build(docker_backend, "FROM no-such-image:1\n")
    with pytest.raises(BuildFailed, match="line 2"):
        build(docker_backend, f"FROM {shared_base}\nNONSENSE x\n")


def test_builds_without_a_network_have_none(docker_backend, shared_base):
    image = build(docker_backend, f"FROM {shared_base}\nRUN grep -c : /proc/net/dev >/count; true\n")
    with docker_backend.start(image) as sandbox:
        assert sandbox.get("/count") == b"1\n"


def test_timeout(docker_backend, shared_base):
    recipe = ImageRecipe("dockerfile", f"FROM {shared_base}\nRUN echo started; sleep 71301\n")
    with pytest.raises(BuildFailed, match="longer than 3 s"):
        docker_backend.build(recipe, timeout_sec=3, network=False)


def test_build_settings_stay_out_of_the_image(shared_base, tmp_path):
    bundle = tmp_path / "ca.pem"
    bundle.write_text("certificates\n")
    backend = DockerBackend(BackendOptions(
        store=str(tmp_path), ca_bundle=str(bundle),
        build_env={"HTTP_PROXY": "http://p.invalid", "PIP_INDEX_URL": "http://i.invalid"},
    ))
    image = build(backend, f"FROM {shared_base}\nRUN env >/build-env; cat $PIP_CERT >/bundle\nUSER games\n")
    with backend.start(image) as sandbox:
        seen = sandbox.exec(["cat", "/build-env", "/bundle"], timeout_sec=30).text
        expected = {"HTTP_PROXY=http://p.invalid", "PIP_INDEX_URL=http://i.invalid", "certificates"}
        assert expected <= set(seen.split("\n"))
        assert "invalid" not in sandbox.exec(["env"], timeout_sec=30).text
        assert sandbox.exec(["test", "-e", CA_FILE], timeout_sec=30).exit_code == 1
    assert image.user == "games"
    layered = backend.layer(image, [], ["sh", "-c", "cat $SSL_CERT_FILE >/layer-bundle"], key="ca", network=False)
    with backend.start(layered) as sandbox:
        assert sandbox.get("/layer-bundle") == b"certificates\n"
        assert sandbox.exec(["id", "-un"], timeout_sec=30).text == "games\n"
        assert not sandbox.delta().changes


def test_volumes_are_noted(docker_backend, shared_base):
    image = build(docker_backend, f"FROM {shared_base}\nVOLUME /data\n")
    assert "/data" in image.notes[0]
