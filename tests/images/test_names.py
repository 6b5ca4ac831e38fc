"""Image names."""

import pytest

from river_envs.images.names import normalise


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("ubuntu", "ubuntu:latest"),
        ("ubuntu:22.04", "ubuntu:22.04"),
        ("docker.io/library/ubuntu:22.04", "ubuntu:22.04"),
        ("library/ubuntu", "ubuntu:latest"),
        ("index.docker.io/library/ubuntu", "ubuntu:latest"),
        ("docker://ubuntu:22.04", "ubuntu:22.04"),
        ("me/App:V1", "me/app:V1"),
        ("localhost:5000/a", "localhost:5000/a:latest"),
        ("localhost:5000/a:b", "localhost:5000/a:b"),
        ("ghcr.io/a/b", "ghcr.io/a/b:latest"),
        ("ubuntu@sha256:abc", "ubuntu@sha256:abc"),
        ("ubuntu:22.04@sha256:abc", "ubuntu@sha256:abc"),
    ],
)
def test_normalise(name, short):
    assert normalise(name) == short
    assert normalise(short) == short
