"""Equivalent: the last line break of a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import forms
from river_envs.probes.base import Survey
from river_envs.probes.edits import Target, declared
from river_envs.probes.equivalents import Equivalent, Rewriting


class TrailingNewline(Equivalent):
    """A text with or without its last line break.

    What it does: adds the last line break to every declared text output of the reference's state that has none, or
    takes it away where there is one; grades. Only where the instruction speaks neither of bytes, exact text or line
    ends.

    What a hit proves: the verifier rejects, twice, a state whose lines are the same, while the same files with their
    own bytes are rewarded (over-specific-form).

    What it cannot show: whether a solver would write the other form; both are common (`echo`, `printf`, `join`).

    Seen in the wild: `assert path.read_text() == "42"`; the digest or the size of the reference's own file.
    """

    id = "trailing-newline"
    name = "Last line break"
    version = 4
    outputs_only = True
    order = 70
    without = "the reference leaves no text output"

    def closed(self, instruction: str) -> str:
        """Words about bytes, exactness or line ends."""
        return "" if forms.newline_open(instruction) else "the instruction may fix how a text ends"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All text outputs at once."""
        yield turned([target for target in declared(found) if target.named and target.fresh])


def turned(texts: Sequence[Target]) -> Rewriting:
    """The texts with a last line break where they have none, and without it where they have one."""
    pairs = [(target, _other(target)) for target in texts]
    made = [(t, c) for t, c in pairs if c != t.content and c.splitlines() == t.content.splitlines()]
    files = tuple(File(target.path.strip("/"), content, target.mode) for target, content in made)
    return Rewriting(tuple(t for t, _ in made), files, "the last line break added or removed", "the same lines")


def _other(target: Target) -> bytes:
    content = target.content
    return content.removesuffix(b"\n") if content.endswith(b"\n") else content + b"\n"
