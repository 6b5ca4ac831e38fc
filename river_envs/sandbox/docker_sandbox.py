"""One container as a sandbox.

Process 1 is a shell that waits on its standard input, which this process holds open. That needs no program of the
image but ``/bin/sh``, reaps orphans, and ends the container when this process dies, however it dies. A timeout kills
process 1, and with it the whole process namespace at once, and starts the container again: the files stay, nothing else
does.

**Not guaranteed here.** Docker cannot bound the size of a container's file system on most storage drivers. A single
file is bounded by a file size limit (the writer gets SIGXFSZ instead of "no space left"); the total is looked at once a
second while a command runs, and everything is killed above it (exit code 137). The number of files is not bounded.
Files that a command puts into /dev/shm are not visible to ``get``.
"""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from river_envs.environment import File
from river_envs.sandbox import docker_exec, docker_files
from river_envs.sandbox.base import Delta, ExecResult, Image, Listing, SandboxError, SandboxLimits
from river_envs.sandbox.docker_client import Client, close_stream, daemon_errors, short
from river_envs.sandbox.docker_exec import Ending

HOLDER = ["/bin/sh", "-c", "exec 3<&0; while :; do read x <&3 & wait $!; [ $? -eq 1 ] && exit 0; done"]
"""Ends at the end of its input (status 1), goes on when a process of the sandbox kills the reader (status 137)."""

TRUSTED_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ARGUMENT_BYTES = 64_000
_TOOL_TIMEOUT_SEC = 60.0


@dataclass(frozen=True)
class Options:
    """How a container is made, apart from the limits."""

    network: bool
    labels: Mapping[str, str]


def create(client: Client, image: Image, limits: SandboxLimits, options: Options) -> str:
    """A container, not started yet; returns its id."""
    import docker.errors
    from docker.types import LogConfig, Ulimit

    api = client.api
    memory, file_size = limits.memory_mb << 20, limits.disk_mb << 20
    host_config = api.create_host_config(
        network_mode="bridge" if options.network else "none",
        mem_limit=memory,
        memswap_limit=memory,
        pids_limit=limits.processes + 2,  # process 1 and its reader
        nano_cpus=max(1, int(limits.cpus * 1e9)),
        security_opt=["no-new-privileges:true"],
        ulimits=[Ulimit(name="fsize", soft=file_size, hard=file_size), Ulimit(name="core", soft=0, hard=0)],
        log_config=LogConfig(type="none"),
        ipc_mode="private",
    )
    try:
        with daemon_errors("creating a container"):
            container = api.create_container(
                image.key, entrypoint=HOLDER, command=[], user="0:0", working_dir="/", hostname="sandbox",
                stdin_open=True, healthcheck={"test": ["NONE"]}, host_config=host_config,
                labels=dict(options.labels), use_config_proxy=False,
            )
    except SandboxError as error:
        if isinstance(error.__cause__, docker.errors.ImageNotFound):
            raise SandboxError(f"the image {image.key[:19]} is gone from Docker: build it again") from error
        raise
    return str(container["Id"])


