"""The image cache: layers as directories, each built once, the oldest unused ones removed when it grows too large.

    STORE/layers/<id>/        one subdirectory per mount of the root file system (see ``sandbox/rootfs.py``)
    STORE/layers/<id>.json    what it is; written last, so that a layer without it does not exist
    STORE/layers/<id>.log     the end of its build's output
    STORE/locks, STORE/pins   flocks: who builds, who uses
    STORE/tmp                 unfinished work; what a killed process left is removed by ``sweep``
    STORE/bases.json          imported bases, STORE/aliases.json names that stand for others
    STORE/owners.json         which ids of the host the files belong to

A layer is made in ``tmp`` and renamed into place. A layer that some process pins, or that another layer stands on, is
never removed.
"""

from __future__ import annotations

import json
import os
import shutil
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from river_envs.environment import RiverError
from river_envs.images.locks import FileLock, Pins, locked, try_lock

DEFAULT_STORE = "~/.cache/river-envs"
FREE_MB = 512
"""Free disk space, in MB, below which nothing is built."""

LOG_BYTES = 64 * 1024
MAX_LOGS = 200


class DiskFull(RiverError):
    """The disk that holds the image cache is full: nothing can be built until there is room."""


@dataclass(frozen=True)
class Layer:
    """One layer: its id, the layer below it (None on a base), what made it, its size in bytes and when it was made."""

    id: str
    parent: str | None
    title: str
    size: int
    created: float
    used: float = 0.0


