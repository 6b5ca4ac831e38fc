"""Mutant: every entry has a label, and the labels say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import cycle

from river_envs.environment import Environment
from river_envs.probes import edits, wording
from river_envs.probes.base import Survey
from river_envs.probes.edits import Edit, Target, declared
from river_envs.probes.mutants import Mutant

_FEWEST = 8


class LabelsShuffled(Mutant):
    """The right entries with labels dealt out like cards.

    What it does: where the instruction states a share of agreement that labels (classes, clusters) must reach, deals
    the labels of the last column of the reference's table out in turn over the rows ordered by their label, so that
    each group is split evenly over all labels; grades.

    What a hit proves: labels that agree with the accepted ones no better than chance, far below the stated share, are
    rewarded twice, while the accepted ones are rewarded too (unchecked-requirement).

    What it cannot show: how close to the share the verifier draws the line; predictions of numbers.

    Seen in the wild: a clustering task whose tests count the rows and the distinct labels.
    """

    id = "labels-shuffled"
    name = "Labels that say nothing"
    version = 1
    order = 92
    most = 1
    without = "the reference leaves no table of labels for which an agreement is stated"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """Each table of labels."""
        instruction = environment.instruction
        share, sentence = _stated_share(instruction)
        if not sentence or wording.has_error(instruction):
            return
        for target in declared(found):
            dealt = _dealt(target)
            if dealt is None or not target.named or not target.fresh:
                continue
            content, chance = dealt
            sure = chance < 2 * share - 1 and not edits.unsure(environment, survey, found, target.path)
            yield edits.edit(target, content, "its labels dealt out in turn", stated=sentence if sure else "")


def _stated_share(instruction: str) -> tuple[float, str]:
    """The least share of agreement that is stated, and its sentence."""
    found = []
    for sentence in wording.sentences(instruction):
        if not wording.has_metric(sentence) or not re.search(r"\b(at least|above|over|reach|exceed|minimum)", sentence):
            continue
        shares = [float(number) for number in re.findall(r"(?<![\w.])(?:0?\.\d+)(?![\w.]\d)", sentence)]
        shares += [float(number) / 100 for number in re.findall(r"(\d+(?:\.\d+)?) ?(?:%|per ?cent)", sentence)]
        found += [(share, sentence.strip()) for share in shares if 0 < share <= 1]
    return min(found, default=(0.0, ""))


def _dealt(target: Target) -> tuple[str, float] | None:
    """The table with its labels dealt out, and the share of rows that keep theirs; None where it is no such table."""
    separator = {"csv": ",", "tsv": "\t"}.get(target.kind, "")
    lines = target.text.splitlines(keepends=True)
    if target.kind == "text" and lines:
        separator = next((sign for sign in ("\t", ",", " ") if all(line.count(sign) == 1 for line in lines)), "")
    if not separator or '"' in target.text:
        return None
    first = 1 if target.kind in {"csv", "tsv"} else 0
    rows = [line.rstrip("\r\n").rpartition(separator) for line in lines[first:]]
    labels = [label for _, _, label in rows]
    kinds = sorted(set(labels))
    if len(rows) < _FEWEST or not 2 <= len(kinds) <= len(rows) // 3:
        return None
    dealt = list(labels)
    for at, label in zip(sorted(range(len(rows)), key=lambda at: (labels[at], at)), cycle(kinds), strict=False):
        dealt[at] = label
    kept = sum(one == other for one, other in zip(labels, dealt, strict=True)) / len(rows)
    ends = [line[len(line.rstrip("\r\n")) :] for line in lines[first:]]
    body = [f"{row[0]}{separator}{label}{end}" for row, label, end in zip(rows, dealt, ends, strict=True)]
    return "".join(lines[:first]) + "".join(body), kept
