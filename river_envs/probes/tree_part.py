"""Mutants: one of many files of a directory is missing, or one that had to go is still there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import coverage, edits, stated
from river_envs.probes import instruction as text
from river_envs.probes.base import Survey
from river_envs.probes.edits import Edit, Target
from river_envs.probes.mutants import Mutant

_FEWEST = 3


class TreePart(Mutant):
    """The right tree without one of its files, or with one that had to go.

    What it does: where the reference filled a directory that the instruction names with several files or links, takes
    one of them away (one that the verifier does not name where it names others, else the last); where it removed
    several entries of such a directory, leaves one as the image has it; grades.

    What a hit proves: the instruction asks for all entries of something in this directory (or for exactly these), one
    is missing or too many, and the state is rewarded, twice, while the whole tree is rewarded too
    (unchecked-requirement).

    What it cannot show: what the files hold; trees that a delivered program makes anew.

    Seen in the wild: of forty rendered files the tests read three.
    """

    id = "tree-part"
    name = "One file of a tree is missing"
    version = 1
    order = 91
    most = 2
    without = "the reference fills no named directory with several files"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """For each named directory one missing file and one that stayed."""
        changes = survey.reference.changes if survey.reference else ()
        present = {entry.path for entry in survey.listing}
        named = {path.rstrip("/") for path in text.paths(environment.instruction, survey.workdir)}
        made = [f"/{change.path}" for change in changes if change.kind in {"file", "symlink"}]
        gone = [f"/{change.path}" for change in changes if change.kind == "deleted"]
        for place in sorted(named):
            below = [path for path in made if _below(path, place, named) and path not in present]
            away = [path for path in gone if _below(path, place, named) and path in present]
            said = stated.tree(environment.instruction, place)
            if len(below) >= _FEWEST:
                path = _least_known(environment, below)
                sure = said if not edits.unsure(environment, survey, found, path) else ""
                yield Edit(path, None, "removed", round(1 / len(below), 4), stated=sure, lead=True)
            if len(away) >= 2 and not survey.in_place:
                path = _least_known(environment, away)
                exact = said if stated.only(said) else ""
                yield Edit(path, None, "as the image has it", round(1 / len(away), 4), stated=exact, undone=True)


def _below(path: str, place: str, named: set[str]) -> bool:
    return path.startswith(f"{place}/") and place.count("/") > 1 and path not in named and "/." not in path


def _least_known(environment: Environment, paths: Sequence[str]) -> str:
    paths = sorted(paths)
    hidden = coverage.unnamed(environment.verifier, paths, [posixpath.basename(path) for path in paths])
    return (hidden or paths)[-1]
