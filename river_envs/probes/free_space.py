"""Equivalent: blanks at the end of lines, where the instruction says that they do not matter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import forms
from river_envs.probes.base import Survey
from river_envs.probes.edits import Target, declared
from river_envs.probes.equivalents import Equivalent, Rewriting


class FreeSpace(Equivalent):
    """The same lines, each with a blank at its end.

    What it does: where a sentence of the instruction says that white space does not matter, adds a blank to the end of
    every line of the declared text outputs of the reference's state; grades.

    What a hit proves: the verifier rejects, twice, what the instruction allows, while the same files with their own
    bytes are rewarded (over-specific-form).

    What it cannot show: instructions that say nothing of white space; there it is not asked.

    Seen in the wild: `diff` without `-b` beside "trailing spaces are ignored".
    """

    id = "free-space"
    name = "Blanks at the end of lines"
    order = 72
    without = "the reference leaves no text output"

    def closed(self, instruction: str) -> str:
        """Anything but a sentence that frees white space."""
        return "" if forms.any_space(instruction) else "the instruction does not free white space"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All text outputs at once."""
        kinds = {"text", "csv", "pairs"}
        texts = [t for t in declared(found) if t.named and t.fresh and t.kind in kinds and "\n" in t.text]
        files = tuple(File(t.path.strip("/"), t.text.replace("\n", " \n").encode(), t.mode) for t in texts)
        proof = f'the instruction says: "{forms.any_space(environment.instruction)}"'
        yield Rewriting(tuple(texts), files, "a blank at the end of its lines", proof)
