"""Look at a built image once, before any probe: which files stand where tasks live."""

from __future__ import annotations

import posixpath

from river_envs.environment import Environment
from river_envs.probes import instruction
from river_envs.probes.base import Survey
from river_envs.sandbox.base import Sandbox

_ROOTS = ("/app", "/data", "/home", "/mnt", "/root", "/srv", "/tmp", "/work", "/workspace")
_WHOLE = frozenset(
    {
        "",
        "/",
        "/bin",
        "/boot",
        "/dev",
        "/lib",
        "/lib64",
        "/proc",
        "/run",
        "/sbin",
        "/sys",
        "/usr",
        "/usr/bin",
        "/usr/lib",
    }
)


def survey(sandbox: Sandbox, environment: Environment) -> Survey:
    """List the task directories, the working directory, and the parents of every path that the instruction names."""
    workdir = environment.workdir or sandbox.image.workdir
    roots = {*_ROOTS, workdir}
    for path in instruction.paths(environment.instruction, workdir):
        roots.add(posixpath.dirname(path.rstrip("/")))
    wanted = sorted(root for root in roots if root not in _WHOLE)
    outermost = [root for root in wanted if not any(root.startswith(other + "/") for other in wanted)]
    return Survey(sandbox.list(outermost), workdir)
