"""Equivalent: JSON laid out in another way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from river_envs.environment import Environment, File
from river_envs.probes import forms
from river_envs.probes.base import Survey
from river_envs.probes.documents import meaning
from river_envs.probes.edits import Target, declared
from river_envs.probes.equivalents import Equivalent, Rewriting


class JsonForm(Equivalent):
    """The same JSON value with other indentation, escapes and order of keys.

    What it does: writes every declared JSON output of the reference's state anew: indented where it was not, on one
    line where it was, characters escaped or not, and the keys of objects in reverse order where no word of the
    instruction speaks of order; grades. Only where the instruction does not speak of the layout.

    What a hit proves: the verifier rejects, twice, a file that parses to the same value, while the same file with its
    own bytes is rewarded (over-specific-form).

    What it cannot show: which of the three changes is rejected.

    Seen in the wild: `assert text == json.dumps(expected, indent=2)`; `grep '"status": "ok"'`.
    """

    id = "json-form"
    name = "JSON laid out in another way"
    version = 4
    outputs_only = True
    order = 70
    without = "the reference leaves no JSON output"

    def closed(self, instruction: str) -> str:
        """Words about bytes, exactness or layout."""
        return "" if forms.json_open(instruction) else "the instruction may fix the layout of JSON"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All JSON outputs at once."""
        targets = [t for t in declared(found) if t.named and t.fresh and t.kind == "json"]
        turn = forms.key_order_open(environment.instruction)
        pairs = [(target, _other(target.text, turn)) for target in targets]
        equal = [(t, c) for t, c in pairs if meaning("json", t.path, c) == meaning("json", t.path, t.content)]
        if equal:
            files = tuple(File(target.path.strip("/"), content, target.mode) for target, content in equal)
            kept = "keys in reverse order" if turn else "keys in the same order"
            what = f"its JSON in another layout ({kept})"
            yield Rewriting(tuple(target for target, _ in equal), files, what, "the same parsed value")


def _other(text: str, turn: bool) -> bytes:
    value = _turned(json.loads(text)) if turn else json.loads(text)
    indented = "\n" in text.strip()
    escaped = "\\u" in text
    end = "\n" if text.endswith("\n") else ""
    return (json.dumps(value, indent=None if indented else 2, ensure_ascii=not escaped) + end).encode()


def _turned(value: Any) -> Any:
    match value:
        case dict():
            return {key: _turned(item) for key, item in reversed(value.items())}
        case list():
            return [_turned(item) for item in value]
        case _:
            return value
