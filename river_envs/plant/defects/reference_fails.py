"""reference-fails: the shipped reference is rejected, and the failure points at nothing narrower."""

from __future__ import annotations

import ast
from random import Random

from river_envs.environment import Environment
from river_envs.plant.alter import emptied, put, wrong_everywhere
from river_envs.plant.base import REFUSES, CannotCarry, Defect, Demonstration, Planted, still_refuses_untouched
from river_envs.plant.reference import rewrite_reference
from river_envs.plant.subject import Subject
from river_envs.plant.suite import tests_of, transform
from river_envs.probes.base import Solve

_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.Gt,
    ast.Gt: ast.Lt,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.In: ast.NotIn,
}
_TOOLS = ("datamill", "xsv-legacy", "fixturectl", "csvstrip", "tidyjson", "logcarve", "colsplit", "rowpack")


class ReferenceFails(Defect):
    """The reference no longer fits its verifier: it writes to an old path, needs a tool that the image lost, reads
    an input that was renamed; or a comparison of the tests is turned round. Differs from a sound variant in that
    running the reference is refused.
    """

    cause = "reference-fails"

    def form_old_path(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The reference writes its output under an earlier name."""
        reference = subject.environment.reference
        text = "".join(file.content.decode("utf-8", "replace") for file in reference.files) if reference else ""
        named = [output for output in subject.created if output.path in text]
        if not named:
            return CannotCarry("the reference does not name its outputs")
        output = rng.choice(named)
        folder, _, name = output.path.rpartition("/")
        stem, dot, suffix = name.rpartition(".")
        old = f"{folder}/{rng.choice(['new_', 'final_', 'out_', 'tmp_'])}{name}"
        if rng.random() < 0.4 and dot:
            old = f"{folder}/{stem}{rng.choice(['_v1', '-old', '_final', '2'])}.{suffix}"
        made = rewrite_reference(subject.environment, lambda script: script.replace(output.path, old))
        return self._finish(made, f"the reference writes {old}, {output.path} is asked for")

    def form_missing_tool(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The reference needs a tool that the image does not have, and stops without it."""
        tool = rng.choice(_TOOLS)

        def change(script: str) -> str:
            first, _, rest = script.partition("\n")
            guard = rng.choice(
                [
                    f"set -euo pipefail\n{tool} --version > /dev/null",
                    f"command -v {tool} > /dev/null || exit 1",
                    f"set -e\nwhich {tool}",
                ]
            )
            return f"{first}\n{guard}\n{rest}" if first.startswith("#!") else f"{guard}\n{script}"

        return self._finish(
            rewrite_reference(subject.environment, change), f"the reference needs {tool}, which the image lacks"
        )

    def form_renamed_input(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The reference reads an input by an earlier name."""
        reference = subject.environment.reference
        text = "".join(file.content.decode("utf-8", "replace") for file in reference.files) if reference else ""
        outputs = {output.path for output in subject.outputs}
        inputs = [path for path in sorted(subject.named - outputs) if path in text and "." in path.rsplit("/", 1)[-1]]
        if not inputs:
            return CannotCarry("the reference names no input")
        path = rng.choice(inputs)
        stem, _, suffix = path.rpartition(".")
        old = rng.choice([f"{stem}_v1.{suffix}", f"{stem}.raw.{suffix}", f"{path}.txt", f"{stem}-2023.{suffix}"])
        made = rewrite_reference(subject.environment, lambda script: script.replace(path, old))
        return self._finish(made, f"the reference reads {old}, the image has {path}")

    def form_turned_round(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A comparison in the tests is the wrong way round."""

        def change(tree: ast.Module) -> bool:
            comparisons = [
                node
                for function in tests_of(tree)
                for statement in ast.walk(function)
                if isinstance(statement, ast.Assert)
                for node in ast.walk(statement.test)
                if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _FLIPPED
            ]
            if not comparisons:
                return False
            chosen = rng.choice(comparisons[-3:])
            chosen.ops = [_FLIPPED[type(chosen.ops[0])]()]
            return True

        made = transform(subject.environment, change)
        wrong = wrong_everywhere(subject)[1:] or tuple(put(output.path, b"\n", 0o755) for output in subject.programs)
        refused = [
            Demonstration("a state with everything wrong is refused", (wrong,), REFUSES),
            Demonstration("empty files are refused", (emptied(wrong),), REFUSES),
        ]
        return self._finish(made, "a comparison of the tests is turned round", *refused)

    def _finish(self, made: Environment | CannotCarry, note: str, *more: Demonstration) -> Planted | CannotCarry:
        if isinstance(made, CannotCarry):
            return made
        proof = Demonstration("running the reference is refused", ((Solve(),),), REFUSES)
        return self.made(made, note, still_refuses_untouched(), proof, *more)
