"""Names of images: ``docker.io/library/ubuntu:22.04`` and ``ubuntu:22.04`` are one."""

from __future__ import annotations


def normalise(name: str) -> str:
    """The short form of an image name: Docker Hub's prefixes dropped, the tag ``latest`` written out, a digest kept.

    A name with a digest drops its tag, because the digest alone decides.
    """
    name = name.strip().removeprefix("docker://")
    for prefix in ("docker.io/", "index.docker.io/", "registry-1.docker.io/"):
        name = name.removeprefix(prefix)
    name = name.removeprefix("library/")
    name, at, digest = name.partition("@")
    repository, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        repository, tag = name, ""
    repository = repository.lower()
    if at:
        return f"{repository}@{digest}"
    return f"{repository}:{tag or 'latest'}"
