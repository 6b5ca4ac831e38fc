"""Where attempts run: one protocol (``base.py``), two backends, one conformance suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from river_envs.sandbox.base import Backend, BackendOptions

BackendName = Literal["auto", "bubblewrap", "docker"]


def open_backend(name: BackendName = "auto", options: BackendOptions | None = None) -> Backend:
    """The backend called ``name``; ``auto`` is bubblewrap where it works, else Docker.

    The caller closes it. Raises BackendUnavailable when it cannot work here, with what to do about it.
    """
    from river_envs.sandbox.base import BackendUnavailable

    if name in ("auto", "bubblewrap"):
        from river_envs.sandbox.bubblewrap import BubblewrapBackend

        backend = BubblewrapBackend(options)
        try:
            backend.namespaces.probe()
        except BackendUnavailable as bubblewrap_missing:
            backend.close()
            if name == "bubblewrap":
                raise
            try:
                return _open_docker(options)
            except BackendUnavailable as docker_missing:
                raise BackendUnavailable(
                    f"no sandbox backend works here: bubblewrap: {bubblewrap_missing}; docker: {docker_missing}"
                ) from docker_missing
        return backend
    if name == "docker":
        return _open_docker(options)
    raise BackendUnavailable(f"there is no backend named {name!r}; use auto, bubblewrap or docker")


def _open_docker(options: BackendOptions | None) -> Backend:
    from river_envs.sandbox.docker import DockerBackend

    backend = DockerBackend(options)
    backend.connect()
    return backend
