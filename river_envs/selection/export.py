"""Write a subset to disk: all of it, or nothing.

The directory is built under a hidden name next to its destination and renamed when everything is in it. A kill, a full
disk or a failing writer leaves the destination as it was.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from river_envs.environment import Environment, RiverError
from river_envs.selection.card import card
from river_envs.selection.choose import Decision
from river_envs.selection.manifest import SCHEMA, Header, directory_name, write_manifest

BATCH = 64
"""Environments loaded at a time: their files are in memory while they are written."""

Load = Callable[[Sequence[str]], Iterable[Environment]]
Write = Callable[[Environment, Path], object]


def export(
    destination: Path,
    header: Header,
    decisions: Sequence[Decision],
    load: Load,
    write: Write,
    *,
    force: bool = False,
    record: Callable[[], object] = lambda: None,
    progress: Callable[[int], object] = lambda written: None,
) -> None:
    """Write the kept environments as Harbor directories, both manifests and the dataset card into ``destination``.

    Args:
        destination: must not exist or be empty; with ``force`` an earlier subset there is replaced.
        header: how the subset was made.
        decisions: every environment's, kept ones included.
        load: turns ids into environments, for example ``catalog.load``.
        write: writes one environment as a Harbor directory, which it makes (``formats.writer.write_harbor``).
        record: called when everything is written and before it is published; if it raises, nothing is published.
        progress: called with the number of environments written so far.

    Raises:
        RiverError: the destination is not free, the disk is full, or an environment cannot be loaded.
    """
    kept = {decision.id: decision.candidate.name for decision in decisions if decision.kept}
    with published(destination, force) as directory:
        environments = directory / "environments"
        environments.mkdir()
        ids = list(kept)
        written = 0
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            missing = set(batch)
            for environment in load(batch):
                target = environments / directory_name(kept[environment.id], environment.id)
                _write_one(environment, target, write)
                missing.discard(environment.id)
                written += 1
                progress(written)
            if missing:
                raise RiverError(
                    f"The catalog lists environment {min(missing)} but does not hold its files; ingest it again."
                )
        write_manifest(directory, header, decisions)
        (directory / "README.md").write_text(card(header, decisions), encoding="utf-8")
        record()


def _write_one(environment: Environment, target: Path, write: Write) -> None:
    try:
        write(environment, target)
    except RiverError as error:
        raise RiverError(
            f"Environment {environment.id} was chosen but cannot be written ({str(error).rstrip('.')}); leave it out "
            f"with: river-envs mark {environment.id} --exclude --note 'cannot be written as a Harbor task'"
        ) from error


def check_destination(destination: Path, force: bool) -> None:
    """Refuse a destination that a subset must not be written to.

    Raises:
        RiverError: it is a file or a link, or holds anything; with ``force``, anything that is not an earlier subset.
    """
    if destination.is_symlink() or (destination.exists() and not destination.is_dir()):
        raise RiverError(f"{destination} is not a directory; choose another -o.")
    try:
        occupied = destination.exists() and any(destination.iterdir())
    except OSError as error:
        raise RiverError(f"Cannot read {destination}: {error.strerror}; choose another -o.") from error
    if occupied and not force:
        raise RiverError(f"{destination} is not empty; choose another -o, or replace the subset in it with --force.")
    if occupied and not _is_subset(destination):
        raise RiverError(f"{destination} holds something other than a subset, and --force replaces only subsets; "
                         "choose another -o.")


@contextmanager
def published(
    destination: Path, force: bool, check: Callable[[Path, bool], object] | None = None
) -> Iterator[Path]:
    """A fresh directory that takes the place of ``destination`` when the block ends well, and vanishes otherwise.

    Raises:
        RiverError: ``check`` (default: ``check_destination``) refuses the destination, or it cannot be written.
    """
    (check or check_destination)(destination, force)
    destination = destination.absolute()
    staging = destination.with_name(f".{destination.name}.partial-{os.getpid()}")
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        staging.mkdir()
        yield staging
        _swap(staging, destination)
    except OSError as error:
        raise RiverError(
            f"Cannot write the subset to {destination}: {error.strerror or error}; nothing was changed there, "
            "make room or choose another -o."
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _swap(staging: Path, destination: Path) -> None:
    """Put ``staging`` in the place of ``destination``; what was there is restored when that fails."""
    if not destination.exists():
        staging.rename(destination)
        return
    old = staging.with_name(f".{destination.name}.replaced-{os.getpid()}")
    destination.rename(old)
    try:
        staging.rename(destination)
    except OSError:
        old.rename(destination)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _is_subset(directory: Path) -> bool:
    try:
        content = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("schema") == SCHEMA