class DockerSandbox:
    """See the module docstring; the methods' contracts are in ``base.py``."""

    def __init__(self, client: Client, image: Image, container: str, limits: SandboxLimits,
                 ended: Callable[[str], None]) -> None:
        self.image = image
        self._ended = ended
        self.container = container
        self.limits = limits
        self._client = client
        self._input: Any = None
        self._dead = ""

    def begin(self, delta: Delta | None) -> None:
        """Put the delta's files in, start, apply its deletions. Destroys the container when that fails."""
        try:
            deleted = [change.path for change in delta.changes if change.kind == "deleted"] if delta else []
            if deleted:
                self._start()
                self._unlink(deleted)
            if delta and len(deleted) < len(delta.changes):
                docker_files.unpack(self._client.api, self.container, docker_files.pack_delta(delta), "/")
            if not deleted:
                self._start()
        except BaseException:
            self.destroy()
            raise

    def _start(self) -> None:
        with daemon_errors("starting a container"):
            self._input = self._client.api.attach_socket(self.container, params={"stdin": 1, "stream": 1})
            self._client.api.start(self.container)

    def exec(
        self,
        command: Sequence[str],
        *,
        timeout_sec: float,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        cwd: str | None = None,
    ) -> ExecResult:
        """Run ``command`` and wait; see ``base.py``."""
        self._usable()
        given = dict(env or {})
        keep = frozenset(given) | {name for name, _ in self.image.env}
        wrapped = docker_exec.wrap(command, cwd or self.image.workdir, keep)
        began, since = time.monotonic(), time.time()
        process, stream = docker_exec.begin(self._client.api, self.container, wrapped, given, user or self.image.user)
        output = docker_exec.collect(stream, began + timeout_sec, self.limits.output_bytes, self._over_disk)
        seconds = time.monotonic() - began
        if output.ending is not Ending.CLOSED:
            self._kill_all()
            code = 137 if output.ending is Ending.DISK else None
            return ExecResult(code, output.content, seconds, output.ending is Ending.TIMEOUT, output.truncated)
        code, started = docker_exec.status(self._client.api, process)
        if not started:
            text = output.content.decode("utf-8", "replace").strip()
            raise SandboxError(f"Docker could not start a command: {text[:300] or 'no reason given'}")
        if code is None:
            self._dead = "a command ended without an exit status"
            raise SandboxError(f"the container died: {self._dead}")
        return ExecResult(code, output.content, seconds, False, output.truncated, self._out_of_memory(since))

    def _out_of_memory(self, since: float) -> bool:
        """Whether a process was killed for its memory since ``since``."""
        with daemon_errors("reading events"):
            events = self._client.api.events(
                since=f"{since:.6f}", until=f"{time.time():.6f}", decode=True,
                filters={"container": self.container, "event": "oom"},
            )
            return bool(list(events))

    def _over_disk(self) -> bool:
        with daemon_errors("measuring a container"):
            found = self._client.api.containers(all=True, size=True, filters={"id": self.container})
        return bool(found) and int(found[0].get("SizeRw") or 0) > self.limits.disk_mb << 20

    def _kill_all(self) -> None:
        """Kill every process and start the holder again."""
        import docker.errors

        api = self._client.api
        try:
            with daemon_errors("killing a container"):
                try:
                    api.kill(self.container)
                except docker.errors.APIError as error:
                    if "is not running" not in short(error):
                        raise
            if self._input is not None:
                close_stream(self._input)
            self._start()
        except SandboxError as error:
            self._dead = str(error)

    def put(self, files: Iterable[File], root: str = "/", *, user: str | None = None) -> None:
        """Write ``files`` below ``root``; see ``base.py``."""
        self._usable()
        files = tuple(files)
        if files:
            content = docker_files.pack(files, root, *self._ids(user))
            docker_files.unpack(self._client.api, self.container, content, root)

    def _ids(self, user: str | None) -> tuple[int, int]:
        """The numbers of a user of the sandbox (``name``, ``uid``, either with ``:group``)."""
        name, _, group = (user or "root").partition(":")
        if name in ("root", "0") and group in ("", "root", "0"):
            return 0, 0
        if name.isdigit() and group.isdigit():
            return int(name), int(group)
        passwd = _table(self.get("/etc/passwd"))
        row = next((row for row in passwd if name in (row[0], row[2])), None)
        if row is None and not name.isdigit():
            raise SandboxError(f"the image has no user {name!r}")
        uid, gid = (int(row[2]), int(row[3])) if row else (int(name), 0)
        if group and not group.isdigit():
            found = next((row for row in _table(self.get("/etc/group")) if row[0] == group), None)
            if found is None:
                raise SandboxError(f"the image has no group {group!r}")
            group = found[2]
        return uid, int(group) if group else gid

    def remove(self, path: str) -> None:
        """Remove a path and all below it; see ``base.py``."""
        self._usable()
        path = posixpath.normpath(posixpath.join("/", path))
        if path == "/":
            raise ValueError("the root of a sandbox cannot be removed")
        self._unlink([path])
        if docker_files.exists(self._client.api, self.container, path):
            raise SandboxError(f"{path} could not be removed: a process of the sandbox prevents it")

    def _unlink(self, paths: Sequence[str]) -> None:
        """Remove with the sandbox's own ``rm``, as many at a time as fit on a command line."""
        rest = [posixpath.join("/", path) for path in paths]
        while rest:
            size, count = 0, 0
            while count < len(rest) and (size + len(rest[count]) < _ARGUMENT_BYTES or count == 0):
                size, count = size + len(rest[count]) + 1, count + 1
            result = self.exec(["rm", "-rf", "--", *rest[:count]], timeout_sec=_TOOL_TIMEOUT_SEC, user="root", cwd="/",
                               env={"PATH": TRUSTED_PATH})
            if result.exit_code != 0:
                raise SandboxError(f"files could not be removed from a container: {result.text.strip()[:300]}")
            rest = rest[count:]

    def get(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """The first ``limit`` bytes of a regular file; see ``base.py``."""
        self._usable()
        return docker_files.read_file(self._client.api, self.container, path, limit)

    def list(self, roots: Sequence[str], *, limit: int = 20_000) -> tuple[Listing, ...]:
        """All entries below ``roots`` in path order; see ``base.py``."""
        self._usable()
        found = {entry.path: entry for root in roots
                 for entry in docker_files.listing(self._client.api, self.container, root)}
        return tuple(found[path] for path in sorted(found)[:limit])

    def delta(self) -> Delta:
        """The changes since the image; see ``base.py``."""
        from river_envs.sandbox.docker_delta import take_delta

        self._usable()
        return take_delta(self._client, self.container, self.image)

    def _usable(self) -> None:
        if self._dead:
            raise SandboxError(f"the sandbox is gone: {self._dead}")

    def destroy(self) -> None:
        """Kill everything and remove the container with its volumes."""
        if self._dead == "destroyed":
            return
        self._dead = "destroyed"
        remove(self._client, self.container)
        self._ended(self.container)
        if self._input is not None:
            close_stream(self._input)
            self._input = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.destroy()


def remove(client: Client, container: str) -> bool:
    """Remove a container, waiting where the daemon is removing it already; whether there was one."""
    import docker.errors

    for _ in range(200):
        try:
            with daemon_errors("removing a container"):
                client.api.remove_container(container, v=True, force=True)
        except SandboxError as error:
            if isinstance(error.__cause__, docker.errors.NotFound):
                return False
            if "already in progress" not in str(error):
                raise
            time.sleep(0.05)
        else:
            return True
    raise SandboxError(f"Docker does not finish removing the container {container[:12]}")


def _table(content: bytes) -> list[list[str]]:
    """The rows of /etc/passwd or /etc/group that have numbers where they should."""
    rows = [line.split(":") for line in content.decode("utf-8", "replace").splitlines()]
    return [row for row in rows if len(row) > 3 and row[2].isdigit() and (len(row) == 4 or row[3].isdigit())]
