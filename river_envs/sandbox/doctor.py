"""What works on this machine, as this user: every line is tried, not guessed, and says what to do when it fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from river_envs.environment import RiverError
from river_envs.sandbox import cgroups, seccomp
from river_envs.sandbox.base import BackendOptions, Check, ExecResult, SandboxLimits
from river_envs.sandbox.launch import bwrap_path
from river_envs.sandbox.namespace_sandbox import NamespaceSandbox
from river_envs.sandbox.namespaces import Namespaces
from river_envs.sandbox.rootfs import Rootfs

_DEFAULT_STORE = "~/.cache/river-envs"
_FREE_GB = 2
_DELEGATE = "run as root, or in a group of your own: systemd-run --user --scope -p Delegate=yes COMMAND"
_MANY_PROCESSES = """python3 -c 'import os, time
for _ in range(60):
    if not os.fork():
        time.sleep(2)
        os._exit(0)'"""
_SETTINGS = (
    ("/proc/sys/user/max_user_namespaces", "0", "set the sysctl user.max_user_namespaces to 10000"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "set the sysctl kernel.unprivileged_userns_clone to 1"),
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
     "set the sysctl kernel.apparmor_restrict_unprivileged_userns to 0, or run as root"),
)


@dataclass(frozen=True)
class Report:
    """Every check by backend, and the backends that can be used."""

    checks: dict[str, list[Check]]
    usable: tuple[str, ...]


def examine(options: BackendOptions | None = None) -> Report:
    """Try everything on both backends. Never raises for what is missing."""
    options = options or BackendOptions()
    namespaces = Namespaces()
    try:
        found = {"bubblewrap": check_namespaces(namespaces, options), "docker": _check_docker(options)}
    finally:
        namespaces.close()
    found["machine"] = [_free_disk(options)]
    from river_envs.sandbox.bubblewrap import BubblewrapBackend
    from river_envs.sandbox.docker import DockerBackend

    required = {"bubblewrap": BubblewrapBackend.required, "docker": DockerBackend.required}
    usable = [
        name for name, needs in required.items()
        if needs <= {check.name for check in found[name] if check.ok}
    ]
    return Report(found, tuple(usable))


def _check_docker(options: BackendOptions) -> list[Check]:
    from river_envs.sandbox.docker import DockerBackend

    remedy = "only needed for images that the built-in builder cannot make: install Docker and start its daemon"
    try:
        backend = DockerBackend(options)
    except RiverError as error:
        return [Check("docker daemon", False, str(error), remedy)]
    try:
        return backend.check()
    finally:
        backend.close()


def check_namespaces(namespaces: Namespaces, options: BackendOptions) -> list[Check]:
    """The lines about bubblewrap. Stops at the first thing without which nothing else can be tried."""
    found = []
    for name, attempt in (("bubblewrap", _bubblewrap), ("system call filter", _filter),
                          ("user namespaces", lambda: _user_namespaces(namespaces))):
        found.append(_tried(name, attempt))
        if not found[-1].ok:
            return found
    found.append(_id_mapping(namespaces))
    with tempfile.TemporaryDirectory() as folder:
        home = _host_home(options) or Path(folder)
        try:
            from river_envs.sandbox.host import host_base

            rootfs, _ = host_base(namespaces, home)
            found += _in_sandboxes(namespaces, rootfs)
        except (RiverError, OSError) as error:
            found.append(Check("sandbox", False, str(error), "see the message; Docker may work instead"))
        finally:
            if home == Path(folder):
                for child in home.iterdir():
                    namespaces.rmtree(child)
    return found


def _host_home(options: BackendOptions) -> Path | None:
    """Where the image builder keeps the host base, if it has been made: looking should leave nothing there."""
    home = Path(options.store or _DEFAULT_STORE).expanduser() / "host"
    return home if home.is_dir() else None


def _tried(name: str, attempt: Callable[[], Check]) -> Check:
    try:
        return attempt()
    except (RiverError, OSError, subprocess.SubprocessError) as error:
        return Check(name, False, str(error), "see the message")


def _bubblewrap() -> Check:
    path = bwrap_path()
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=True, timeout=10)
    return Check("bubblewrap", True, done.stdout.strip())


def _filter() -> Check:
    return Check("system call filter", True, f"seccomp, {len(seccomp.program()) // 8} instructions")


def _user_namespaces(namespaces: Namespaces) -> Check:
    try:
        namespaces.probe()
    except RiverError as error:
        remedies = [remedy for path, bad, remedy in _SETTINGS if _content(path) == bad]
        remedy = remedies[0] if remedies else "in a container: start it with --privileged; else allow user namespaces"
        return Check("user namespaces", False, str(error), remedy)
    return Check("user namespaces", True, "a launcher runs in its own user, mount and process namespaces")


