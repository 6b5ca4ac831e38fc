"""Equivalent: a fraction with one more zero."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import forms
from river_envs.probes.base import Survey
from river_envs.probes.documents import changed, meaning, spots
from river_envs.probes.edits import Target, declared
from river_envs.probes.equivalents import Equivalent, Rewriting

_FRACTION = re.compile(r"-?\d+\.\d+")


class NumberForm(Equivalent):
    """1.5 and 1.50 are one number.

    What it does: writes each fraction of the declared JSON outputs of the reference's state, and a fraction that is
    all of a text output, with one more zero at its end; grades. Only where the instruction does not speak of rounding,
    digits or formats; where it allows further decimals of a key or column, the fractions of that one.

    What a hit proves: the verifier rejects, twice, the same numbers, while the same files with their own bytes are
    rewarded (over-specific-form).

    What it cannot show: numbers in tables and running text, whose form the data may dictate.

    Seen in the wild: `assert answer.strip() == "3.75"`.
    """

    id = "number-form"
    name = "A fraction with one more zero"
    version = 2
    outputs_only = True
    order = 72
    without = "the reference leaves no fraction whose form is open"

    def closed(self, instruction: str) -> str:
        """Words about rounding, digits, formats."""
        open_ = forms.number_open(instruction) or forms.more_decimals(instruction, "")
        return "" if open_ else "the instruction may fix how numbers are written"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All outputs at once."""
        pairs = []
        wide = forms.more_decimals(environment.instruction, "")
        for target in declared(found):
            content = _freed(environment.instruction, target) if wide else _longer(target)
            if target.named and target.fresh and content != target.text and _same(target, content):
                pairs.append((target, content))
        files = tuple(File(target.path.strip("/"), content.encode(), target.mode) for target, content in pairs)
        yield Rewriting(tuple(t for t, _ in pairs), files, "one more zero behind its fractions", "the same numbers")


def _longer(target: Target) -> str:
    text = target.text
    lone = target.kind == "text" and _FRACTION.fullmatch(text.strip()) is not None
    if target.kind == "json" or lone:
        for spot in reversed(spots(target.kind, text)):
            quoted = text[spot.start - 1 : spot.start] == '"'
            if _FRACTION.fullmatch(spot.text) and not quoted:
                text = changed(text, spot, spot.text + "0")
    return text


def _freed(instruction: str, target: Target) -> str:
    """The text with a zero behind the fractions whose key stands in a sentence that allows further decimals."""
    text = target.text
    for spot in reversed(spots(target.kind, text) if target.kind in {"csv", "tsv", "json", "jsonl"} else ()):
        named = re.compile(rf"[`\"']{re.escape(spot.key)}[`\"']")
        free = spot.key and named.search(forms.more_decimals(instruction, spot.key))
        if free and _FRACTION.fullmatch(spot.text) and text[spot.start - 1 : spot.start] != '"':
            text = changed(text, spot, spot.text + "0")
    return text


def _same(target: Target, content: str) -> bool:
    if target.kind == "json":
        return bool(meaning("json", target.path, content.encode()) == meaning("json", target.path, target.content))
    if target.kind != "text":
        before, after = spots(target.kind, target.text), spots(target.kind, content)
        pairs = list(zip(before, after, strict=True)) if len(before) == len(after) else []
        return bool(pairs) and all(_equal(one.text, other.text) for one, other in pairs)
    return float(content) == float(target.text)


def _equal(one: str, other: str) -> bool:
    return one == other or (_FRACTION.fullmatch(one) is not None and float(one) == float(other))
