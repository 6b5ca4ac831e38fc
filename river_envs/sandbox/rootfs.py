"""What a namespace sandbox's file system is made of: overlay mounts over directories of the host.

The images room says *what* (which directories, in which order), the bubblewrap backend says *how* (mounts, owners,
limits). This module is the whole vocabulary between the two.

**Layers on disk.** A build runs with ``Namespaces.start(rootfs, upper=DIR)``. Every writable mount gets its own upper,
``DIR/<upper_name(dest)>`` (``DIR/root`` for ``/``), so that DIR as a whole is the new layer. ``rootfs.stacked(DIR)``
is the root file system with that layer on top. Whiteouts are 0/0 character devices, opaque directories carry the
attribute ``user.overlay.opaque=y``; the files are owned as the sandbox saw them, through the namespace's id mapping:
use ``Namespaces.rmtree`` and ``Namespaces.copy`` on them, never shutil.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path


def upper_name(dest: str) -> str:
    """The name, inside a layer directory, of the upper that belongs to the mount at ``dest``."""
    return dest.strip("/").replace("/", "-") or "root"


@dataclass(frozen=True)
class Mount:
    """One overlay. ``lowers`` are absolute host directories, TOPMOST FIRST; ``dest`` is absolute inside the sandbox."""

    dest: str
    lowers: tuple[str, ...]
    read_only: bool = False


@dataclass(frozen=True)
class Rootfs:
    """A root file system. ``mounts[0].dest`` is ``/``; each writable mount becomes an overlay with its own upper."""

    mounts: tuple[Mount, ...]

    def stacked(self, layer: str | Path) -> Rootfs:
        """This root file system with a finished build's layer directory on top; uppers left empty are not stacked."""
        mounts = []
        for mount in self.mounts:
            upper = Path(layer) / upper_name(mount.dest)
            used = upper.is_dir() and any(upper.iterdir())
            mounts.append(replace(mount, lowers=(str(upper), *mount.lowers)) if used else mount)
        return Rootfs(tuple(mounts))
