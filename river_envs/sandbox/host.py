"""The ``host`` base: this machine's own programs as a root file system, for images whose base is not at hand.

Shown are the host's /usr (with /bin, /lib and the like), copies of the /etc files that programs need, and the Python
that runs River with its pytest. Never shown: homes, /run, /var, credentials, the caller's environment, the
site-packages of a Python that lives in someone's home. Users and groups are those of a fresh Debian, whatever the
host has.

Everything writable is an overlay, so nothing done inside reaches the host. For ordinary users the host's files belong
to nobody inside and cannot be changed in place; a skeleton of directories, which belongs to the sandbox's root, lies
above them so that new files can be made where programs put them. There is no package database: apt does not work on
this base.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
from collections.abc import Callable
from functools import cache, partial
from importlib import metadata
from pathlib import Path

from river_envs.environment import digest
from river_envs.sandbox import host_files, host_python
from river_envs.sandbox.namespaces import Namespaces
from river_envs.sandbox.rootfs import Mount, Rootfs, upper_name

_VERSION = 1
"""Raise when the content of the base changes: layers cached on top of the old one are then built again."""
_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


@cache
def identity() -> str:
    """What layers built on this base depend on, the system, the Python and the pytest: 16 hexadecimal digits."""
    try:
        release = Path("/etc/os-release").read_text()
    except OSError:
        release = "unknown"
    return digest(_VERSION, release, sys.version, sys.base_prefix, metadata.version("pytest"))[:16]


def host_base(namespaces: Namespaces, directory: str | Path) -> tuple[Rootfs, str]:
    """The host's root file system and its identity; what has to be copied is kept below ``directory``.

    Raises SandboxError when the copies cannot be made.
    """
    mode = namespaces.id_map.mode
    owned = mode == "root" or (mode == "contained" and Path("/usr").stat().st_uid == 0)
    home = Path(directory).absolute() / (identity() if owned else f"{identity()}-user")
    if not home.is_dir():
        _make(namespaces, home, deep=not owned)
    mounts = [Mount("/", (str(home / "root"),)), Mount("/usr", (str(home / "usr"), "/usr"))]
    mounts += [Mount(f"/{name}", (f"/{name}",)) for name in _unmerged()]
    if host_python.is_outside_usr():
        dest = host_python.PREFIX
        mounts.append(Mount(dest, (str(home / upper_name(dest)), sys.base_prefix)))
    return Rootfs(tuple(mounts)), identity()


def _unmerged() -> list[str]:
    """Top-level directories that are no links into /usr on this machine."""
    return [name for name in _MERGED if Path("/", name).is_dir() and not Path("/", name).is_symlink()]


def _make(namespaces: Namespaces, home: Path, *, deep: bool) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="host-", dir=home.parent))
    work.chmod(0o755)
    parts: dict[str, Callable[[tarfile.TarFile], None]] = {"root": _write_root, "usr": partial(_write_usr, deep=deep)}
    if host_python.is_outside_usr():
        parts[upper_name(host_python.PREFIX)] = host_python.write_prefix
    try:
        for name, write in parts.items():
            archive = work / f"{name}.tar"
            with tarfile.open(archive, "w") as tar:
                write(tar)
            namespaces.untar(archive, work / name)
            archive.unlink()
        work.rename(home)
    except OSError:
        namespaces.rmtree(work)
        if not home.is_dir():  # else another process has made it meanwhile
            raise
    except BaseException:
        namespaces.rmtree(work)
        raise


def _write_root(tar: tarfile.TarFile) -> None:
    host_files.write_root(tar)
    if host_python.is_outside_usr():
        host_files.add_directory(tar, host_python.PREFIX.lstrip("/"))


def _write_usr(tar: tarfile.TarFile, *, deep: bool) -> None:
    host_files.write_usr(tar, deep=deep)
    host_python.write_commands(tar)
