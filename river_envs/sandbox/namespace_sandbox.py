"""One running namespace sandbox, seen from the parent: requests to its holder over a socket."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from river_envs.environment import File
from river_envs.sandbox.base import Change, Delta, ExecResult, Image, Listing, SandboxError, SandboxLimits
from river_envs.sandbox.cgroups import Group
from river_envs.sandbox.inside import wire

DELTA_BYTES = 256 << 20
"""How much file content a delta may hold."""
_START_SECONDS = 60.0
_FILE_SECONDS = 600.0
_GRACE_SECONDS = 30.0


class NamespaceSandbox:
    """Implements ``base.Sandbox``. Made by ``Namespaces.start``; one request at a time, from any thread."""

    def __init__(
        self, connection: socket.socket, *, group: Group | None, limits: SandboxLimits, env: Mapping[str, str],
        workdir: str, user: str, image: Image, forget: Callable[[NamespaceSandbox], None],
    ) -> None:
        self.image = image
        self.limits = limits
        self._channel = wire.Channel(connection)
        self.group = group
        self._env = dict(env)
        self._workdir = workdir
        self._user = user
        self._forget = forget
        self._lock = threading.Lock()
        self._holder: int | None = None  # a pidfd
        self._destroyed = False

    def begin(self) -> None:
        """Wait until the holder has assembled the sandbox. Raises SandboxError."""
        connection = self._channel.socket
        connection.settimeout(_START_SECONDS)
        try:
            self._holder = os.pidfd_open(wire.receive_hello(connection))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
            answer, _, _ = self._channel.receive()
        except (EOFError, OSError) as error:
            raise SandboxError(f"a sandbox did not start: {error}") from error
        if "error" in answer:
            raise SandboxError(f"a sandbox could not be assembled: {answer['error']}")

    def exec(
        self, command: Sequence[str], *, timeout_sec: float, env: Mapping[str, str] | None = None,
        user: str | None = None, cwd: str | None = None,
    ) -> ExecResult:
        """See ``base.Sandbox.exec``."""
        if not command:
            raise SandboxError("an empty command cannot be run")
        answer, output = self._ask(
            {
                "op": "exec",
                "command": list(command),
                "timeout_sec": timeout_sec,
                "env": {**self._env, **(env or {})},
                "user": user or self._user,
                "cwd": cwd or self._workdir,
                "output_bytes": self.limits.output_bytes,
            },
            seconds=timeout_sec + _GRACE_SECONDS,
        )
        return ExecResult(
            exit_code=answer["exit_code"], output=output, seconds=answer["seconds"], timed_out=answer["timed_out"],
            truncated=answer["truncated"],
            out_of_memory=answer["out_of_memory"] or (self.group is not None and self.group.out_of_memory()),
        )

    def put(self, files: Iterable[File], root: str = "/", *, user: str | None = None) -> None:
        """See ``base.Sandbox.put``."""
        prefix = root.rstrip("/")
        rows, contents = [], []
        for file in files:
            content = b"" if file.link is not None else file.content
            rows.append([f"{prefix}/{file.path}", file.mode, file.link, len(content)])
            contents.append(content)
        self._ask({"op": "put", "files": rows, "user": user or "root"}, b"".join(contents))

    def apply(self, delta: Delta) -> None:
        """Make the changes of ``delta`` here. Raises SandboxError when an owner or a path cannot be made."""
        rows = [[c.path, c.kind, c.mode, c.uid, c.gid, len(c.content), c.link, c.mtime] for c in delta.changes]
        contents = b"".join(change.content for change in delta.changes)
        try:
            self._ask({"op": "apply", "changes": rows}, contents)
        except OSError as error:
            raise SandboxError(f"a delta could not be applied: {error}") from error

    def remove(self, path: str) -> None:
        """See ``base.Sandbox.remove``."""
        self._ask({"op": "remove", "path": path})

    def get(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """See ``base.Sandbox.get``."""
        return self._ask({"op": "get", "path": path, "limit": limit})[1]

    def list(self, roots: Sequence[str], *, limit: int = 20_000) -> tuple[Listing, ...]:
        """See ``base.Sandbox.list``."""
        answer, _ = self._ask({"op": "list", "roots": list(roots), "limit": limit})
        return tuple(Listing(*entry) for entry in answer["entries"])

    def delta(self) -> Delta:
        """See ``base.Sandbox.delta``."""
        answer, payload = self._ask({"op": "delta", "limit": DELTA_BYTES})
        changes, offset = [], 0
        for path, kind, mode, uid, gid, size, link, mtime in answer["changes"]:
            content = payload[offset:offset + size]
            changes.append(Change(path, kind, mode, uid, gid, content, link, mtime))
            offset += size
        return Delta(tuple(changes), tuple(answer["skipped"]))

    def _ask(
        self, message: dict[str, Any], payload: bytes = b"", *, seconds: float = _FILE_SECONDS
    ) -> tuple[dict[str, Any], bytes]:
        with self._lock:
            if self._destroyed:
                raise SandboxError("the sandbox has been destroyed")
            self._channel.socket.settimeout(seconds)
            try:
                self._channel.send(message, payload)
                answer, content, _ = self._channel.receive()
            except (EOFError, OSError) as error:
                self._kill()
                raise SandboxError(f"the sandbox died during {message['op']}: {error or 'no answer'}") from error
            except BaseException:
                self._kill()  # interrupted between question and answer: the next answer would belong to this one
                raise
        if "refused" in answer:
            raise SandboxError(answer["refused"])
        if "error" in answer:
            raise SandboxError(f"the sandbox died during {message['op']}: {answer['error']}")
        if "errno" in answer:
            raise OSError(answer["errno"], answer["text"], answer["path"])
        return answer, content

    def _kill(self) -> None:
        if self._holder is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._holder, signal.SIGKILL)

    def destroy(self) -> None:
        """Kill everything and remove every trace; may be called twice and from another thread during a request."""
        if not self._lock.acquire(timeout=0):
            self._kill()  # a request is under way: it ends with an error
            self._lock.acquire()
        try:
            if self._destroyed:
                return
            self._destroyed = True
            self._channel.socket.settimeout(_GRACE_SECONDS)
            try:
                self._channel.send({"op": "destroy"})
                self._channel.receive()
            except (EOFError, OSError):
                self._kill()  # dead already, or not answering
            self._channel.close()
            self._await_end()
        finally:
            self._lock.release()
            self._forget(self)
        if self.group is not None:
            try:
                self.group.remove()
            except OSError as error:
                raise SandboxError(f"a control group of a sandbox could not be removed: {error}") from error

    def _await_end(self) -> None:
        """Wait for the end of pid 1: the kernel has then killed and reaped everything in the sandbox."""
        if self._holder is None:
            return
        poller = select.poll()
        poller.register(self._holder, select.POLLIN)
        if not poller.poll(_GRACE_SECONDS * 1000):
            self._kill()
            poller.poll(_GRACE_SECONDS * 1000)
        os.close(self._holder)
        self._holder = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.destroy()