def _content(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def _id_mapping(namespaces: Namespaces) -> Check:
    mode = namespaces.id_map.mode
    if mode == "single":
        return Check("id mapping", False, "one user: builds that make users or change owners fail, apt-get among them",
                     "install the package uidmap and give your user ranges in /etc/subuid and /etc/subgid")
    detail = {
        "root": "root inside is no user of this machine outside",
        "contained": "the ids of this container",
        "subuid": "root inside is you, other users are your subordinate ids",
    }[mode]
    return Check("id mapping", True, detail)


def _in_sandboxes(namespaces: Namespaces, rootfs: Rootfs) -> list[Check]:
    def start(**limits: float) -> NamespaceSandbox:
        return namespaces.start(rootfs, limits=SandboxLimits(**{"disk_mb": 16, **limits}))  # type: ignore[arg-type]

    with start() as sandbox:
        basics = [
            Check("sandbox", sandbox.exec(["true"], timeout_sec=30).exit_code == 0,
                  "overlays over this machine's programs, in namespaces"),
            _no_network(sandbox),
            _python(sandbox),
            _owners(sandbox, namespaces),
        ]
    controlled = {name: cgroups.hierarchy().limits(name) for name in ("memory", "pids", "cpu")}
    how = f"control groups, version {cgroups.hierarchy().version}"
    return [
        *basics,
        _limit("memory limit", start(memory_mb=64), "x=$(head -c 900000000 /dev/zero | tr '\\0' a)",
               controlled["memory"], how, "looked at 20 times a second"),
        _limit("process limit", start(processes=20), _MANY_PROCESSES, controlled["pids"], how,
               "counted for each user inside"),
        _cpu(start(cpus=0.1), how, controlled=controlled["cpu"]),
        _limit("disk limit", start(), "head -c 50000000 /dev/zero >/tmp/big", True, "a tmpfs of that size", ""),
    ]


def _limit(name: str, sandbox: NamespaceSandbox, script: str, controlled: bool, how: str, otherwise: str) -> Check:
    """A command that must fail on the limit."""
    with sandbox:
        result = sandbox.exec(["bash", "-c", script], timeout_sec=20)
    held = result.exit_code != 0
    if not held:
        return Check(name, False, "a command went beyond it", _DELEGATE)
    return Check(name, True, how if controlled else f"without control groups, {otherwise}")


def _cpu(sandbox: NamespaceSandbox, how: str, *, controlled: bool) -> Check:
    with sandbox:
        sandbox.exec(["timeout", "0.3", "bash", "-c", "while :; do :; done"], timeout_sec=20)
        throttled = sandbox.group is not None and sandbox.group.throttled()
    held = controlled and throttled
    return Check("cpu limit", held, how if held else "a sandbox may use every core", "" if held else _DELEGATE)


def _no_network(sandbox: NamespaceSandbox) -> Check:
    result = sandbox.exec(["cat", "/proc/net/dev"], timeout_sec=20)
    devices = [line.split(":")[0].strip() for line in result.text.splitlines() if ":" in line]
    return Check("no network", devices == ["lo"], f"the only network device is {', '.join(devices)}",
                 "" if devices == ["lo"] else "the kernel needs network namespaces")


def _python(sandbox: NamespaceSandbox) -> Check:
    version: ExecResult = sandbox.exec(["python3", "-c", "import platform, sqlite3; print(platform.python_version())"],
                                       timeout_sec=60)
    pytest = sandbox.exec(["python3", "-m", "pytest", "--version"], timeout_sec=60)
    if version.exit_code or pytest.exit_code:
        failed = version if version.exit_code else pytest
        return Check("host base", False, f"its Python or pytest does not run: {failed.text.strip()[-200:]}",
                     "import a base: river-envs image import NAME DIR")
    return Check("host base", True, f"Python {version.text.strip()}, {pytest.text.strip()}; no apt-get on it")


def _owners(sandbox: NamespaceSandbox, namespaces: Namespaces) -> Check:
    result = sandbox.exec(["bash", "-c", "stat -c %u /usr/bin/env && touch /usr/bin/env"], timeout_sec=20)
    if result.exit_code == 0 and result.text.split() == ["0"]:
        return Check("host files", True, "belong to root inside and can be changed there")
    detail = "belong to nobody inside: new files can be made next to them, they cannot be changed"
    remedy = "import a base for environments that change system files: river-envs image import NAME DIR"
    if namespaces.id_map.mode == "root":
        detail += "; this kernel or file system has no id-mapped mounts"
    return Check("host files", False, detail, remedy)


def _free_disk(options: BackendOptions) -> Check:
    place = Path(options.store or _DEFAULT_STORE).expanduser()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free / 1e9
    writable = os.access(place, os.W_OK)
    ok = free >= _FREE_GB and writable
    return Check("free disk", ok, f"{free:.1f} GB where images are kept" if writable else f"{place} cannot be written",
                 "" if ok else "make room, or keep images elsewhere with --store")
