"""Mutants: the reference stops early."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from river_envs.environment import Environment, File, Reference
from river_envs.probes.base import Attempt, NotApplicable, Put, Run, Survey
from river_envs.probes.mutants import Mutant

_SHARES = (0.25, 0.5, 0.75)


class SolutionCut(Mutant):
    """The first quarter, half, three quarters of the solution.

    What it does: runs the reference's script up to 25, 50 and 75 % of its commands in a fresh sandbox and grades what
    is there then. A script of one command is not cut.

    What a hit proves: nothing by itself; a survivor counts towards the score with the share that was left out.

    What it cannot show: whether the commands that were left out mattered: scripts end with clean-up and checks.

    Seen in the wild: multi-step tasks of which only the first step is tested.
    """

    id = "solution-cut"
    name = "The solution stops early"
    order = 97
    effort = "deep"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """Three cuts, those that leave something different."""
        pieces = commands_of(environment.reference)
        if survey.reference is None or environment.reference is None or len(pieces) < 2:
            return NotApplicable("there is no passing reference of several commands")
        counts = sorted({max(1, round(share * len(pieces))) for share in _SHARES} - {len(pieces)})
        return [self.cut(environment, pieces, count, index) for index, count in enumerate(counts)]

    def cut(self, environment: Environment, pieces: Sequence[str], count: int, index: int) -> Attempt:
        """The attempt that runs the first ``count`` commands; a failing one does not stop the grading."""
        reference = environment.reference
        files = tuple(file for file in reference.files if file.path != reference.entry) if reference else ()
        script = File("solve.sh", "".join(pieces[:count]).encode(), 0o755)
        variables = "".join(f"export {name}={_quoted(value)}; " for name, value in (reference.env if reference else ()))
        return self.attempt(
            environment,
            Put((*files, script), "/solution"),
            Run(f"{variables}bash /solution/solve.sh || true", environment.limits.agent_timeout_sec),
            repeat=index,
            question=f"Are the first {count} of {len(pieces)} commands of the reference rewarded?",
            path="/solution/solve.sh",
            what=f"the first {count} of {len(pieces)} commands",
            key="",
            distance=round(1 - count / len(pieces), 4),
            stated="",
            far=None,
            mode=0o755,
            in_place=True,
        )

    def edits(self, environment: Environment, survey: Survey, found: Sequence[object]) -> Sequence[None]:
        """None: this mutant runs a script, it edits no state."""
        return ()


def commands_of(reference: Reference | None) -> list[str]:
    """The top-level commands of the entry script, each with what stands before it; empty where it cannot be cut."""
    if reference is None:
        return []
    script = next((file.content for file in reference.files if file.path == reference.entry), b"")
    if not script or len(script) > 1 << 18:
        return []
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    root = Parser(Language(tree_sitter_bash.language())).parse(script).root_node
    if root.has_error:
        return []
    ends = [child.end_byte for child in root.children if child.is_named and child.type != "comment"]
    bounds = [0, *(_line_end(script, end) for end in ends[:-1]), len(script)]
    pieces = [script[start:end].decode("utf-8", "replace") for start, end in pairwise(bounds)]
    return [piece for piece in pieces if piece.strip()]


def _line_end(script: bytes, end: int) -> int:
    """The end of the line at ``end`` (here documents end on lines of their own)."""
    if script[end - 1 : end] == b"\n":
        return end
    after = script.find(b"\n", end)
    return len(script) if after < 0 else after + 1


def _quoted(value: str) -> str:
    import shlex

    return shlex.quote(value)
