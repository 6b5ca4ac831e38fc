"""Fixtures for tests of the namespace sandboxes themselves, over the host base and without the image builder."""

import pytest

from river_envs.sandbox.base import SandboxLimits
from river_envs.sandbox.host import host_base
from river_envs.sandbox.namespaces import Namespaces


@pytest.fixture(scope="module")
def namespaces():
    made = Namespaces()
    yield made
    made.close()


@pytest.fixture(scope="module")
def rootfs(namespaces, tmp_path_factory):
    home = tmp_path_factory.mktemp("host")
    yield host_base(namespaces, home)[0]
    for child in home.iterdir():
        namespaces.rmtree(child)


@pytest.fixture
def sandbox(namespaces, rootfs):
    with namespaces.start(rootfs, limits=SandboxLimits(disk_mb=64)) as made:
        yield made
