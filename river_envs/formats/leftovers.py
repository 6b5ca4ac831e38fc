"""Folders that look like a task and are recognised as none: they are named, so that nothing is skipped silently."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from river_envs.formats import terminal_bench, tmax

SETTINGS = {"task.json": tmax.FORMAT, "task.yaml": terminal_bench.FORMAT}
"""The files of settings that other software uses too, and whose format they would be."""

_LARGEST = 1 << 20
_MOST = 16


def leftover(items: Sequence[os.DirEntry[str]], format: str) -> str:
    """Why a folder that was recognised as no task is to be named, or "".

    Only a folder without folders is judged: it holds a task's settings and nothing of what belongs to them, or files
    in JSON of which none can be read.
    """
    if any(item.is_dir(follow_symlinks=False) for item in items):
        return ""
    files = [item for item in items if item.is_file(follow_symlinks=False)]
    for item in files:
        if format in ("auto", SETTINGS.get(item.name)) and item.name in SETTINGS:
            return f"{item.name} stands without the tests and the image that make it a {SETTINGS[item.name]} task"
    if format != "auto" or not files or not all(item.name.endswith(".json") for item in files):
        return ""
    reasons = [_broken(item) for item in files[:_MOST]]
    more = f" (and {len(files) - 1} more)" if len(files) > 1 else ""
    return f"holds no task: {reasons[0]}{more}" if all(reasons) else ""


def _broken(item: os.DirEntry[str]) -> str:
    """Why a file is no JSON, or "" where it is, or is too large to be looked at."""
    if item.stat(follow_symlinks=False).st_size > _LARGEST:
        return ""
    try:
        json.loads(Path(item.path).read_bytes())
    except OSError as problem:
        return f"{item.name} cannot be read: {problem.strerror}"
    except (ValueError, RecursionError):  # no JSON, no UTF-8, or nested without end
        return f"{item.name} is not valid JSON"
    return ""
