"""Which process something belongs to, and whether it is still there: what is killed cannot say itself that it ended."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from river_envs.environment import digest


def start_time(pid: int) -> int | None:
    """When a process began, in clock ticks since the machine did; None when there is none (a zombie counts as none).
    With its number, its identity.
    """
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()  # the name before may hold anything
    return int(fields[19]) if len(fields) > 19 and fields[0] not in {"Z", "X"} else None


def this_process() -> dict[str, Any]:
    """What tells this process from every other, as plain values. The machine is named by a hash only."""
    return {"pid": os.getpid(), "started": start_time(os.getpid()), **_machine()}


def is_gone(process: Mapping[str, Any]) -> bool:
    """Whether the process is certainly over; False for one on another machine, of which nothing is known here."""
    here = _machine()
    if process.get("machine") != here["machine"]:
        return False
    if process.get("boot") != here["boot"]:
        return True
    return start_time(int(process.get("pid", 0))) != process.get("started")


def _machine() -> dict[str, str]:
    return {"machine": digest(platform.node())[:12], "boot": digest(_text("/proc/sys/kernel/random/boot_id"))[:12]}


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""  # the process is gone, or this is no Linux
