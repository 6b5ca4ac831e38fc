"""The protocol that every sandbox backend implements, and the values that cross it.

    backend = open_backend("bubblewrap")                    # or "docker"
    image = backend.build(environment.image, limits)        # cached by content hash; raises BuildFailed
    with backend.start(image, delta=None, limits=SandboxLimits()) as sandbox:
        sandbox.put([File("app/answer.txt", b"42\n")])
        result = sandbox.exec(["bash", "-c", "ls /app"], timeout_sec=30)
        delta = sandbox.delta()

**Guarantees** (``conformance.py`` checks each, on each backend): a sandbox starts from exactly image + delta; nothing
done in one is seen by another or by the host; no network unless ``network=True``; the limits hold; when ``destroy``
returns, no process, mount, cgroup or container of the sandbox is left, also when the parent is killed.

**Not guaranteed**: protection against kernel bugs; equal timing; that a process started by one ``exec`` sees file
handles of another. Processes left running by one ``exec`` live on until ``destroy`` or a timeout; a timeout kills every
process of the sandbox, not only the command's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import TracebackType
from typing import Literal, Protocol, Self

from river_envs.environment import File, ImageRecipe, RiverError, digest, sha256


class SandboxError(RiverError):
    """The sandbox itself failed: an infrastructure error, never evidence about an environment."""


class BackendUnavailable(RiverError):
    """The backend cannot work on this machine, as this user; the message says why and what to do."""


class BuildFailed(RiverError):
    """An image could not be built.

    ``log`` is the build's output. ``blameless`` is true when the failure may lie with this machine rather than with the
    recipe: a substituted base, a network that did not answer, an instruction outside the built-in subset.
    """

    def __init__(self, message: str, log: str = "", *, blameless: bool = True) -> None:
        super().__init__(message)
        self.log = log
        self.blameless = blameless


@dataclass(frozen=True)
class SandboxLimits:
    """Limits of one sandbox. ``output_bytes`` caps the output kept per exec; a command that writes far more is
    killed.
    """

    memory_mb: int = 2048
    disk_mb: int = 1024
    inodes: int = 200_000
    processes: int = 512
    cpus: float = 1.0
    output_bytes: int = 1 << 20


@dataclass(frozen=True)
class Base:
    """Which base an image was asked to start from, and which one it did start from.

    ``origin`` is one of alias, imported, docker, host, scratch. ``substituted`` is true when ``origin`` is alias or
    host: the content is not what the recipe's author had.
    """

    requested: str
    resolved: str
    origin: Literal["alias", "imported", "docker", "host", "scratch"]
    substituted: bool


_WANTING = re.compile(
    r"unable to locate package|no installation candidate|no matching distribution|command not found|: not found"
    r"|no such (user|group)|no user '|no group '|unmet dependencies|no such package|404 +not found|is not in the image",
    re.IGNORECASE,
)


def lies_with_the_base(bases: Sequence[Base], log: str) -> bool:
    """Whether a failed build may be the fault of a base that stands in for the recipe's own.

    Always on the machine's own file system that nobody named. On an alias, which the user vouched for, only where the
    log misses what a base provides: a package, a program, a user.
    """
    if any(base.origin == "host" for base in bases):
        return True
    return any(base.substituted for base in bases) and _WANTING.search(log) is not None


@dataclass(frozen=True)
class Image:
    """A built image, as its backend knows it.

    ``key`` identifies the content to the backend (a layer chain or a Docker image id). ``env``, ``workdir``,
    ``user`` are the defaults that recipes set for every process.
    """

    key: str
    layers: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    workdir: str = "/"
    user: str = "root"
    bases: tuple[Base, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExecResult:
    """What a command did. ``output`` is stdout and stderr as they came, cut at the limit (``truncated``).

    ``exit_code`` is None when the command was killed for its time or its output. 128 + n for a signal n.
    """

    exit_code: int | None
    output: bytes
    seconds: float
    timed_out: bool = False
    truncated: bool = False
    out_of_memory: bool = False

    @property
    def text(self) -> str:
        """The output as text; bytes that are not UTF-8 are replaced."""
        return self.output.decode("utf-8", "replace")


@dataclass(frozen=True)
class Change:
    """One path of a delta. ``path`` has no leading slash. Directories carry only their attributes."""

    path: str
    kind: Literal["file", "directory", "link", "deleted"]
    mode: int = 0o644
    uid: int = 0
    gid: int = 0
    content: bytes = b""
    link: str | None = None
    mtime: int = 0


@dataclass(frozen=True)
class Delta:
    """The changes a solution left in the file system, relative to the image, in path order.

    Paths whose type, content, mode and owner equal the image's are left out, and so are /proc, /sys, /dev, /logs and
    whatever the backend itself put there. Sockets, FIFOs and devices are left out and named in ``skipped``. A directory
    that was removed and made again is a deletion of each path that is gone. ``digest`` ignores times.
    """

    changes: tuple[Change, ...] = ()
    skipped: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Content hash: equal deltas have equal digests on every backend."""
        return digest([[c.path, c.kind, c.mode, c.uid, c.gid, c.link, sha256(c.content)] for c in self.changes])

    def get(self, path: str) -> Change | None:
        """The change at ``path`` (with or without a leading slash), or None."""
        path = path.lstrip("/")
        return next((change for change in self.changes if change.path == path), None)


