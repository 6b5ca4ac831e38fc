"""Turn hostile bytes into text, and text into validated settings; every failure is a reason that names file and key."""

from __future__ import annotations

import json
import tomllib
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from river_envs.formats.base import RejectedInput

MOST_YAML_PAIRS = 10_000
"""Merge keys (``<<``) can grow a mapping exponentially; no task file comes near this."""


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("contains a NUL character")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("contains a lone surrogate, which is not text")
    return text


Text = Annotated[str, AfterValidator(_storable)]
"""A string that a database and a file system can hold."""


class Settings(BaseModel):
    """Base of the models of task files: unknown keys are ignored, wrong types are refused."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


Model = TypeVar("Model", bound=Settings)


def decode(content: bytes, name: str) -> str:
    """``content`` as UTF-8 without NUL, or a :class:`RejectedInput` that names the file."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise RejectedInput(f"{name} is not UTF-8 (byte {problem.start})") from problem
    if "\x00" in text:
        raise RejectedInput(f"{name} contains a NUL byte")
    return text


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The mapping in ``text``."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise RejectedInput(f"{name} is not valid TOML: {_short(problem)}") from problem


def parse_json(text: str, name: str) -> dict[str, Any]:
    """The object in ``text``."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise RejectedInput(f"{name} is not valid JSON: {_short(problem)}") from problem
    return _mapping(value, name)


def parse_yaml(text: str, name: str) -> dict[str, Any]:
    """The mapping in ``text``."""
    return _mapping(load_yaml(text, name), name)


def load_yaml(text: str, name: str) -> Any:
    """Whatever ``text`` holds, loaded safely, with merge keys bounded."""
    import yaml

    class Loader(yaml.SafeLoader):
        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            super().flatten_mapping(node)
            if len(node.value) > MOST_YAML_PAIRS:
                raise yaml.YAMLError(f"a mapping has over {MOST_YAML_PAIRS} keys")

    try:
        return yaml.load(text, Loader)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as problem:
        raise RejectedInput(f"{name} is not valid YAML: {_short(problem)}") from problem


def validate(model: type[Model], value: dict[str, Any], name: str) -> Model:
    """``value`` as a ``model``; the reason of a refusal names every wrong key (three at most)."""
    try:
        return model.model_validate(value)
    except ValidationError as problem:
        faults = [
            f"{'.'.join(map(str, error['loc'])) or 'top level'}: {error['msg']}"
            for error in problem.errors(include_url=False, include_input=False)
        ]
        more = f" (and {len(faults) - 3} more)" if len(faults) > 3 else ""
        raise RejectedInput(f"{name}: {'; '.join(faults[:3])}{more}") from problem


def _mapping(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RejectedInput(f"{name} holds {type(value).__name__}, not a mapping")
    return value


def _short(problem: BaseException) -> str:
    if isinstance(problem, RecursionError):
        return "nested too deeply"
    return " ".join(str(problem).split())[:200]
