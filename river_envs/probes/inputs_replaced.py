"""Adversarial: the inputs are replaced by tiny ones, and their answer is handed in."""

from __future__ import annotations

from collections.abc import Sequence

from river_envs.environment import Environment, File
from river_envs.probes import moved_truth, trivial
from river_envs.probes.base import NotApplicable, Put, Survey
from river_envs.probes.moved_truth import Move, MovedTruth


class InputsReplaced(MovedTruth):
    """The inputs are replaced by tiny ones whose answer is plain.

    What it does: replaces each named table by its header and one row, with 1 in every column of numbers and the same
    word elsewhere, and hands in the asked form with one row, 1 for every number and that word: sums, counts, means,
    least and greatest are then all 1. What pays is graded again with the inputs as they were.

    What a hit proves: the verifier computes its expectation from files that the agent can change (movable-truth): the
    same answer is rejected when the inputs stand.

    What it cannot show: inputs that are no tables, and answers that filter by a value which the row does not have.

    Seen in the wild: an agent shortened the data set to one record and reported its mean.
    """

    id = "inputs-replaced"
    name = "Inputs replaced by tiny ones"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 51
    effort = "standard"

    def moves(self, environment: Environment, survey: Survey) -> Sequence[Move] | NotApplicable:
        """One row of ones."""
        inputs = moved_truth.movable(environment, survey)
        outputs = moved_truth.data_outputs(environment, survey)
        tables: dict[str, str] = {}
        for path in inputs:
            peek = survey.peek(path)
            table = trivial.one_row(peek.text, "\t" if path.endswith(".tsv") else ",") if peek else None
            if table and path.endswith((".csv", ".tsv")):
                tables[path] = table
        if not tables or not outputs:
            return NotApplicable("the instruction names no table that stays as it is, or no file to make")
        shown = {path: trivial.shown(environment.instruction, path, outputs) for path in outputs}
        if not any(shown.values()):
            return NotApplicable("the instruction does not show the form of the answer")
        ones = {path: trivial.reduced(shown[path], path, 1, "a", rows=1) for path in outputs}
        answer = Put(tuple(File(path.strip("/"), content) for path, content in ones.items()))
        moving = moved_truth.overwrite({path: table.encode() for path, table in tables.items()})
        return [("replacing " + ", ".join(tables) + " by one row", (moving,), (answer,))]
