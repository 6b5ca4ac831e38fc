"""Adversarial: the inputs are emptied, and the answer for nothing is handed in."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment, File
from river_envs.probes import moved_truth, trivial
from river_envs.probes.asked import asked
from river_envs.probes.base import NotApplicable, Put, Survey
from river_envs.probes.moved_truth import Move, MovedTruth


class InputsEmptied(MovedTruth):
    """The inputs that the instruction names are emptied, and the answer for nothing is handed in.

    What it does: empties each input that the instruction names, itself or by its folder, and does not ask to change;
    hands in the answer that is right for nothing, in the asked form: zeros, empty lists, a table without rows. One
    attempt keeps the outer form of the inputs: the header line, an empty JSON list. What pays is graded again with the
    inputs as they were.

    What a hit proves: the verifier computes its expectation from files that the agent can change (movable-truth): the
    same answer is rejected when the inputs stand.

    What it cannot show: inputs that the instruction does not name, databases and binary files; answers for nothing in
    an unknown form.

    Seen in the wild: `: > access.log` and an empty report passed a verifier that recounted the log.
    """

    id = "inputs-emptied"
    name = "Inputs emptied"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 50
    effort = "quick"

    def moves(self, environment: Environment, survey: Survey) -> Sequence[Move] | NotApplicable:
        """Outer forms kept, then nothing at all."""
        inputs = moved_truth.movable_texts(environment, survey)
        outputs = moved_truth.data_outputs(environment, survey)
        if not inputs or not outputs:
            return NotApplicable("the instruction names no input that stays as it is, or no file to make")
        shown = {path: trivial.shown(environment.instruction, path, outputs) for path in outputs}
        forms = {output.path: output.form for output in asked(environment, survey)}
        nothing = {}
        for path in outputs:
            form = None if shown[path] else forms.get(path)
            reduced = trivial.reduced(shown[path], path, 0, "", rows=0)
            nothing[path] = trivial.nothing(form) if form is not None else reduced
        answer = Put(tuple(File(path.strip("/"), content) for path, content in nothing.items()))
        bare = moved_truth.overwrite(dict.fromkeys(inputs, b""))
        outer = moved_truth.overwrite({path: _outer(path, survey) for path in inputs})
        label = "emptying " + ", ".join(inputs[:4])
        moves: list[Move] = [(label, (outer,), (answer,))]
        if bare != outer:
            moves.append((label, (bare,), (answer,)))
        return moves


def _outer(path: str, survey: Survey) -> bytes:
    """The outer form of an input, with nothing inside."""
    peek = survey.peek(path)
    if peek is None:
        return b""
    if path.endswith(".json"):
        return b"[]\n" if peek.text.lstrip().startswith("[") else b"{}\n"
    if path.endswith((".csv", ".tsv")):
        return (peek.text.split("\n", 1)[0] + "\n").encode()
    return b""
