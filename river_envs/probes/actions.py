"""What an attempt may do to a sandbox before it is graded: plain values that the audit carries out in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from river_envs.environment import File


@dataclass(frozen=True)
class Put:
    """Write files below ``root`` (an absolute path inside the sandbox)."""

    files: tuple[File, ...]
    root: str = "/"


@dataclass(frozen=True)
class Run:
    """Run a shell script in the sandbox as the agent would."""

    script: str
    timeout_sec: float = 60.0


@dataclass(frozen=True)
class Copy:
    """Copy one readable file of the image onto ``target``, executable when it begins like a program; the receipt holds
    the hash of what was copied.
    """

    source: str
    target: str


@dataclass(frozen=True)
class Remove:
    """Remove paths and all below them; done when each of them was there."""

    paths: tuple[str, ...]


@dataclass(frozen=True)
class Solve:
    """Run the environment's reference in this sandbox; the delta it leaves is kept."""


@dataclass(frozen=True)
class Restore:
    """Start from the delta that the reference left in an earlier attempt, ``without`` its changes at these absolute
    paths: they are as the image has them.
    """

    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Watch:
    """Look at files now and again after grading; done when they did not change, so that what was graded is what the
    actions left and nothing that a program made anew.
    """

    paths: tuple[str, ...]


Action = Put | Run | Copy | Remove | Solve | Restore | Watch


def describe(action: Action) -> dict[str, Any]:
    """A JSON-able description of an action: what enters the attempt's identity and its receipt."""
    match action:
        case Put(files, root):
            return {"put": [list(file.fingerprint()) for file in files], "root": root}
        case Run(script, timeout_sec):
            return {"run": script, "timeout_sec": timeout_sec}
        case Copy(source, target):
            return {"copy": source, "to": target}
        case Remove(paths):
            return {"remove": list(paths)}
        case Solve():
            return {"solve": True}
        case Restore(without):
            return {"restore": True, "without": list(without)} if without else {"restore": True}
        case Watch(paths):
            return {"watch": list(paths)}
