"""The Python of an image: what a test layer must fit."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from river_envs.sandbox.base import Sandbox

OLDEST = (3, 8)

_PROBE = """
import json, os, sys, sysconfig
try:
    from importlib.metadata import version, PackageNotFoundError
except ImportError:
    version, PackageNotFoundError = None, ImportError
def found(name):
    try:
        return version(name)
    except Exception:
        return None
base = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
print("river:" + json.dumps({
    "version": list(sys.version_info[:3]), "implementation": sys.implementation.name, "executable": sys.executable,
    "base": base, "soabi": sysconfig.get_config_var("SOABI") or "", "machine": os.uname().machine,
    "installed": {name: found(name) for name in sys.argv[1:]},
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """The image's python3. ``base`` is the program behind any virtual environment, ``installed`` the versions asked
    about.
    """

    version: tuple[int, int, int]
    implementation: str
    executable: str
    base: str
    soabi: str
    machine: str
    installed: dict[str, str | None] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """Major and minor version, such as ``3.11``."""
        return f"{self.version[0]}.{self.version[1]}"

    @property
    def full(self) -> str:
        """The whole version, such as ``3.11.7``."""
        return ".".join(str(part) for part in self.version)

    @property
    def usable(self) -> bool:
        """Whether wheels can be chosen for it."""
        return self.implementation == "cpython" and self.version[:2] >= OLDEST

    @property
    def platforms(self) -> tuple[str, ...]:
        """The wheel platforms that it can load, newest first."""
        if self.soabi.endswith("-musl"):
            return tuple(f"musllinux_1_{minor}_{self.machine}" for minor in (2, 1))
        old = ("manylinux2014", "manylinux2010", "manylinux1") if self.machine == "x86_64" else ("manylinux2014",)
        names = ("manylinux_2_31", "manylinux_2_28", "manylinux_2_17", *old)
        return tuple(f"{name}_{self.machine}" for name in names)


def find_interpreter(sandbox: Sandbox, packages: list[str]) -> Interpreter | None:
    """The python3 of ``sandbox`` and which of ``packages`` it has; None where there is none. Raises SandboxError."""
    result = sandbox.exec(["python3", "-c", _PROBE, *packages], timeout_sec=60)
    line = next((entry for entry in result.text.splitlines() if entry.startswith("river:")), None)
    if line is None:
        return None
    try:
        seen = json.loads(line.removeprefix("river:"))
        major, minor, micro = seen["version"]
        return Interpreter(
            (int(major), int(minor), int(micro)), str(seen["implementation"]), str(seen["executable"]),
            str(seen["base"]), str(seen["soabi"]), str(seen["machine"]), dict(seen["installed"]),
        )
    except (ValueError, KeyError, TypeError):
        return None
