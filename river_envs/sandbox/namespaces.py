"""The parent's side of the launcher: start it, map its users, ask it for sandboxes and file operations.

A :class:`Namespaces` belongs to one process. It starts its launcher at the first request, checks that it is still
alive at the next ones, and starts another one after a fork, whose child must not speak on the parent's socket.
"""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from river_envs.sandbox import cgroups, idmap
from river_envs.sandbox.base import Delta, Image, SandboxError, SandboxLimits
from river_envs.sandbox.inside import wire
from river_envs.sandbox.launch import Launcher, Parcel
from river_envs.sandbox.namespace_sandbox import NamespaceSandbox
from river_envs.sandbox.rootfs import Rootfs, upper_name

_SHM_MB = 64
_BURST_MB = 512


class Namespaces:
    """Sandboxes and file operations in user namespaces of this process. Safe to use from several threads."""

    def __init__(self) -> None:
        self.id_map = idmap.choose()
        self._lock = threading.Lock()
        self._launcher: Launcher | None = None
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

        Without ``upper`` its changes are held in a tmpfs of ``limits.disk_mb`` and vanish with it. With ``upper``, an
        absolute directory (made when missing), they are kept there as a layer, see ``rootfs``; the disk is then not
        limited. ``binds`` maps paths inside the sandbox to the host's files or directories shown there read-only.
        Raises SandboxError.
        """
        group = self._group(limits)
        with Parcel() as parcel:
            parcel.answers.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            try:
                request = self._describe(rootfs, limits, group, parcel)
                request |= {
                    "network": network,
                    "upper": None if upper is None else self._expose(self.make_directory(upper), parcel),
                    "binds": [[dest, self._expose(source, parcel)] for dest, source in (binds or {}).items()],
                }
                self._alive().send(request, parcel)
            except BaseException:
                parcel.answers.close()
                if group:
                    group.remove()
                raise
        sandbox = NamespaceSandbox(
            parcel.answers, group=group, limits=limits, env=dict(env), workdir=workdir, user=user,
            image=image or Image(key=""), forget=self._sandboxes.discard,
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

    def _describe(
        self, rootfs: Rootfs, limits: SandboxLimits, group: cgroups.Group | None, parcel: Parcel
    ) -> dict[str, Any]:
        mounts = [
            {"dest": mount.dest, "read_only": mount.read_only, "upper": upper_name(mount.dest),
             "lowers": [self._expose(lower, parcel) for lower in mount.lowers]}
            for mount in rootfs.mounts
        ]
        entrances = [parcel.add(descriptor) for descriptor in group.open_entrances()] if group else []
        memory_controlled = group is not None and cgroups.hierarchy().limits("memory")
        return {
            "op": "sandbox", "mounts": mounts, "disk_mb": limits.disk_mb, "inodes": limits.inodes, "cgroups": entrances,
            "rlimits": _rlimits(limits, controlled=group is not None),
            "memory": None if memory_controlled else limits.memory_mb << 20,
        }

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
        with Parcel() as parcel, open(archive, "rb") as file:
            request = {"op": "untar", "archive": parcel.add(os.dup(file.fileno())),
                       "dest": self._expose(self.make_directory(dest), parcel)}
            self._work(request, parcel)

    def copy(self, source: str | Path, dest: str | Path) -> None:
        """Copy a directory's content and attributes into ``dest``, which must be missing or empty.

        Modes, owners, times, hard links and overlay markers are kept; sockets, FIFOs and devices left out. Raises
        SandboxError.
        """
        with Parcel() as parcel:
            request = {"op": "copy", "source": self._expose(str(Path(source).absolute()), parcel),
                       "dest": self._expose(self.make_directory(dest), parcel)}
            self._work(request, parcel)

    def rmtree(self, path: str | Path) -> None:
        """Remove a path and all below it, whoever owns it inside. Nothing happens where there is none."""
        target = Path(path).absolute()
        if not os.path.lexists(target):
            return
        if self.id_map.mode != "root":
            with Parcel() as parcel:
                self._work({"op": "rmtree", "parent": str(target.parent), "name": target.name}, parcel)
        elif target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink()

    def size(self, path: str | Path) -> int:
        """Bytes on disk below a directory, hard links counted once."""
        with Parcel() as parcel:
            shown = self._expose(str(Path(path).absolute()), parcel)
            return int(self._work({"op": "size", "path": shown}, parcel)["bytes"])

    def _work(self, request: dict[str, Any], parcel: Parcel) -> dict[str, Any]:
        with parcel.answers:
            self._alive().send(request, parcel)
            parcel.sent()
            try:
                answer, _, _ = wire.Channel(parcel.answers).receive()
            except (EOFError, OSError) as error:
                raise SandboxError(f"the file operation {request['op']} was interrupted: {error}") from error
        if "refused" in answer or "error" in answer:
            raise SandboxError(f"{request['op']} failed: {answer.get('refused') or answer.get('error')}")
        return answer

    # The launcher

    def _expose(self, path: str, parcel: Parcel) -> str | int:
        """``path`` itself, or for root, whose directories a mapped root may not enter, the index of a mount of it."""
        if self.id_map.mode != "root":
            return path
        try:
            host_owned = Path(path).stat().st_uid == 0
            return parcel.add(idmap.detached(path, self._alive().userns, host_owned=host_owned))
        except OSError as error:
            raise SandboxError(f"{path} cannot be shown to a sandbox: {error}") from error

    def _alive(self) -> Launcher:
        with self._lock:
            launcher = self._launcher
            if launcher is not None and not launcher.ours:
                launcher, self._sandboxes = None, set()
            if launcher is not None and not launcher.alive:
                launcher.close()
                launcher = None
            self._launcher = launcher or Launcher.start(self.id_map)
            return self._launcher

    def close(self) -> None:
        """Destroy the sandboxes that are still running and end the launcher."""
        for sandbox in list(self._sandboxes):
            sandbox.destroy()
        with self._lock:
            launcher, self._launcher = self._launcher, None
        if launcher is not None:
            launcher.close()


def _rlimits(limits: SandboxLimits, *, controlled: bool) -> dict[str, int]:
    """Limits per process and per user of a sandbox; without control groups they are all there is.

    RLIMIT_DATA rather than RLIMIT_AS: Java, Node and Go reserve far more addresses than they use.
    """
    if controlled:
        return {}
    return {"RLIMIT_DATA": (limits.memory_mb + _BURST_MB) << 20, "RLIMIT_NPROC": limits.processes + 1}
