"""Mutant: a stated file mode is not set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from river_envs.environment import Environment
from river_envs.probes import stated
from river_envs.probes.base import Survey
from river_envs.probes.edits import Edit, Target
from river_envs.probes.mutants import Mutant


class ModeLost(Mutant):
    """The right file with another mode than the instruction states.

    What it does: gives one named file of the reference's state a mode that the instruction rules out (not executable,
    or readable for all), content unchanged, and grades.

    What a hit proves: the instruction states the mode of this file in digits beside "mode" or "permissions", and the
    state is rewarded twice with another, while the right one is rewarded too (unchecked-requirement).

    What it cannot show: modes that are stated for many files at once. "Executable" alone counts towards the score only:
    tests that start a script with its interpreter read it as "can be run", and many instructions mean just that.

    Seen in the wild: "make it executable", and tests that run `bash script.sh`.
    """

    id = "mode-lost"
    name = "A stated mode is not set"
    order = 94
    most = 1
    without = "the instruction states no mode of a file that the reference leaves"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """Named files whose mode is stated."""
        for target in found:
            wanted = stated.mode(environment.instruction, target.path, target.mode) if target.named else ""
            if wanted:
                other = target.mode & ~0o111 if target.mode & 0o111 else 0o666
                what = f"mode {other:04o} in place of {target.mode:04o}"
                exact = wanted if stated.digits(wanted, target.mode) else ""
                yield Edit(target.path, target.content, what, 0.01, exact, mode=other)
