"""One action of a plan, executed in a sandbox whose changes are kept on disk as a layer."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Protocol

from river_envs.environment import File
from river_envs.images import placer
from river_envs.images.context import Source
from river_envs.images.plan import PROGRAM, FilesAction, Placement, RunAction
from river_envs.sandbox import host_python
from river_envs.sandbox.base import BackendOptions, ExecResult, Sandbox, SandboxLimits
from river_envs.sandbox.idmap import IdMap
from river_envs.sandbox.rootfs import Mount, Rootfs, upper_name

BUILD_LIMITS = SandboxLimits(
    memory_mb=4096, disk_mb=64, inodes=10_000, processes=4096, cpus=float(os.cpu_count() or 1), output_bytes=4 << 20
)
"""Limits of one build step. Its changes lie on disk, so ``disk_mb`` is only the sandbox's own housekeeping."""

_CA = "/.river-ca.crt"
_APT = "/.river-apt.conf"
_WGET = "/.river-wgetrc"
_TARGET = "/.river-image"
_CONTEXT = "/.river-context"
_CA_VARIABLES = (
    "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS",
)
_NETWORK = re.compile(
    r"Temporary failure (in name resolution|resolving)|Could not resolve|Name or service not known|Connection (refused|"
    r"reset|timed out)|Network is unreachable|No route to host|ConnectTimeout|ReadTimeout|Max retries exceeded|"
    r"certificate verify failed|SSL certificate problem|ProxyError|proxyconnect|(Failed|Unable) to connect|"
    r"getaddrinfo|EAI_AGAIN|TLS handshake|5\d\d (Bad Gateway|Service Unavailable|Gateway Time-?out)",
    re.IGNORECASE,
)


_QUIET = re.compile(
    r"\bwget\b[^|;&\n]*\s(?:-\w*q|-nv|--quiet|--no-verbose)|\bcurl\b[^|;&\n]*\s(?:-(?!\w*S)\w*s|--silent(?!.*--show))"
)


def downloads_quietly(command: str) -> bool:
    """Whether a command downloads something and keeps to itself why that failed: nobody can tell then whether the
    address is wrong or out of reach from here.
    """
    return bool(_QUIET.search(command))


class Namespaced(Protocol):
    """What building needs of ``sandbox.namespaces.Namespaces``."""

    id_map: IdMap

    def start(
        self, rootfs: Rootfs, *, env: Mapping[str, str] = ..., workdir: str = ..., user: str = ...,
        limits: SandboxLimits = ..., network: bool = ..., upper: str | Path | None = ...,
        binds: Mapping[str, str] | None = ...,
    ) -> AbstractContextManager[Sandbox]:
        """A running sandbox."""

    def untar(self, archive: str, dest: str) -> Any:
        """Unpack an archive with the owners that sandboxes see."""

    def copy(self, source: str, dest: str) -> Any:
        """Copy a directory's content faithfully."""

    def rmtree(self, path: str) -> None:
        """Remove a tree whoever owns it."""


class StepFailed(Exception):
    """A step that ended badly. ``reason``: command, timeout, memory, or missing (a file that is not there)."""

    def __init__(
        self,
        title: str,
        message: str,
        log: str,
        reason: Literal["command", "timeout", "memory", "missing"],
        command: str = "",
    ) -> None:
        super().__init__(title, message)
        self.title = title
        self.message = message
        self.log = log
        self.reason = reason
        self.command = command

    @property
    def network(self) -> bool:
        """Whether the log reads like a network that did not answer, or could not tell."""
        return bool(_NETWORK.search(self.log[-20_000:])) or downloads_quietly(self.command)


