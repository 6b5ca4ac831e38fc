"""Equivalent: the last line break of a file that nobody asked for."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import coverage, edits
from river_envs.probes import instruction as text
from river_envs.probes.base import Survey
from river_envs.probes.edits import Target
from river_envs.probes.equivalents import Equivalent, Rewriting
from river_envs.probes.hidden_requirement import DOCUMENTS, ELSEWHERE, FILES_EACH
from river_envs.probes.trailing_newline import turned


class ByProduct(Equivalent):
    """A file that the work left by the way, with or without its last line break.

    What it does: adds or takes away the last line break of each text file that the reference left, that the tests name
    and that neither the instruction nor a program of the work names (a process number, a log, a list of what was done);
    grades.

    What a hit proves: the verifier rejects, twice, the same lines in a file of whose form nothing is said, while the
    same file with its own bytes is rewarded (over-specific-form).

    What it cannot show: whether the file itself is a hidden requirement (its absence is asked elsewhere); files in a
    directory that is named, or with the suffix of a file that is: they may be meant.

    Seen in the wild: the size of the reference's own pid file.
    """

    id = "by-product"
    name = "Last line break of a by-product"
    order = 75
    without = "the tests name no text file that the reference left unasked"

    def closed(self, instruction: str) -> str:
        """Words that may name further files."""
        elsewhere = any(words.search(instruction) for words in (ELSEWHERE, DOCUMENTS, FILES_EACH))
        return "the instruction refers to names elsewhere" if elsewhere else ""

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All of them at once."""
        named = {path.rstrip("/") for path in text.paths(environment.instruction, survey.workdir)}
        beside = _beside(environment, edits.targets(environment, survey, every=True))
        yield turned([target for target in beside if not _under(target.path, named)])


def _under(path: str, named: Collection[str]) -> bool:
    """Whether the file lies in a directory that the instruction names: then it may be meant."""
    return any(path.startswith(f"{place}/") for place in named if place.count("/") > 1)


def _beside(environment: Environment, found: Sequence[Target]) -> list[Target]:
    """Text files that the tests spell out, and neither the instruction nor a program of the work names."""
    programs = [target.content for target in found if target.kind == "code" or target.mode & 0o111]
    beside = []
    for target in found:
        name = posixpath.basename(target.path)
        plain = target.fresh and not target.named and target.kind not in {"code", "binary"} and target.content.strip()
        suffix = posixpath.splitext(name)[1]
        unread = suffix and suffix not in environment.instruction and "/.git/" not in target.path
        unread = unread and not any(name.encode() in program for program in programs)
        if plain and unread and coverage.names(environment.verifier, name):
            beside.append(target)
    return beside
