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
    digits or formats.

    What a hit proves: the verifier rejects, twice, the same numbers, while the same files with their own bytes are
    rewarded (over-specific-form).

    What it cannot show: numbers in tables and running text, whose form the data may dictate.

    Seen in the wild: `assert answer.strip() == "3.75"`.
    """

    id = "number-form"
    name = "A fraction with one more zero"
    order = 72
    without = "the reference leaves no fraction whose form is open"

    def closed(self, instruction: str) -> str:
        """Words about rounding, digits, formats."""
        return "" if forms.number_open(instruction) else "the instruction may fix how numbers are written"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All outputs at once."""
        pairs = []
        for target in declared(found):
            content = _longer(target)
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


def _same(target: Target, content: str) -> bool:
    if target.kind == "json":
        return bool(meaning("json", target.path, content.encode()) == meaning("json", target.path, target.content))
    return float(content) == float(target.text)