class Steps:
    """Executes actions. ``host`` gives the root file system in which the placing program runs."""

    def __init__(self, namespaces: Namespaced, options: BackendOptions, host: Callable[[], tuple[Rootfs, str]]) -> None:
        self.namespaces = namespaces
        self.options = options
        self.host = host

    def run(
        self, action: RunAction, rootfs: Rootfs, directory: Path, *, started: Path | None, network: bool,
        timeout_sec: float,
    ) -> str:
        """Run a command; its changes become the layer ``directory``. Returns its output. Raises StepFailed.

        ``started`` is a layer on top of ``rootfs`` whose changes the new layer takes over.
        """
        if started:
            self.namespaces.copy(str(started), str(directory))
        network = network and action.network
        env, binds = self._outside(directory.parent, network=network)
        if action.program:
            program = directory.parent / "program"
            program.write_text(action.program, "utf-8")
            program.chmod(0o755)
            binds[PROGRAM] = str(program)
        with self._start(rootfs, directory, network, binds) as sandbox:
            result = sandbox.exec(
                action.argv, timeout_sec=timeout_sec, env={**env, **dict(action.env)}, user=action.user,
                cwd=action.workdir,
            )
            log = f"{action.title}\n{result.text}"
            self._check(action.title, result, log, timeout_sec, "\n".join((*action.argv, action.program or "")))
        self._tidy(directory)
        return log

    def layer(
        self, files: Sequence[File], command: Sequence[str], rootfs: Rootfs, env: Mapping[str, str], directory: Path,
        *, network: bool, timeout_sec: float,
    ) -> str:
        """Put ``files`` at / and run ``command`` as root; the layer is ``directory``. Raises StepFailed."""
        outside, binds = self._outside(directory.parent, network=network)
        log = ""
        with self._start(rootfs, directory, network, binds) as sandbox:
            sandbox.put(files, "/")
            if command:
                title = f"RUN {' '.join(command)[:120]}"
                result = sandbox.exec(command, timeout_sec=timeout_sec, env={**outside, **env}, user="root", cwd="/")
                log = f"{title}\n{result.text}"
                self._check(title, result, log, timeout_sec)
        self._tidy(directory)
        return log

    def place(
        self, action: FilesAction, rootfs: Rootfs, origins: Mapping[int | str, Rootfs], directory: Path,
        *, started: Path | None, timeout_sec: float,
    ) -> str:
        """Put files into the image; the layer is ``directory``. Raises StepFailed."""
        names = {origin: f"/.river-from-{number}" for number, origin in enumerate(origins)}
        staging = directory.parent / "context"
        _stage(action, names, staging)
        mounts = [*self.host()[0].mounts, Mount(_CONTEXT, (str(staging),), read_only=True)]
        mounts += _moved(rootfs, _TARGET)
        for origin, other in origins.items():
            mounts += [replace(mount, read_only=True) for mount in _moved(other, names[origin])]
        work = directory.parent / "placing"
        for mount in rootfs.mounts:
            name = upper_name(mount.dest)
            if started and (started / name).exists():
                self.namespaces.copy(str(started / name), str(work / upper_name(_below(_TARGET, mount.dest))))
        with self._start(Rootfs(tuple(mounts)), work, False, {}) as sandbox:
            command = [host_python.executable(), "-I", "-S", f"{_CONTEXT}/placer.py", f"{_CONTEXT}/spec.json"]
            result = sandbox.exec(command, timeout_sec=timeout_sec, user="root", cwd="/")
            log = f"{action.title}\n{result.text}"
            if result.exit_code == 3:
                raise StepFailed(action.title, result.text.strip()[-500:], log, "missing")
            self._check(action.title, result, log, timeout_sec)
        for mount in rootfs.mounts:
            made = work / upper_name(_below(_TARGET, mount.dest))
            if made.exists():
                made.rename(directory / upper_name(mount.dest))
        return log

    def _start(
        self, rootfs: Rootfs, upper: Path, network: bool, binds: Mapping[str, str]
    ) -> AbstractContextManager[Sandbox]:
        return self.namespaces.start(
            rootfs, limits=BUILD_LIMITS, network=network, upper=str(upper), binds=dict(binds)
        )

    def _outside(self, work: Path, *, network: bool) -> tuple[dict[str, str], dict[str, str]]:
        """(variables, binds) that a build gets from the caller's configuration and that never stay in an image."""
        env = {"DEBIAN_FRONTEND": "noninteractive", **self.options.build_env}
        binds: dict[str, str] = {}
        if not network:
            return env, binds
        if Path("/etc/resolv.conf").exists():
            binds["/etc/resolv.conf"] = str(Path("/etc/resolv.conf").resolve())
        if self.options.ca_bundle:
            bundle = work / "ca.crt"
            shutil.copyfile(self.options.ca_bundle, bundle)
            (work / "apt.conf").write_text(f'Acquire::https::CaInfo "{_CA}";\n')
            (work / "wgetrc").write_text(f"ca_certificate = {_CA}\n")
            for name in ("ca.crt", "apt.conf", "wgetrc"):
                (work / name).chmod(0o644)
            binds |= {_CA: str(bundle), _APT: str(work / "apt.conf"), _WGET: str(work / "wgetrc")}
            env |= dict.fromkeys(_CA_VARIABLES, _CA)
            env |= {"APT_CONFIG": _APT, "WGETRC": _WGET}
        return env, binds

    def _check(self, title: str, result: ExecResult, log: str, timeout_sec: float, command: str = "") -> None:
        if result.timed_out:
            raise StepFailed(title, f"it did not end within {timeout_sec:.0f} s", log, "timeout")
        if result.exit_code != 0:
            if result.out_of_memory:
                raise StepFailed(title, f"it needed more than {BUILD_LIMITS.memory_mb} MB of memory", log, "memory")
            raise StepFailed(title, f"it ended with status {result.exit_code}", log, "command", command)

    def _tidy(self, directory: Path) -> None:
        """Remove what overlayfs needed while the layer was made."""
        if (directory / ".work").exists():
            self.namespaces.rmtree(str(directory / ".work"))


