"""Limits on memory, processes and cpu by control groups, version 1 or 2, wherever this user may make groups.

One group per sandbox and controller, named ``river-<pid>-<start time>-<number>`` after the process that made it, so
that groups of dead processes can be told and removed. Groups are made below the process's own (version 1) or next to
it (version 2, where a group with processes may have no controlled children).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from river_envs.processes import start_time

_PERIOD_USEC = 100_000
_CONTROLLERS = ("memory", "pids", "cpu")


@dataclass(frozen=True)
class Hierarchy:
    """Where groups can be made: one place per controller in version 1, one called ``unified`` in version 2."""

    places: dict[str, Path] = field(hash=False)

    @property
    def version(self) -> int:
        """1 or 2; 0 when there are no control groups to use."""
        return 2 if "unified" in self.places else (1 if self.places else 0)

    def limits(self, controller: str) -> bool:
        """Whether a controller is at hand."""
        unified = self.places.get("unified")
        return controller in self.places or (unified is not None and controller in _enabled(unified))


def _enabled(group: Path) -> set[str]:
    try:
        return set((group / "cgroup.subtree_control").read_text().split())
    except OSError:
        return set()


def _mounts() -> list[tuple[str, str, str, str]]:
    """(type, mount point, root, options) of every cgroup mount."""
    rows = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        fields, tail = left.split(), right.split()
        if tail and tail[0] in ("cgroup", "cgroup2"):
            rows.append((tail[0], fields[4], fields[3], tail[2]))
    return rows


def _own_group(controller: str) -> str | None:
    """The path of this process's group for a version 1 controller, or for version 2 with an empty name."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(",") if controller else names == "":
            return path
    return None


def _locate(point: str, root: str, path: str) -> Path:
    """Where a group is below a mount that may show only a part of the hierarchy."""
    relative = path[len(root):] if root != "/" and path.startswith(root) else path
    return Path(point) / relative.strip("/")


@cache
def hierarchy() -> Hierarchy:
    """What this process may use; looked up once."""
    places: dict[str, Path] = {}
    for kind, point, root, options in _mounts():
        if kind == "cgroup":
            for controller in set(options.split(",")) & set(_CONTROLLERS):
                path = _own_group(controller)
                place = _locate(point, root, path) if path is not None else None
                if place is not None and _can_make_groups(place):
                    places[controller] = place
        elif (unified := _find_unified(point, root)) is not None:
            return Hierarchy({"unified": unified})
    return Hierarchy(places)


def _can_make_groups(place: Path) -> bool:
    """Tried, not guessed: a read-only mount or a container's rules would show only now."""
    probe = place / f"river-probe-{os.getpid()}"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError:
        return False
    return True


def _find_unified(point: str, root: str) -> Path | None:
    """The nearest ancestor of our group whose children get memory and pids controllers, and where we may make some."""
    path = _own_group("")
    if path is None:
        return None
    place = _locate(point, root, path)
    while True:
        writable = os.access(place / "cgroup.procs", os.W_OK)  # joining needs it in the common ancestor
        if {"memory", "pids"} <= _enabled(place) and writable and _can_make_groups(place):
            return place
        if place == Path(point) or not place.is_relative_to(point):
            return None
        place = place.parent


_numbers = itertools.count()


def prefix() -> str:
    """How the names of this process's groups begin."""
    return f"river-{os.getpid()}-{start_time(os.getpid())}-"


def patterns() -> list[str]:
    """Absolute prefixes of this process's groups, for whoever cleans up after it."""
    return [f"{place}/{prefix()}" for place in hierarchy().places.values()]


@dataclass
class Group:
    """The control groups of one sandbox."""

    paths: list[Path]
    version: int
    _kills: int = 0

    @classmethod
    def create(cls, *, memory_bytes: int, processes: int, cpus: float) -> Group | None:
        """Make the groups and set their limits; None where there are no control groups. Raises OSError."""
        places = hierarchy().places
        if not places:
            return None
        name = f"{prefix()}{next(_numbers)}"
        group = cls([place / name for place in places.values()], hierarchy().version)
        quota = max(1000, int(cpus * _PERIOD_USEC))
        for controller, place in places.items():
            path = place / name
            path.mkdir()
            if controller == "unified":
                _set(path, "memory.max", memory_bytes)
                _set(path, "memory.swap.max", 0, optional=True)
                _set(path, "pids.max", processes)
                _set(path, "cpu.max", f"{quota} {_PERIOD_USEC}", optional=True)
            elif controller == "memory":
                _set(path, "memory.limit_in_bytes", memory_bytes)
                _set(path, "memory.memsw.limit_in_bytes", memory_bytes, optional=True)
            elif controller == "pids":
                _set(path, "pids.max", processes)
            else:
                _set(path, "cpu.cfs_quota_us", quota)
        return group

    def open_entrances(self) -> list[int]:
        """Descriptors through which a process joins the groups by writing ``0``."""
        return [os.open(path / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for path in self.paths]

    def out_of_memory(self) -> bool:
        """Whether the kernel has killed something for its memory since the last call."""
        kills = 0
        for path in self.paths:
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    for line in (path / name).read_text().splitlines():
                        key, _, value = line.partition(" ")
                        kills = int(value) if key == "oom_kill" else kills
        happened = kills > self._kills
        self._kills = kills
        return happened

    def throttled(self) -> bool:
        """Whether the cpu limit has ever held something back."""
        for path in self.paths:
            with contextlib.suppress(OSError):
                for line in (path / "cpu.stat").read_text().splitlines():
                    key, _, value = line.partition(" ")
                    if key == "nr_throttled" and int(value):
                        return True
        return False

    def remove(self) -> None:
        """Remove the groups, which must be empty or emptying. Raises OSError when one is in use after a second."""
        for path in self.paths:
            _remove(path, time.monotonic() + 1)


def _set(path: Path, name: str, value: int | str, *, optional: bool = False) -> None:
    try:
        (path / name).write_text(str(value))
    except OSError:
        if not optional:
            raise


def _remove(path: Path, deadline: float) -> None:
    while True:
        try:
            path.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.001)
        else:
            return


def sweep() -> int:
    """Kill and remove the groups of processes that are gone; returns how many groups there were."""
    removed = 0
    for place in hierarchy().places.values():
        for path in place.glob("river-*-*-*"):
            _, process, started, _ = path.name.split("-", 3)
            if not process.isdigit() or start_time(int(process)) == (int(started) if started.isdigit() else None):
                continue
            for member in (path / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(member), 9)
            with contextlib.suppress(OSError):
                _remove(path, time.monotonic() + 1)
                removed += 1
    return removed
