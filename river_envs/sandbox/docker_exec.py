"""One command in a container: the process, its bytes and how it ended.

The daemon carries stdout and stderr in two pipes whose order is lost, so a shell of two lines joins them before it
becomes the command. It also takes away what the daemon and the shell put into the environment, so that a command sees
the same variables on every backend. The exit status is the one that the daemon recorded for the process.

When a process that the command left behind still holds its output, the daemon needs two seconds more to return.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from river_envs.sandbox.base import SandboxError
from river_envs.sandbox.docker_client import already_read, close_stream, daemon_errors, plain_socket

_ADDED = ("HOSTNAME", "PWD", "OLDPWD", "SHLVL", "TERM", "_")
"""Variables that the daemon or the joining shell adds."""

FLOOD = 16
"""A command is killed when it writes more than this many times the output that is kept."""

_WATCH_SEC = 1.0
_STATUS_WAIT_SEC = 10.0


class Ending(Enum):
    """Why reading stopped."""

    CLOSED = "closed"
    TIMEOUT = "timeout"
    FLOOD = "flood"
    DISK = "disk"


@dataclass(frozen=True)
class Output:
    """What a command wrote, and why reading stopped."""

    content: bytes
    truncated: bool
    ending: Ending


def wrap(command: Sequence[str], cwd: str, keep: frozenset[str]) -> list[str]:
    """The argument vector that joins the two outputs and then becomes ``command`` in ``cwd``."""
    dropped = " ".join(name for name in _ADDED if name not in keep)
    script = f'exec 2>&1; cd -- "$0" || exit 126; unset {dropped}; exec "$@"' if dropped else 'exec "$@" 2>&1'
    return ["/bin/sh", "-c", script, cwd, *command]


def begin(
    api: Any, container: str, command: Sequence[str], env: Mapping[str, str], user: str
) -> tuple[str, Any]:
    """Starts ``command``; returns the daemon's name for the process and the connection that carries its output."""
    with daemon_errors("starting a command"):
        process = api.exec_create(container, list(command), environment=dict(env), user=user, workdir="/")["Id"]
        return process, api.exec_start(process, socket=True)


def collect(stream: Any, deadline: float, keep: int, over_disk: Callable[[], bool]) -> Output:
    """Reads frames until the end, the deadline (monotonic seconds), a flood, or until ``over_disk`` says so.

    A frame is a byte for the stream, three of nothing, the length in four bytes (big-endian), and the content.
    """
    source = plain_socket(stream)
    kept = bytearray()
    total = pending = 0
    header = b""
    look = time.monotonic() + _WATCH_SEC
    try:
        early = already_read(stream)
        while True:
            now = time.monotonic()
            if now >= deadline:
                return Output(bytes(kept), total > keep, Ending.TIMEOUT)
            if total > FLOOD * keep:
                return Output(bytes(kept), True, Ending.FLOOD)
            if now >= look:
                if over_disk():
                    return Output(bytes(kept), total > keep, Ending.DISK)
                look = time.monotonic() + _WATCH_SEC
            source.settimeout(max(0.001, min(deadline, look) - now))
            try:
                data, early = early or source.recv(1 << 16), b""
            except TimeoutError:
                continue
            except ConnectionError as error:
                raise SandboxError(f"the connection to Docker broke while a command ran: {error}") from error
            if not data:
                return Output(bytes(kept), total > keep, Ending.CLOSED)
            while data:
                if pending:
                    piece, data = data[:pending], data[pending:]
                    pending -= len(piece)
                    total += len(piece)
                    kept += piece[: keep - len(kept)]
                else:
                    need = 8 - len(header)
                    header, data = header + data[:need], data[need:]
                    if len(header) == 8:
                        pending, header = int.from_bytes(header[4:], "big"), b""
    finally:
        close_stream(stream)


def status(api: Any, process: str) -> tuple[int | None, bool]:
    """The exit status, and whether the process was ever started."""
    deadline = time.monotonic() + _STATUS_WAIT_SEC
    while True:
        with daemon_errors("reading an exit status"):
            found = api.exec_inspect(process)
        if not found["Running"] and found["ExitCode"] is not None:
            return int(found["ExitCode"]), bool(found.get("Pid"))
        if time.monotonic() > deadline:
            return None, True
        time.sleep(0.005)