def _below(folder: str, dest: str) -> str:
    return folder if dest == "/" else folder + dest


def _moved(rootfs: Rootfs, folder: str) -> list[Mount]:
    """The mounts of ``rootfs`` as they are when its root is ``folder``."""
    return [replace(mount, dest=_below(folder, mount.dest)) for mount in rootfs.mounts]


def _stage(action: FilesAction, names: Mapping[int | str, str], staging: Path) -> None:
    """Write the context files, the specification and the placing program where the sandbox will see them."""
    staging.mkdir(mode=0o755)
    shutil.copyfile(placer.__file__, staging / "placer.py")
    (staging / "placer.py").chmod(0o644)
    specs = []
    for number, placement in enumerate(action.placements):
        sources = []
        for index, source in enumerate(placement.sources):
            place = staging / f"{number}-{index}"
            _write_source(source, place)
            sources.append({"name": source.name, "directory": source.directory,
                            "path": f"{_CONTEXT}/{place.name}" + ("" if source.directory else "/file")})
        specs.append(_spec(placement, sources, names))
    spec = staging / "spec.json"
    spec.write_text(json.dumps({"root": _TARGET, "placements": specs}), "utf-8")
    spec.chmod(0o644)


def _spec(placement: Placement, sources: list[dict[str, Any]], names: Mapping[int | str, str]) -> dict[str, Any]:
    return {
        "target": placement.target, "make": placement.make, "sources": sources, "patterns": list(placement.patterns),
        "from": None if placement.origin is None else names[placement.origin], "owner": placement.owner,
        "mode": placement.mode, "unpack": placement.unpack, "nest": placement.nest,
    }


def _write_source(source: Source, place: Path) -> None:
    place.mkdir(mode=0o755)
    for file in source.files:
        path = place / (file.path if source.directory else "file")
        for parent in reversed(path.relative_to(place).parents[:-1]):
            (place / parent).mkdir(mode=0o755, exist_ok=True)
        if file.link is not None:
            path.symlink_to(file.link)
        else:
            path.write_bytes(file.content)
            path.chmod(file.mode)