@dataclass(frozen=True)
class Listing:
    """One entry of a survey of a sandbox's file system."""

    path: str
    kind: Literal["file", "directory", "link"]
    size: int
    mode: int


class Sandbox(Protocol):
    """One running sandbox. A context manager; ``destroy`` may be called twice and never raises for a dead sandbox."""

    image: Image

    def exec(
        self,
        command: Sequence[str],
        *,
        timeout_sec: float,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        cwd: str | None = None,
    ) -> ExecResult:
        """Run ``command`` (an argument vector, not a shell line) and wait.

        The environment holds exactly: PATH and HOME defaults, the image's ``env``, then ``env``. ``user`` and ``cwd``
        default to the image's. stdin is /dev/null. A command that does not exist gives exit code 127, one that
        cannot be executed 126. Raises SandboxError when the sandbox is gone.
        """
        ...

    def put(self, files: Iterable[File], root: str = "/", *, user: str | None = None) -> None:
        """Write ``files`` below ``root``, making parents (0o755). Existing paths are replaced: a link at the final
        component is removed, never followed. Owner: ``user`` (default root). A link in a parent is resolved inside
        the sandbox.
        """
        ...

    def remove(self, path: str) -> None:
        """Remove a path and all below it; nothing happens where there is none."""
        ...

    def get(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """The first ``limit`` bytes of a regular file; links are followed inside the sandbox.

        Raises FileNotFoundError, IsADirectoryError, or OSError for what is no regular file (FIFO, socket, device):
        never blocks on one.
        """
        ...

    def list(self, roots: Sequence[str], *, limit: int = 20_000) -> tuple[Listing, ...]:
        """All entries below ``roots`` in path order, without crossing into /proc, /sys or /dev, and without
        following links.
        """
        ...

    def delta(self) -> Delta:
        """The changes since the image (an applied delta is part of the result). Raises SandboxError above the size
        limit.
        """
        ...

    def destroy(self) -> None:
        """Kill everything and remove every trace."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True)
class Check:
    """One line of ``doctor``: whether something holds on this machine, as this user, and what to do when it does
    not.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""


class Backend(Protocol):
    """A way to run sandboxes. Safe to use from several threads."""

    name: str

    def check(self) -> list[Check]:
        """What works here; the backend is usable when no check named in ``required`` fails. Never raises."""
        ...

    def build(self, recipe: ImageRecipe, *, timeout_sec: float = 600.0, network: bool = True) -> Image:
        """Build or fetch the image, once per ``recipe.digest``; concurrent calls for one digest build once. Raises
        BuildFailed.
        """
        ...

    def layer(
        self,
        image: Image,
        files: Sequence[File],
        command: Sequence[str],
        *,
        key: str,
        network: bool = True,
        timeout_sec: float = 600.0,
    ) -> Image:
        """``image`` with ``files`` put at / and ``command`` run on top, cached under ``key`` (used for test layers)."""
        ...

    def start(
        self,
        image: Image,
        *,
        delta: Delta | None = None,
        limits: SandboxLimits = SandboxLimits(),
        network: bool = False,
    ) -> Sandbox:
        """A fresh sandbox from image + delta."""
        ...

    def sweep(self) -> int:
        """Remove what killed runs left behind (containers, cgroups, temporary folders); returns how many things."""
        ...

    def close(self) -> None:
        """Stop helper processes. Sandboxes still running are destroyed."""
        ...


@dataclass(frozen=True)
class BackendOptions:
    """What the user may configure for every backend; the command line fills it, nothing reads it from the environment.

    ``store`` is the image cache (default ``~/.cache/river-envs``), ``store_budget_mb`` its size, oldest images out
    first. ``build_env`` are variables passed to builds only (proxies, pip settings), ``ca_bundle`` a file bound
    read-only at the usual places during builds.
    """

    store: str | None = None
    store_budget_mb: int = 20_000
    build_env: Mapping[str, str] = field(default_factory=dict)
    ca_bundle: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
