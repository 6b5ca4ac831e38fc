"""The forms that a subset is exported in, and the one function that writes them: all of it, or nothing.

- ``ids``: ``ids.txt``, one id a line by rank, and ``names.tsv``.
- ``harbor``: ``environments/<name>-<id>/`` and ``registry.json``, the dataset manifest that ``harbor run --repo`` and
  ``--registry-path`` read (harborframework.com/docs/datasets): a list of datasets, each with its tasks and their paths.
  ``harbor run -p DIR/environments`` needs no manifest.
- ``hf``: a Hugging Face dataset. ``data/train-*.parquet`` has a row for each environment with this project's columns
  and those of ``allenai/TMax-15K``; ``tasks.zip`` beside it the files that recipes copy.
- ``open-instruct``: ``data/train.parquet`` with the columns of ``allenai/tmax-15k-open-instruct`` and
  ``data/task-data.tar.gz`` with the task files.

What a form cannot hold is named with a reason and counted, never left out in silence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from river_envs.environment import Environment, RiverError
from river_envs.exports.subsets import Member, Subset
from river_envs.report.text import one_line
from river_envs.selection.export import published
from river_envs.selection.manifest import directory_name

if TYPE_CHECKING:
    from river_envs.catalog import Catalog

Form = Literal["harbor", "hf", "open-instruct", "ids"]
FORMS: tuple[Form, ...] = get_args(Form)
MARKER = "export.json"
"""Lies in every export: what it is, and what it lacks."""
BATCH = 64


@dataclass(frozen=True)
class Exported:
    """What was written: how many, and what was left out, with the reason."""

    form: Form
    written: int
    left_out: tuple[tuple[str, str, str], ...] = ()
    """(id, name, reason)."""


@dataclass
class Job:
    """One export being written into ``folder``; writers add to ``left_out``."""

    folder: Path
    subset: Subset
    load: Callable[[Sequence[str]], Iterable[Environment]]
    progress: Callable[[int, int], object]
    left_out: list[tuple[str, str, str]] = field(default_factory=list)
    written: int = 0

    def environments(self) -> Iterator[tuple[Member, Environment]]:
        """The kept ones by rank, a few in memory at a time."""
        kept = self.subset.kept
        for start in range(0, len(kept), BATCH):
            batch = kept[start : start + BATCH]
            found = {environment.id: environment for environment in self.load([member.id for member in batch])}
            for member in batch:
                yield member, found[member.id]
                self.written += 1
                self.progress(self.written, len(kept))

    def leave_out(self, member: Member, reason: str) -> None:
        """Note that ``member`` cannot be held by this form."""
        self.left_out.append((member.id, member.name, reason))


def export_subset(
    catalog: Catalog,
    subset: Subset,
    form: Form,
    destination: Path,
    *,
    force: bool = False,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Exported:
    """Write the kept environments of ``subset`` in one form.

    Args:
        catalog: holds the environments' files.
        subset: what to write.
        form: one of ``FORMS``.
        destination: a new or empty directory; with ``force`` an earlier export there is replaced.
        force: see there.
        progress: called with the environments done so far, and all.

    Raises:
        RiverError: no such form, an empty subset, a destination that is not free, a catalog without the files.
    """
    from river_envs.exports import harbor, hub, open_instruct

    if form not in FORMS:
        raise RiverError(f"--as must be one of {', '.join(FORMS)}; got {form!r}.")
    if not subset.kept:
        raise RiverError(f"{subset.name} keeps no environment: there is nothing to export.")
    write = {"harbor": harbor.write, "hf": hub.write, "open-instruct": open_instruct.write, "ids": _write_ids}[form]
    with published(destination, force, _check) as folder:
        job = Job(folder, subset, catalog.load, progress)
        write(job)
        done = Exported(form, len(subset.kept) - len(job.left_out), tuple(job.left_out))
        if not done.written:
            why = done.left_out[0][2]
            raise RiverError(f"None of the {len(subset.kept)} environments can be held by {form}: {why}.")
        (folder / MARKER).write_text(json.dumps(_about(done, subset), indent=1, ensure_ascii=False) + "\n", "utf-8")
    return done


def _about(done: Exported, subset: Subset) -> dict[str, object]:
    names = ("id", "name", "reason")
    return {
        "schema": "river-envs/export/1",
        "form": done.form,
        "written": done.written,
        "left_out": [dict(zip(names, row, strict=True)) for row in done.left_out],
        "dropped_by_the_filter": dict(Counter(member.ground for member in subset.members if not member.kept)),
    }


def _check(destination: Path, force: bool) -> None:
    """Refuse what is no free place; with ``force`` what is no earlier export."""
    if destination.is_symlink() or (destination.exists() and not destination.is_dir()):
        raise RiverError(f"{destination} is not a directory; choose another -o.")
    if destination.exists() and any(destination.iterdir()):
        if not force:
            raise RiverError(f"{destination} is not empty; choose another -o, or replace the export with --force.")
        if not (destination / MARKER).is_file():
            raise RiverError(f"{destination} holds something other than an export, and --force replaces only exports.")


def _write_ids(job: Job) -> None:
    kept = job.subset.kept
    (job.folder / "ids.txt").write_text("".join(f"{member.id}\n" for member in kept), "utf-8")
    rows = "".join(f"{member.id}\t{one_line(member.name).replace(chr(9), ' ')}\t{member.tier}\n" for member in kept)
    (job.folder / "names.tsv").write_text("id\tname\ttier\n" + rows, "utf-8")


def task_name(member: Member) -> str:
    """The folder of an environment in every export."""
    return directory_name(member.name, member.id)
