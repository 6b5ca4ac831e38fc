"""A base that only the Docker daemon has."""

import pytest

from river_envs.environment import ImageRecipe
from river_envs.images.builder import Builder
from river_envs.sandbox.base import BackendOptions
from river_envs.sandbox.namespaces import Namespaces

from .conftest import folder, member, tar_bytes

pytestmark = [pytest.mark.sandbox, pytest.mark.docker]
NAME = "river-envs-test-base:1"


@pytest.fixture
def daemon():
    docker = pytest.importorskip("docker")
    try:
        client = docker.from_env()
        client.ping()
    except docker.errors.DockerException:
        pytest.skip("no Docker daemon answers")
    yield client
    client.close()


def load(client, content):
    """Make the image ``NAME`` from an archive, without a network."""
    repository, tag = NAME.split(":")
    client.api.import_image_from_data(content, repository=repository, tag=tag, changes=["ENV A=1", "WORKDIR /etc"])
    return client.images.get(NAME)


def test_exported_once_and_again_when_the_image_changed(daemon, tmp_path):
    namespaces = Namespaces()
    options = BackendOptions(store=str(tmp_path))
    recipe = ImageRecipe("prebuilt", docker_image=NAME)
    ids = []
    try:
        for content in (b"one", b"one", b"two"):
            ids.append(load(daemon, tar_bytes(folder("etc"), member("etc/x", content))).id)
            builder = Builder(namespaces, options)
            image = builder.build(recipe, network=False)
            assert (image.bases[0].origin, image.bases[0].substituted) == ("docker", False)
            assert (dict(image.env)["A"], image.workdir) == ("1", "/etc")
            with namespaces.start(builder.rootfs(image)) as sandbox:
                assert sandbox.get("/etc/x") == content
            builder.close()
        nowhere = ImageRecipe("prebuilt", docker_image="river-envs-none:1")
        unknown = Builder(namespaces, options).build(nowhere, network=False)
        assert unknown.bases[0].origin == "host"
        assert "Docker does not have river-envs-none:1" in unknown.notes[0]
    finally:
        for identity in set(ids):
            daemon.images.remove(identity, force=True)
        namespaces.rmtree(tmp_path)
        namespaces.close()
