"""Which values of a state may be changed, and which of them the instruction determines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from river_envs.environment import Environment
from river_envs.probes import coverage, edits, stated, wording
from river_envs.probes.base import Survey
from river_envs.probes.documents import ROWS, TABLES, Spot, spots
from river_envs.probes.edits import Target, declared

_OTHER = re.compile(r"\b(at least|at most|or|may|optional\w*|currently|was|if)\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?<!least )(?<!most )(?<!first )(?<!any )(?<!up to )\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten)"
    r" (?:rows|lines|entries|records|objects)\b(?! of (?:test|sample|dummy|fake|invented|made))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Value:
    """One value of a declared output. ``stated``: the sentence that determines it, "" where there is doubt;
    ``tolerant``: up to a tolerance only; ``checked``: the verifier names its key, and its value where it names some.
    """

    target: Target
    spot: Spot
    stated: str
    checked: bool
    tolerant: bool = False


def values(environment: Environment, survey: Survey, found: Sequence[Target]) -> tuple[Value, ...]:
    """One value for each key of each declared output: of an entry that the verifier does not name where it names
    others, else the last one (many tests read the first); values without a key each for themselves. What the verifier
    does not name comes first, then what is determined.
    """
    tests = coverage.read(environment.verifier)
    made = []
    for target in declared(found):
        present = spots(target.kind, target.text)
        each = list(_one_each(environment, present))
        entries = list(dict.fromkeys(spot.entry for spot in present if spot.entry))[:200]
        hidden = coverage.unnamed(environment.verifier, entries, entries)
        literal = any(spot.text.encode() in tests for spot in each)
        for spot in each:
            checked = spot.key.encode() in tests and (spot.text.encode() in tests or not literal)
            checked = checked and spot.entry not in hidden
            said = _stated(environment, survey, found, target, spot)
            tolerant = bool(said) and target.fresh and not stated.determined(environment.instruction)
            made.append(Value(target, spot, said, checked, tolerant))
    order = sorted(range(len(made)), key=lambda at: (made[at].checked, not made[at].stated, at))
    return tuple(made[at] for at in order)


def _one_each(environment: Environment, present: Sequence[Spot]) -> Iterator[Spot]:
    found: dict[str, list[Spot]] = {}
    for position, spot in enumerate(present):
        if spot.text.strip():
            found.setdefault(spot.key or str(position), []).append(spot)
    for group in list(found.values())[:60]:
        hidden = coverage.unnamed(environment.verifier, group[:200], [spot.entry for spot in group[:200]])
        yield hidden[-1] if hidden else group[-1]


def _stated(
    environment: Environment,
    survey: Survey,
    found: Sequence[Target],
    target: Target,
    spot: Spot,
) -> str:
    """The sentence that determines the value: it names the key of an output in which everything follows from the data,
    orders a file that holds nothing else, or states key and value of a setting.
    """
    instruction = environment.instruction
    if edits.unsure(environment, survey, found, target.path):
        return ""
    if not target.fresh:
        return _setting(instruction, spot) if target.named and target.kind in {"pairs", "json"} else ""
    if not target.asked or not stated.determined(instruction, tolerant=spot.number):
        return ""
    whole = stated.whole(instruction, tolerant=spot.number) or stated.about(instruction, _COUNTED, target.path)
    if target.kind in TABLES and stated.headless(instruction, target.path):
        return target.asked if whole else ""
    if not stated.steady(spot.key, words=not spot.number):
        return ""
    if not spot.key:
        return target.asked if spot.text == target.text.strip() else ""
    if target.kind in ROWS and not whole:
        return ""
    keyed = stated.whole(instruction) if spot.key in _data_keys(instruction, target) else ""
    return stated.key(instruction, spot.key, target.path) or keyed


def _data_keys(instruction: str, target: Target) -> frozenset[str]:
    """The keys of a JSON object that maps entries of the data to values of one type: the instruction names none."""
    value = json.loads(target.text) if target.kind == "json" else None
    if not isinstance(value, dict) or len(value) < 3 or len({type(item) for item in value.values()}) != 1:
        return frozenset()
    scalar = not isinstance(next(iter(value.values())), dict | list)
    return frozenset(value) if scalar and not any(key in instruction for key in value) else frozenset()


def _setting(instruction: str, spot: Spot) -> str:
    """The one sentence that names a setting and the value that it is to have."""
    key, value = re.escape(spot.key), re.escape(spot.text)
    for sentence in wording.sentences(instruction):
        said = re.search(rf"(?<![\w.-]){key}(?![\w-]).{{0,40}}?(?:to|=|:|be|is)\s*[`\"']?{value}(?![\w.]\w)", sentence)
        if said and not _OTHER.search(sentence):
            return sentence.strip()
    return ""
