"""An answer in the asked form whose values nobody computed."""

from __future__ import annotations

import json

from river_envs.environment import Environment
from river_envs.probes import trivial
from river_envs.probes.answers import alter

_BARE = {
    ".json": '{"invented": 987654}',
    ".jsonl": '{"invented": 987654}\n',
    ".csv": "invented,987654\n",
    ".tsv": "invented\t987654\n",
}


def answer(environment: Environment, path: str, outputs: tuple[str, ...]) -> str:
    """The example of the instruction with other values, else the least of that type. JSON is written in the plainest
    way, so that its bytes are those of the parsed value written again.
    """
    example = trivial.shown(environment.instruction, path, outputs)
    if example is None:
        return next((bare for end, bare in _BARE.items() if path.endswith(end)), "0.123 invented 987654\n")
    changed = alter(example, salt=3, table=path.endswith((".csv", ".tsv")))
    if not path.endswith(".json"):
        return changed
    try:
        return json.dumps(json.loads(changed), sort_keys=True)
    except ValueError:
        return changed
