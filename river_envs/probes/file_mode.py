"""Equivalent: another usual mode of a data file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import forms
from river_envs.probes.base import Survey
from river_envs.probes.edits import Target, declared
from river_envs.probes.equivalents import Equivalent, Rewriting

_OTHER = {0o644: 0o664, 0o664: 0o644}


class FileMode(Equivalent):
    """The same data as a solver with another umask would leave it.

    What it does: gives every declared data output of the reference's state the mode 0664 where it has 0644, and the
    other way round; grades. Only where the instruction does not speak of permissions, owners or security.

    What a hit proves: the verifier rejects, twice, a mode of which nothing was said, while the same files with their
    own mode are rewarded (over-specific-form).

    What it cannot show: modes of programs and directories.

    Seen in the wild: tests that compare `ls -l` output.
    """

    id = "file-mode"
    name = "Another usual file mode"
    order = 74
    without = "the reference leaves no data output with a usual mode"

    def closed(self, instruction: str) -> str:
        """Words about permissions."""
        return "" if forms.mode_open(instruction) else "the instruction may fix the mode of files"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All data outputs at once."""
        data = [target for target in declared(found) if target.named and target.fresh and target.mode in _OTHER]
        files = tuple(File(target.path.strip("/"), target.content, _OTHER[target.mode]) for target in data)
        yield Rewriting(tuple(data), files, "the file mode of another umask", "the same content; no mode is stated")
