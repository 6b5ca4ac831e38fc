"""The models of Harbor's ``task.toml``, with the older keys that published tasks still carry."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field, field_validator

from river_envs.formats.base import RejectedInput
from river_envs.formats.text import Settings, Text

NetworkMode = Literal["public", "no-network", "allowlist"]

_TEMPLATE = re.compile(r"\$\{([^}:]+)(?::-(.*))?\}", re.DOTALL)
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT])(?:i?B)?\s*", re.IGNORECASE)
_MEBIBYTES = {"K": 1 / 1024, "M": 1, "G": 1024, "T": 1024 * 1024}


class Task(Settings):
    """``[task]``: the name and its description."""

    name: Text | None = None
    description: Text = ""
    keywords: tuple[Text, ...] = ()


class Phase(Settings):
    """What ``[agent]``, ``[verifier]`` and ``[environment]`` have in common."""

    network_mode: NetworkMode | None = None
    allowed_hosts: tuple[Text, ...] | None = None


class Agent(Phase):
    """``[agent]``."""

    timeout_sec: float | None = Field(default=None, gt=0)
    user: Text | int | None = None


class Box(Phase):
    """``[environment]``: the container and its limits."""

    build_timeout_sec: float | None = Field(default=None, gt=0)
    docker_image: Text | None = None
    os: Text = "linux"
    cpus: float | None = Field(default=None, gt=0)
    memory_mb: int | None = Field(default=None, gt=0)
    storage_mb: int | None = Field(default=None, gt=0)
    memory: Text | None = None
    storage: Text | None = None
    gpus: int | None = Field(default=None, ge=0)
    tpu: dict[str, Any] | None = None
    allow_internet: bool = True
    env: dict[Text, Text] = Field(default_factory=dict)
    workdir: Text | None = None
    healthcheck: dict[str, Any] | None = None
    mcp_servers: list[Any] = Field(default_factory=list)

    @field_validator("memory", "storage")
    @classmethod
    def _readable_size(cls, value: str | None) -> str | None:
        if value is not None:
            mebibytes(value)
        return value


class VerifierSettings(Phase):
    """``[verifier]``."""

    timeout_sec: float | None = Field(default=None, gt=0)
    env: dict[Text, Text] = Field(default_factory=dict)
    user: Text | int | None = None
    environment_mode: Literal["shared", "separate"] | None = None
    environment: dict[str, Any] | None = None


class Solution(Settings):
    """``[solution]``."""

    env: dict[Text, Text] = Field(default_factory=dict)


class Step(Settings):
    """One of ``[[steps]]``."""

    name: Text


class TaskSettings(Settings):
    """The whole of ``task.toml``."""

    task: Task = Field(default_factory=Task)
    metadata: dict[str, Any] = Field(default_factory=dict)
    agent: Agent = Field(default_factory=Agent)
    verifier: VerifierSettings = Field(default_factory=VerifierSettings)
    environment: Box = Field(default_factory=Box)
    solution: Solution = Field(default_factory=Solution)
    steps: tuple[Step, ...] = ()


def mebibytes(text: str) -> int:
    """``"4G"`` → 4096. Raises :class:`ValueError` for anything that is no size."""
    match = _SIZE.fullmatch(text)
    if not match or float(match[1]) <= 0:
        raise ValueError(f"{text!r} is no size such as '512M' or '4G'")
    return max(1, round(float(match[1]) * _MEBIBYTES[match[2].upper()]))


def resolve_variables(variables: dict[str, str], section: str) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """Sorted variables with ``${NAME:-default}`` replaced by its default, and what cannot be resolved.

    Harbor would look ``NAME`` up on the machine that runs it; an environment whose meaning depends on the caller's
    shell is not reproducible, and a stranger's task must not read the caller's secrets, so only the default counts.
    """
    resolved, missing = [], []
    for name, value in sorted(variables.items()):
        if "=" in name or not name:
            raise RejectedInput(f"task.toml: {section}.env: {name!r} is no variable name")
        match = _TEMPLATE.fullmatch(value)
        if match and match[2] is None:
            missing.append(f"{section}.env {name} needs the caller's variable {match[1]}")
        resolved.append((name, match[2] if match and match[2] is not None else value))
    return tuple(resolved), missing


def write_variable(value: str) -> str:
    """``value`` so that :func:`resolve_variables` (and Harbor) give it back unchanged."""
    return f"${{RIVER_UNSET:-{value}}}" if _TEMPLATE.fullmatch(value) else value
