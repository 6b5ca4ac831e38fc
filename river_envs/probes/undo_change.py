"""Mutant: one change to a named file is undone."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import edits, orders
from river_envs.probes.base import Survey
from river_envs.probes.edits import Edit, Target, same
from river_envs.probes.mutants import Mutant


class UndoChange(Mutant):
    """All of the reference's work but one change.

    What it does: restores the reference's state without its change to one file of the image (edited or deleted) that
    the instruction names, itself or by the directory whose files it orders to change, so that this file is as the image
    has it; grades.

    What a hit proves: a change that the instruction orders in so many words was not made and the state is rewarded,
    twice, while the whole state is rewarded too (unchecked-requirement).

    What it cannot show: changes to files that the instruction does not name; work that only passes where it ran.

    Seen in the wild: of several configuration files that are to be corrected only the first is read by a test.
    """

    id = "undo-change"
    name = "A change to a named file is undone"
    version = 2
    order = 90
    without = "the reference changes no named file of the image beside its other work"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """Each named file that was changed or deleted, where other work remains."""
        if survey.in_place or survey.reference is None:
            return
        present = {entry.path for entry in survey.listing if entry.kind == "file"}
        work = [change for change in survey.reference.changes if change.kind != "directory"]
        named = {target.path for target in found if target.named and not target.fresh}
        named |= {f"/{change.path}" for change in work if change.kind == "deleted" and f"/{change.path}" in present}
        wanted_by = {path: orders.change(environment.instruction, path) for path in sorted(named)}
        for target in found:
            seen = survey.peek(target.path)
            if not target.fresh and seen is not None and seen.whole and not same(seen.text, target):
                place = posixpath.dirname(target.path)
                wanted_by.setdefault(target.path, orders.changes_below(environment.instruction, place))
        for path, wanted in wanted_by.items() if len(work) > 1 else ():
            if wanted:
                unsure = edits.unsure(environment, survey, found, path)
                yield Edit(path, None, "as the image has it", 1.0, stated="" if unsure else wanted, undone=True)
