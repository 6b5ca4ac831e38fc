"""Can a docker-compose file be run as one plain container? If not, say why; it is never half-run."""

from __future__ import annotations

from typing import Any

from river_envs.formats.base import RejectedInput
from river_envs.formats.text import parse_yaml

_HARMLESS = {
    "build", "image", "container_name", "command", "environment", "volumes", "working_dir", "stdin_open", "tty", "init",
    "cpus", "mem_limit", "deploy", "restart", "pull_policy", "platform", "labels", "logging", "stop_grace_period",
}
"""What a single service may set: names, the keep-alive command, limits, and volumes that are the harness's own logs."""

_SHELLS = ("bash", "/bin/bash", "sh", "/bin/sh")
_HARNESS = ("${T_BENCH_", "${HOST_", "${CPUS", "${MEMORY", "${TEST_DIR", "${MAIN_IMAGE", "${CONTEXT_DIR", "${ENV_")


def compose_problem(text: str, name: str) -> str | None:
    """Why the compose file ``text`` asks for more than one container with a recipe; None when it does not."""
    services = parse_yaml(text, name).get("services")
    if not isinstance(services, dict) or not services:
        raise RejectedInput(f"{name} names no services")
    if len(services) > 1:
        return f"{len(services)} services (docker compose: {', '.join(sorted(map(str, services)))[:120]})"
    service = next(iter(services.values()))
    if not isinstance(service, dict):
        raise RejectedInput(f"{name}: the service is not a mapping")
    return _service_problem(service)


def image_of(text: str, name: str) -> str | None:
    """The published image that a single service without a build names."""
    services = parse_yaml(text, name).get("services")
    service = next(iter(services.values())) if isinstance(services, dict) and services else None
    image = service.get("image") if isinstance(service, dict) and "build" not in service else None
    return image if isinstance(image, str) and "${" not in image else None


def _service_problem(service: dict[str, Any]) -> str | None:
    other = sorted(str(key) for key in service if key not in _HARMLESS)
    if other:
        return f"docker compose asks for {', '.join(other)[:120]}"
    if not _keeps_alive(service.get("command")):
        return "docker compose starts a program of its own"
    if "devices" in str(service.get("deploy")):
        return "docker compose reserves devices"
    build = service.get("build")
    context = build.get("context", ".") if isinstance(build, dict) else build
    if context is not None and str(context).rstrip("/") not in (".", "") and not str(context).startswith(_HARNESS):
        return f"docker compose builds from {context!r}"[:120]
    if isinstance(build, dict) and build.get("dockerfile", "Dockerfile") not in ("Dockerfile", "./Dockerfile"):
        return f"docker compose builds from {build['dockerfile']!r}"[:120]
    if isinstance(build, dict) and set(build) - {"context", "dockerfile"}:
        return f"docker compose builds with {', '.join(sorted(set(map(str, build)) - {'context', 'dockerfile'}))}"[:120]
    own = [str(volume) for volume in _items(service.get("volumes")) if not str(volume).startswith(_HARNESS)]
    if own:
        return f"docker compose mounts {own[0]}"[:120]
    variables = [str(value) for value in _items(service.get("environment"))]
    mine = [value for value in variables if not value.startswith("TEST_DIR") and "${T_BENCH_" not in value]
    return f"docker compose sets the variable {mine[0]}"[:120] if mine else None


def _keeps_alive(command: object) -> bool:
    """Whether ``command`` only keeps the container running."""
    text = " ".join(map(str, command)) if isinstance(command, list) else str(command or "")
    return not text or any(idle in text for idle in ("sleep infinity", "tail -f /dev/null")) or text in _SHELLS


def _items(value: object) -> list[Any]:
    if isinstance(value, dict):
        return [f"{key}={item}" for key, item in value.items()]
    return value if isinstance(value, list) else []
