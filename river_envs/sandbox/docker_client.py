"""Connections to the Docker daemon, and what its errors mean here.

The SDK's client is a ``requests`` session and is not made for several threads, so every thread gets its own; the API
version is negotiated once. Everything is opened when first used: importing this module loads no SDK.
"""

from __future__ import annotations

import os
import platform
import socket
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from river_envs.processes import start_time
from river_envs.sandbox.base import BackendUnavailable, SandboxError

OWNER_LABEL = "river-envs.owner"
"""On every container: who started it, as ``pid:starttime:host``."""

_CALL_TIMEOUT_SEC = 300


class Client:
    """The daemon that ``DOCKER_HOST`` (or the default socket) names, one connection pool per thread."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._version: str | None = None

    @property
    def api(self) -> Any:
        """This thread's ``docker.APIClient``, whose stubs are incomplete. Raises BackendUnavailable."""
        found = getattr(self._local, "api", None)
        if found is None:
            found = self._local.api = self.fresh()
        return found

    def fresh(self, timeout_sec: float = _CALL_TIMEOUT_SEC) -> Any:
        """A connection of its own, for a call with a time limit of its own."""
        import docker
        from docker.utils import kwargs_from_env

        try:
            settings: Any = kwargs_from_env()
            api: Any = docker.APIClient(version=self._version or "auto", timeout=int(timeout_sec) + 1, **settings)
            if self._version is None:
                api.ping()
                self._version = api._version
        except (docker.errors.DockerException, OSError) as error:
            reason = short(error)
            raise BackendUnavailable(f"no Docker daemon answers ({reason}): start one, or use bubblewrap") from None
        return api


def short(error: BaseException) -> str:
    """The first line of an SDK error, without the address of the call."""
    explanation = getattr(error, "explanation", None) or str(error) or type(error).__name__
    return str(explanation).strip().splitlines()[0][:500]


def failures() -> tuple[type[Exception], ...]:
    """What the SDK, and the libraries below it, raise when a call fails."""
    from http.client import HTTPException

    import docker.errors
    import requests
    import urllib3.exceptions

    return (
        docker.errors.DockerException, requests.RequestException, urllib3.exceptions.HTTPError, HTTPException,
        tarfile.TarError, ConnectionError, TimeoutError,
    )


@contextmanager
def daemon_errors(what: str) -> Iterator[None]:
    """Turns everything that goes wrong between us and the daemon into one SandboxError."""
    try:
        yield
    except failures() as error:
        raise SandboxError(f"Docker failed while {what}: {short(error)}") from error


def owner() -> str:
    """This process, so that another one can tell whether it still lives."""
    return f"{os.getpid()}:{start_time(os.getpid())}:{platform.node()}"


def orphaned(label: str) -> bool:
    """Whether the process that wrote ``label`` ran on this machine and is gone."""
    pid, _, rest = label.partition(":")
    started, _, host = rest.partition(":")
    if host != platform.node() or not pid.isdigit():
        return False
    return str(start_time(int(pid))) != started


def plain_socket(stream: Any) -> socket.socket:
    """The socket below what the SDK returns for a hijacked connection."""
    return getattr(stream, "_sock", stream)  # type: ignore[no-any-return]


def already_read(stream: Any) -> bytes:
    """What arrived together with the answer's headers: the SDK hands out the socket and leaves this in its buffer."""
    plain_socket(stream).setblocking(False)
    return bytes(stream._response.raw._fp.fp.peek())


def close_stream(stream: Any) -> None:
    """Ends a hijacked connection at once; the daemon sees the end of the stream."""
    with suppress(OSError):  # the other side may have closed it already, which is what we want
        plain_socket(stream).shutdown(socket.SHUT_RDWR)
    with suppress(OSError):
        plain_socket(stream).close()
    response = getattr(stream, "_response", None)
    with suppress(OSError, ValueError):  # closing reads what is left of a connection that is gone
        stream.close()
        if response is not None:
            response.close()
