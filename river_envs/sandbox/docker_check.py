"""What a Docker daemon can hold here: the lines that ``doctor`` shows."""

from __future__ import annotations

from typing import Any

from river_envs.sandbox.base import BackendUnavailable, Check, SandboxError
from river_envs.sandbox.docker_client import Client, daemon_errors

_START = "install Docker, start its daemon and add this user to the group docker, or set DOCKER_HOST"
_KERNEL = "boot with the cgroup controller enabled"


def checks(client: Client) -> list[Check]:
    """One line per property; a daemon that does not answer is one failed line. Never raises."""
    try:
        with daemon_errors("asking the daemon"):
            info: dict[str, Any] = client.api.info()
    except (BackendUnavailable, SandboxError) as error:
        return [Check("docker daemon", False, str(error), _START)]
    driver = str(info.get("Driver"))
    return [
        Check("docker daemon", True, f"version {info.get('ServerVersion')}, storage {driver}"),
        _limit("memory limit", bool(info.get("MemoryLimit"))),
        _limit("process limit", bool(info.get("PidsLimit"))),
        _limit("cpu limit", bool(info.get("CpuCfsQuota"))),
        Check("swap limit", bool(info.get("SwapLimit")), "memory and swap are limited together" if info.get("SwapLimit")
              else "a sandbox may use swap beyond its memory limit", "" if info.get("SwapLimit") else "turn swap off"),
        Check("disk limit", False, "one file is limited at once, their sum looked at every second, their number is not",
              "use bubblewrap, or a daemon on XFS with project quotas"),
        Check("system call filter", "name=seccomp" in ",".join(info.get("SecurityOptions") or ()),
              "the daemon's default profile", "run the daemon with seccomp"),
    ]


def _limit(name: str, holds: bool) -> Check:
    return Check(name, holds, "holds" if holds else "the kernel does not offer it to Docker", "" if holds else _KERNEL)
