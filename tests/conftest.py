"""What needs a daemon or namespaces is skipped with the reason where there is none; CI asks for Docker and must get it.

Fixtures for real sandboxes: a store of its own per session, so that tests find and leave nothing of the user's.
``shared_base`` is one image that both backends start from: the Docker image ``RIVER_TEST_IMAGE`` (default
``river-base:1``, made by ``scripts/ci-base.sh``), which bubblewrap takes from the daemon.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from river_envs.environment import ImageRecipe
from river_envs.sandbox.base import BackendOptions, BackendUnavailable

settings.register_profile(
    # The same examples on every run, and no verdict from a clock: a loaded machine is no finding.
    "river", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("river")

REQUIRE_DOCKER = os.environ.get("RIVER_REQUIRE_DOCKER") == "1"
TEST_IMAGE = os.environ.get("RIVER_TEST_IMAGE", "river-base:1")


def why_no_docker() -> str:
    """Why Docker cannot be used here; empty when it can."""
    from river_envs.sandbox.docker import DockerBackend

    backend = DockerBackend()
    failed = [check for check in backend.check() if check.name in backend.required and not check.ok]
    return "; ".join(f"{check.name}: {check.detail}" for check in failed)


def why_no_namespaces() -> str:
    """Why bubblewrap cannot be used here; empty when it can."""
    from river_envs.sandbox import open_backend

    try:
        open_backend("bubblewrap").close()
    except BackendUnavailable as error:
        return str(error)
    return ""


def pytest_collection_modifyitems(items):
    """Skip by marker; ``RIVER_REQUIRE_DOCKER=1`` lets tests that need Docker fail instead."""
    reasons = {"docker": None, "sandbox": None}
    probes = {"docker": why_no_docker, "sandbox": why_no_namespaces}
    for item in items:
        for name, probe in probes.items():
            if item.get_closest_marker(name) is None or (name == "docker" and REQUIRE_DOCKER):
                continue
            if reasons[name] is None:
                reasons[name] = probe()
            if reasons[name]:
                item.add_marker(pytest.mark.skip(reason=reasons[name]))


@pytest.fixture(scope="session")
def backend_options(tmp_path_factory):
    """Options with an image store that only this session uses."""
    return BackendOptions(store=str(tmp_path_factory.mktemp("store")))


@pytest.fixture(scope="session")
def bubblewrap_backend(backend_options):
    """The namespace backend, closed at the end."""
    from river_envs.sandbox import open_backend

    backend = open_backend("bubblewrap", backend_options)
    yield backend
    backend.close()


@pytest.fixture(scope="session")
def docker_backend(backend_options):
    """The Docker backend; what it started is gone at the end."""
    from river_envs.sandbox.docker import DockerBackend

    backend = DockerBackend(backend_options)
    yield backend
    backend.close()


@pytest.fixture(scope="session")
def shared_base(docker_backend):
    """The name of an image with Python and pytest that both backends can start from."""
    import docker.errors

    try:
        docker_backend._client.api.inspect_image(TEST_IMAGE)
    except docker.errors.ImageNotFound:
        reason = f"Docker has no image {TEST_IMAGE}: run scripts/ci-base.sh"
        if REQUIRE_DOCKER:
            pytest.fail(reason)
        pytest.skip(reason)
    return TEST_IMAGE


@pytest.fixture(scope="session")
def host_image(bubblewrap_backend):
    """An image on this machine's own programs, for bubblewrap."""
    return bubblewrap_backend.build(ImageRecipe("dockerfile", "FROM host\nENV CONFORMANCE=1\nWORKDIR /srv\n"))


@pytest.fixture(scope="session")
def docker_image(docker_backend, shared_base):
    """The shared base with the same defaults as ``host_image``, in Docker."""
    return docker_backend.build(ImageRecipe("dockerfile", f"FROM {shared_base}\nENV CONFORMANCE=1\nWORKDIR /srv\n"))


@pytest.fixture(params=[
    pytest.param("bubblewrap", marks=pytest.mark.sandbox), pytest.param("docker", marks=pytest.mark.docker),
])
def place(request):
    """Each backend with an image to start from: ``(backend, image)``."""
    if request.param == "docker":
        return request.getfixturevalue("docker_backend"), request.getfixturevalue("docker_image")
    return request.getfixturevalue("bubblewrap_backend"), request.getfixturevalue("host_image")
