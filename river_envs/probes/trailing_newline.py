"""Equivalent: the last line break of a text."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import coverage, edits, forms
from river_envs.probes.base import Survey
from river_envs.probes.edits import Target, declared
from river_envs.probes.equivalents import Equivalent, Rewriting


class TrailingNewline(Equivalent):
    """A text with or without its last line break.

    What it does: adds the last line break to every declared text output of the reference's state that has none, or
    takes it away where there is one; grades. The same for text files that the reference left beside them, of which the
    instruction says nothing and that the tests name (a process number, a log). Only where the instruction speaks
    neither of bytes, exact text or line ends.

    What a hit proves: the verifier rejects, twice, a state whose lines are the same, while the same files with their
    own bytes are rewarded (over-specific-form).

    What it cannot show: whether a solver would write the other form; both are common (`echo`, `printf`, `join`).

    Seen in the wild: `assert path.read_text() == "42"`; the digest or the size of the reference's own file.
    """

    id = "trailing-newline"
    name = "Last line break"
    version = 2
    outputs_only = True
    order = 70
    without = "the reference leaves no text output"

    def closed(self, instruction: str) -> str:
        """Words about bytes, exactness or line ends."""
        return "" if forms.newline_open(instruction) else "the instruction may fix how a text ends"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All text outputs at once, then what lies beside them."""
        named = [target for target in declared(found) if target.named and target.fresh]
        for texts in (named, _beside(environment, edits.targets(environment, survey, every=True))):
            pairs = [(target, _other(target)) for target in texts]
            made = [(t, c) for t, c in pairs if c != t.content and c.splitlines() == t.content.splitlines()]
            files = tuple(File(target.path.strip("/"), content, target.mode) for target, content in made)
            yield Rewriting(tuple(t for t, _ in made), files, "the last line break added or removed", "the same lines")


def _beside(environment: Environment, found: Sequence[Target]) -> list[Target]:
    """Text files that the tests spell out, and neither the instruction nor a program of the work names."""
    programs = [target.content for target in found if target.kind == "code" or target.mode & 0o111]
    beside = []
    for target in found:
        name = posixpath.basename(target.path)
        plain = target.fresh and not target.named and target.kind not in {"code", "binary"} and target.content.strip()
        unread = "." in name and name not in environment.instruction and "/.git/" not in target.path
        unread = unread and not any(name.encode() in program for program in programs)
        if plain and unread and coverage.names(environment.verifier, name):
            beside.append(target)
    return beside


def _other(target: Target) -> bytes:
    content = target.content
    return content.removesuffix(b"\n") if content.endswith(b"\n") else content + b"\n"