class Store:
    """The image cache of one user. Safe for several threads and several processes.

    ``remove`` deletes a tree whose files may belong to mapped users (``Namespaces.rmtree``).
    """

    def __init__(
        self, root: str | Path | None = None, *, budget_mb: int = 20_000, remove: Callable[[str], None] | None = None
    ) -> None:
        self.root = Path(root or DEFAULT_STORE).expanduser().absolute()
        self.budget_mb = budget_mb
        self._remove = remove or _remove_tree
        for name in ("layers", "locks", "pins", "tmp", "logs", "empty"):
            (self.root / name).mkdir(mode=0o755, parents=True, exist_ok=True)
        self._pins = Pins(self.root / "pins")
        self._known: dict[str, Layer] = {}
        self._touched: dict[str, float] = {}
        self._guard = Lock()

    def claim(self, ids: Iterable[Sequence[int]]) -> None:
        """Say which users of the host own the files here (the lines of a user namespace's map), the first time for
        good.

        Raises RiverError when the store was filled under another map: its files would belong to nobody in a sandbox.
        """
        wanted = sorted(list(line) for line in ids)
        known = self.read("owners").get("ids")
        if known is None or (known != wanted and all(line in wanted for line in known)):
            self.update("owners", lambda _: {"ids": wanted})
        elif known != wanted:
            raise RiverError(
                f"the image cache {self.root} was made under another mapping of user ids and cannot be used now: "
                "name another place with --store, or remove it and import its bases again"
            )

    def path(self, layer: str) -> Path:
        """Where the layer lies."""
        return self.root / "layers" / layer

    @property
    def empty(self) -> Path:
        """An empty directory: the lower of ``scratch``."""
        return self.root / "empty"

    def ready(self, layer: str) -> bool:
        """Whether the layer is complete. Counts as a use."""
        marker = self.root / "layers" / f"{layer}.json"
        now = time.time()
        try:
            if now - self._touched.get(layer, 0.0) > 30:
                os.utime(marker)
                self._touched[layer] = now
                return True
            return marker.exists()
        except FileNotFoundError:
            return False

    def pin(self, layers: Sequence[str]) -> None:
        """Keep ``layers`` from being removed until ``unpin``."""
        for layer in layers:
            self._pins.add(layer)

    def unpin(self, layers: Sequence[str]) -> None:
        """Undo one ``pin``."""
        for layer in layers:
            self._pins.drop(layer)

    def layer(self, layer: str, parent: str | None, title: str, make: Callable[[Path], str]) -> Path:
        """The layer's directory, made by ``make(directory)`` (which returns its log) when it is not there yet.

        The caller has pinned ``layer`` and ``parent``. Whatever ``make`` raises passes through and leaves nothing
        behind.
        """
        path = self.path(layer)
        if self.ready(layer):
            return path
        with locked(self.root / "locks" / layer):
            if self.ready(layer):
                return path
            with self.workspace() as work:
                made = work / "layer"
                made.mkdir()
                log = make(made)
                if path.exists():
                    self._remove(str(path))  # a process died between its two renames
                made.rename(path)
                self._write_text(path.with_name(f"{layer}.log"), cut_log(log))
                info = Layer(layer, parent, title, tree_size(path), time.time())
                self._write_text(path.with_name(f"{layer}.json"), json.dumps(asdict(info)))
        self.shrink()
        return path

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """A private directory in ``tmp``, removed afterwards. Raises DiskFull before anything is written."""
        self.check_disk()
        with self._temporary() as work:
            work.mkdir()
            yield work

    @contextmanager
    def _temporary(self) -> Iterator[Path]:
        """A path in ``tmp`` that is ours until the block ends, when whatever is there is removed."""
        path = self.root / "tmp" / f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        lock = FileLock(path.with_name(f"{path.name}.lock"), exclusive=True)
        try:
            yield path
        finally:
            if path.exists():
                self._remove(str(path))
            lock.path.unlink(missing_ok=True)
            lock.release()

    def check_disk(self) -> None:
        """Make room if the disk is nearly full. Raises DiskFull when that does not help."""
        if self.free_mb() < FREE_MB:
            self.shrink(0)
        if (free := self.free_mb()) < FREE_MB:
            raise DiskFull(
                f"the disk that holds the image cache {self.root} has {free} MB left and {FREE_MB} MB are needed: free "
                "some space, or name another place with --store"
            )

    def free_mb(self) -> int:
        """Free space on the store's disk, for this user."""
        return shutil.disk_usage(self.root).free // 1_000_000

    def layers(self) -> list[Layer]:
        """Every layer, the most recently used first."""
        found: dict[str, Layer] = {}
        for marker in (self.root / "layers").glob("*.json"):
            try:
                used = marker.stat().st_mtime
                known = self._known.get(marker.stem) or Layer(**json.loads(marker.read_text("utf-8")))
            except FileNotFoundError:
                continue  # removed by another process meanwhile
            found[marker.stem] = Layer(known.id, known.parent, known.title, known.size, known.created, used)
        self._known = found
        return sorted(found.values(), key=lambda layer: -layer.used)

    def shrink(self, budget_mb: int | None = None) -> int:
        """Remove the least recently used layers until the store fits its budget; returns the bytes freed.

        Layers in use, layers under others and imported bases stay.
        """
        budget = (self.budget_mb if budget_mb is None else budget_mb) * 1_000_000
        with self._guard:
            layers = {layer.id: layer for layer in self.layers()}
            bases = {base["layer"] for base in self.read("bases").values()}
            above = Counter(layer.parent for layer in layers.values())
            total = sum(layer.size for layer in layers.values())
            freed = 0
            for layer in sorted(layers.values(), key=lambda layer: (layer.used, layer.id)):
                chain: str | None = layer.id
                while chain and total - freed > budget and chain in layers and chain not in bases:
                    below = layers[chain].parent
                    if above[chain] or not self._evict(chain):
                        break
                    above[below] -= 1
                    freed += layers.pop(chain).size
                    chain = below if below in layers and layers[below].used <= layer.used else None
            return freed

    def discard(self, layer: str) -> bool:
        """Remove one layer unless it is in use; whether it is gone."""
        return self._evict(layer)

    def _evict(self, layer: str) -> bool:
        lock = try_lock(self.root / "pins" / layer)
        if lock is None:
            return False
        with self._temporary() as trash:
            try:
                path = self.path(layer)
                path.with_name(f"{layer}.json").unlink(missing_ok=True)
                path.with_name(f"{layer}.log").unlink(missing_ok=True)
                self._touched.pop(layer, None)
                if path.exists():
                    path.rename(trash)
                lock.path.unlink(missing_ok=True)
                (self.root / "locks" / layer).unlink(missing_ok=True)
            finally:
                lock.release()
        return True

    def sweep(self) -> int:
        """Remove what killed processes left in ``tmp``; returns how many things."""
        removed = 0
        for work in (self.root / "tmp").iterdir():
            if work.suffix == ".lock":
                continue
            lock_path = work.with_name(f"{work.name}.lock")
            lock = try_lock(lock_path)
            if lock is None:
                continue
            try:
                if work.exists():
                    self._remove(str(work))
                    removed += 1
            finally:
                lock_path.unlink(missing_ok=True)
                lock.release()
        return removed

    def keep_log(self, name: str, log: str) -> Path:
        """Keep the log of a failed build; only the newest ones stay."""
        path = self.root / "logs" / f"{name}.log"
        self._write_text(path, cut_log(log))
        logs = sorted((self.root / "logs").glob("*.log"), key=lambda item: item.lstat().st_mtime, reverse=True)
        for old in logs[MAX_LOGS:]:
            old.unlink(missing_ok=True)
        return path

    def read(self, table: str) -> dict[str, Any]:
        """A small named table (``bases``, ``aliases``)."""
        try:
            value = json.loads((self.root / f"{table}.json").read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise RiverError(f"{self.root / table}.json is damaged ({error}): remove it and try again") from None
        return value if isinstance(value, dict) else {}

    def update(self, table: str, change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
        """Replace a small table by ``change(table)``, one process at a time."""
        with locked(self.root / "locks" / table):
            changed = json.dumps(change(self.read(table)), indent=1, sort_keys=True)
            self._write_text(self.root / f"{table}.json", changed)

    def _write_text(self, path: Path, text: str) -> None:
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
        temporary.write_text(text, "utf-8", errors="replace")
        temporary.replace(path)

    def close(self) -> None:
        """Give all pins back."""
        self._pins.close()


def cut_log(log: str) -> str:
    """The start and the end of a long log."""
    if len(log) <= LOG_BYTES:
        return log
    return f"{log[: LOG_BYTES // 4]}\n... {len(log) - LOG_BYTES} characters left out ...\n{log[-3 * LOG_BYTES // 4 :]}"


def tree_size(path: Path) -> int:
    """Bytes on disk below ``path``, hard links counted once. What may not be read is not counted."""
    total = 0
    seen: set[int] = set()
    pending = [str(path)]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue  # a directory of a mapped user: its size is unknown to us
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif status.st_nlink > 1 and status.st_ino in seen:
                continue
            seen.add(status.st_ino)
            total += status.st_blocks * 512
    return total


def _remove_tree(path: str) -> None:
    shutil.rmtree(path)
