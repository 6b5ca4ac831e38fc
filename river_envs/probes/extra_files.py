"""Equivalent: one more file that concerns nobody."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import forms
from river_envs.probes.base import Survey
from river_envs.probes.edits import Target
from river_envs.probes.equivalents import Equivalent, Rewriting


class ExtraFiles(Equivalent):
    """A scratch script left beside the work.

    What it does: adds a small script with a name of its own to the working directory of the reference's state; grades.
    Only where the instruction does not speak of directories, tidiness, lists of files or git.

    What a hit proves: the verifier rejects, twice, a state with one further file of which nothing was said, while the
    state without it is rewarded (over-specific-form).

    What it cannot show: directories that are named in the instruction; they may have to hold certain files only.

    Seen in the wild: `assert len(os.listdir("/app")) == 3`.
    """

    id = "extra-files"
    name = "One more file"
    order = 74
    without = "the working directory is no place for scratch files"

    def closed(self, instruction: str) -> str:
        """Words about directories and tidiness."""
        return "" if forms.extra_open(instruction) else "the instruction may say which files are to be there"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """One script in the working directory, where the reference's work lies too."""
        home = survey.workdir.rstrip("/")
        beside = any(posixpath.dirname(target.path) == home for target in found)
        if not home or not beside or any(entry.path == f"{home}/.git" for entry in survey.listing):
            return
        script = File(f"{home}/scratch_check.sh".strip("/"), b"#!/bin/sh\n# a quick look at the data\nls\n", 0o644)
        yield Rewriting((), (script,), f"one more file, /{script.path}", "no word of the instruction concerns it")
