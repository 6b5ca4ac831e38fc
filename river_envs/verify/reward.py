"""Reading a reward by Harbor's rules, from files that a hostile program may have made.

``/logs/verifier/reward.json`` comes first: a flat object of numbers. Else ``reward.txt``: one number. Neither, or
an empty one: there is no reward, which is an error and never 0. Anything else in either place (a link, a directory,
a FIFO, a huge file, ``NaN``, text, a nested value) is malformed, and a malformed ``reward.json`` is not skipped in
favour of ``reward.txt``.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field

from river_envs.environment import Verifier
from river_envs.outcome import Status
from river_envs.sandbox.base import Sandbox
from river_envs.verify.log import line

FOLDER = "/logs/verifier"
JSON_NAME = "reward.json"
TEXT_NAME = "reward.txt"
LIMIT_BYTES = 64 << 10


@dataclass(frozen=True)
class Reward:
    """A reward that was read: the number that counts, every key, and the file it came from."""

    value: float
    rewards: dict[str, float] = field(default_factory=dict)
    source: str = TEXT_NAME


@dataclass(frozen=True)
class NoReward:
    """Why no reward could be read."""

    status: Status
    detail: str


def read_reward(sandbox: Sandbox, verifier: Verifier) -> Reward | NoReward:
    """The reward that the verifier left in ``sandbox``. Raises SandboxError when the sandbox is gone."""
    for name, parse in ((JSON_NAME, parse_json), (TEXT_NAME, parse_text)):
        content = _read(sandbox, name)
        if isinstance(content, NoReward):
            return content
        if content is not None:
            return parse(content, verifier)
    return NoReward(Status.NO_REWARD_FILE, f"the verifier ended without {TEXT_NAME} or {JSON_NAME} in {FOLDER}")


def _read(sandbox: Sandbox, name: str) -> bytes | NoReward | None:
    """The content of a reward file; None where there is none."""
    path = f"{FOLDER}/{name}"
    try:
        content = sandbox.get(path, limit=LIMIT_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        return NoReward(Status.MALFORMED_REWARD, f"{path} is no regular file: {line(str(error))}")
    if any(entry.path.rstrip("/").endswith(path) and entry.kind == "link" for entry in sandbox.list([FOLDER])):
        return NoReward(Status.MALFORMED_REWARD, f"{path} is a link")
    if len(content) > LIMIT_BYTES:
        return NoReward(Status.MALFORMED_REWARD, f"{path} is larger than {LIMIT_BYTES} bytes")
    return content


def parse_text(content: bytes, verifier: Verifier) -> Reward | NoReward:
    """The one number of ``reward.txt``."""
    text = content.decode("utf-8", "replace").strip()
    if not text:
        return NoReward(Status.NO_REWARD_FILE, f"{TEXT_NAME} is empty")
    try:
        value = float(text)
    except ValueError:
        return NoReward(Status.MALFORMED_REWARD, f"{TEXT_NAME} holds {line(text, 80)!r}, not one number")
    if not math.isfinite(value):
        return NoReward(Status.MALFORMED_REWARD, f"{TEXT_NAME} holds {text!r}, not a finite number")
    return Reward(value, {"reward": value}, TEXT_NAME)


def parse_json(content: bytes, verifier: Verifier) -> Reward | NoReward:
    """The flat object of ``reward.json``, and which of its numbers counts."""
    if not content.strip():
        return NoReward(Status.NO_REWARD_FILE, f"{JSON_NAME} is empty")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        return NoReward(Status.MALFORMED_REWARD, f"{JSON_NAME} is no JSON: {line(str(error), 120)}")
    if not isinstance(value, dict):
        return NoReward(Status.MALFORMED_REWARD, f"{JSON_NAME} holds a {type(value).__name__}, no object of numbers")
    if not value:
        return NoReward(Status.MALFORMED_REWARD, f"{JSON_NAME} holds no key")
    rewards: dict[str, float] = {}
    for key, number in value.items():
        finite = _number(number)
        if finite is None:
            return NoReward(Status.MALFORMED_REWARD, f"{JSON_NAME}: {line(key, 60)!r} is not a finite number")
        rewards[key] = finite
    return _choose(rewards, verifier.reward_key)


def _number(value: object) -> float | None:
    """``value`` as a finite float; None for everything that is not a number (a boolean is not one)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _choose(rewards: dict[str, float], declared: str | None) -> Reward | NoReward:
    """Which key counts: ``reward``, else the declared one, else the only one."""
    for key in ("reward", declared):
        if key is not None and key in rewards:
            return Reward(rewards[key], rewards, JSON_NAME)
    if len(rewards) == 1:
        return Reward(next(iter(rewards.values())), rewards, JSON_NAME)
    names = line(", ".join(sorted(rewards)), 120)
    return NoReward(Status.UNSUPPORTED, f"{JSON_NAME} has several keys ({names}), none is 'reward' or declared")
