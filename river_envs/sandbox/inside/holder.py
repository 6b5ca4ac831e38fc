"""The holder: pid 1 of one sandbox. It assembles the sandbox, then serves requests until told to stop or until it dies.

**How a sandbox comes to be.** The holder is forked into a fresh process namespace, takes its own mount, ipc, uts and
(without network) net namespace, mounts a sized tmpfs for the uppers and the overlays over it, and lets bubblewrap build
the final view from them: root, /proc, /dev, /dev/shm, read-only covers. Then it joins that view and bubblewrap ends.
From then on nothing of the host's file system can be named by any process in the sandbox, and the holder's own file
work goes through ``openat2`` below the sandbox's root.

**Why bubblewrap does not run each command.** Its monitor process would share the sandbox's process namespace while
living in the host's mount namespace, where /proc/PID/root would lead; it cannot switch to another user without a user
namespace of its own; and it reports a missing command as status 1. Commands are forked by the holder (``execute.py``)
into the view it built.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import socket
import struct
from dataclasses import dataclass, field
from typing import Any

from . import changes, execute, syscalls, tree, wire

_DEVICE_SHM_BYTES = 64 << 20
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_MAX_LAYERS = 500
_HOSTS = b"127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.1.1\tsandbox\n"


@dataclass(frozen=True)
class Context:
    """What the launcher knows and every holder needs."""

    bwrap: str
    seccomp: bytes
    workshop: str
    nest: bool  # every sandbox in a user namespace of its own


@dataclass
class Sandbox:
    """The state of one sandbox; ``disk`` is the layer directory of a build."""

    root: int
    layers: list[changes.Layer]
    runner: execute.Runner
    own_hosts: bytes | None = None
    disk: int | None = None
    placeholders: list[tuple[int, str]] = field(default_factory=list)


def hold(channel: wire.Channel, request: dict[str, Any], descriptors: list[int], context: Context) -> None:
    """Be pid 1 of a sandbox (the launcher forks into this function)."""
    gc.disable()
    channel.socket.send(b"!")
    _take_namespaces(network=request["network"])
    sandbox = _assemble(request, descriptors, context)
    channel.send({"ready": True})
    while True:
        sandbox.runner.wait_for_request(channel)
        try:
            message, payload, _ = channel.receive()
        except (EOFError, ConnectionError):
            return  # the parent is gone: returning ends pid 1, and with it everything in here
        try:
            answer, content = _answer(sandbox, message, payload)
        except tree.Refused as refused:
            answer, content = {"refused": str(refused)}, b""
        except OSError as error:
            answer, content = {"errno": error.errno, "text": error.strerror or str(error), "path": _name(error)}, b""
        channel.send(answer, content)
        if message["op"] == "destroy":
            return


def _name(error: OSError) -> str | None:
    return error.filename if isinstance(error.filename, str) else None


def forbid_user_namespaces() -> None:
    """Let nothing in this user namespace make another one."""
    with open("/proc/sys/user/max_user_namespaces", "w") as limit:
        limit.write("0")


def _answer(sandbox: Sandbox, message: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], bytes]:
    match message["op"]:
        case "exec":
            return sandbox.runner.run(message)
        case "put":
            tree.put(sandbox.root, message, payload)
        case "apply":
            tree.apply(sandbox.root, message["changes"], payload)
        case "remove":
            tree.remove(sandbox.root, message["path"])
        case "get":
            return {}, tree.get(sandbox.root, message["path"], message["limit"])
        case "list":
            return {"entries": tree.survey(sandbox.root, message["roots"], message["limit"])}, b""
        case "delta":
            found = changes.scan(sandbox.layers, message["limit"])
            own = {"etc/hosts": sandbox.own_hosts} if sandbox.own_hosts else {}
            return found.without_own(own).packed()
        case "destroy":
            sandbox.runner.kill_all()
            _leave_disk(sandbox)
        case other:
            raise tree.Refused(f"unknown request {other!r}")
    return {}, b""


def _take_namespaces(*, network: bool) -> None:
    flags = syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWUTS | syscalls.CLONE_NEWCGROUP
    syscalls.unshare(flags if network else flags | syscalls.CLONE_NEWNET)
    socket.sethostname("sandbox")
    if not network:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            flags_request = bytearray(struct.pack("16sh22x", b"lo", 0))
            fcntl.ioctl(control, _SIOCGIFFLAGS, flags_request)
            name, current = struct.unpack("16sh22x", flags_request)
            fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh22x", name, current | _IFF_UP))


def _assemble(request: dict[str, Any], descriptors: list[int], context: Context) -> Sandbox:
    size, inodes = request["disk_mb"], request["inodes"]
    syscalls.mount("river", context.workshop, "tmpfs", syscalls.MS_NOSUID,
                   f"mode=755,size={size}m,nr_inodes={inodes}")
    os.chdir(context.workshop)
    bound = set(request["cgroups"])
    sources = _Sources(descriptors)
    upper_home, disk = ".", None
    if request["upper"] is not None:
        sources.place(request["upper"], "disk")
        upper_home, disk = "disk", os.open("disk", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    arguments, layers = [], []
    for number, mount in enumerate(request["mounts"]):
        layer = _overlay(number, mount, sources, upper_home)
        if layer is not None:
            layers.append(layer)
        arguments += ["--bind", f"{context.workshop}/m{number}", mount["dest"]]
    merged = os.open("m0", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    own_hosts = _ensure_hosts(merged)
    arguments += ["--dev", "/dev", "--perms", "1777", "--size", str(_DEVICE_SHM_BYTES), "--tmpfs", "/dev/shm",
                  "--remount-ro", "/dev", "--proc", "/proc"]
    placeholders = []
    for number, (dest, source) in enumerate(request["binds"]):
        sources.place(source, f"b{number}", file=True)
        arguments += ["--ro-bind", os.path.realpath(f"b{number}"), dest]
        if not tree.exists(merged, dest):
            placeholders.append((layers[0].upper, dest))
    root = _enter_view(context, arguments, os.stat("m0"))
    for index in set(range(len(descriptors))) - bound:
        os.close(descriptors[index])
    os.close(merged)
    execute.confine(context.seccomp)
    runner = execute.Runner(
        groups=[descriptors[index] for index in request["cgroups"]],
        rlimits=request["rlimits"], memory=request["memory"],
    )
    return Sandbox(root, layers, runner, own_hosts, disk, placeholders)


class _Sources:
    """Directories and files of the host, given as a path or as a detached mount, under short relative names."""

    def __init__(self, descriptors: list[int]) -> None:
        self._descriptors = descriptors
        self._count = 0

    def place(self, source: str | int, name: str, *, file: bool = False) -> None:
        if isinstance(source, str):
            os.symlink(source, name)
            return
        if file:
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
        else:
            os.mkdir(name, 0o755)
        syscalls.attach_mount(self._descriptors[source], name)

    def lowers(self, sources: list[str | int]) -> list[str]:
        names = []
        for source in sources:
            names.append(f"l{self._count}")
            self._count += 1
            self.place(source, names[-1])
        return names


def _overlay(number: int, mount: dict[str, Any], sources: _Sources, home: str) -> changes.Layer | None:
    """Mount the overlay ``m<number>``; for a writable one, the layer that its changes are read from."""
    lowers = sources.lowers(mount["lowers"])
    if len(lowers) > _MAX_LAYERS:
        raise tree.Refused(f"{len(lowers)} layers for {mount['dest']}; the kernel takes {_MAX_LAYERS}")
    os.mkdir(f"m{number}", 0o755)
    os.mkdir(f"e{number}", 0o755)
    stack = ":".join([*lowers, f"e{number}"])  # the empty one: an overlay without an upper needs two lowers
    if mount["read_only"]:
        syscalls.mount("river", f"m{number}", "overlay", syscalls.MS_RDONLY, f"userxattr,lowerdir={stack}")
        return None
    upper, work = f"{home}/{mount['upper']}", f"{home}/.work/{mount['upper']}"
    for directory in (f"{home}/.work", upper, work):
        with contextlib.suppress(FileExistsError):
            os.mkdir(directory, 0o755)
    if home == ".":
        _copy_attributes(lowers[0], upper)
    options = f"userxattr,lowerdir={':'.join(lowers)},upperdir={upper},workdir={work}"
    syscalls.mount("river", f"m{number}", "overlay", 0, options)
    base_name = lowers[0]
    if len(lowers) > 1:
        base_name = f"v{number}"
        os.mkdir(base_name, 0o755)
        syscalls.mount("river", base_name, "overlay", syscalls.MS_RDONLY, f"userxattr,lowerdir={stack}")
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    return changes.Layer(mount["dest"].strip("/"), os.open(upper, flags), os.open(base_name, flags))


def _copy_attributes(source: str, target: str) -> None:
    status = os.stat(source)
    with contextlib.suppress(OSError):  # an owner outside the mapping cannot be given: it is root then
        os.chown(target, status.st_uid, status.st_gid)
    os.chmod(target, status.st_mode & 0o7777)


def _ensure_hosts(merged: int) -> bytes | None:
    """Give an image without a usable /etc/hosts one, as Docker does; returns what was written."""
    with contextlib.suppress(OSError):
        if tree.get(merged, "/etc/hosts", 1):
            return None
    try:
        tree.write(merged, "/etc/hosts", _HOSTS, 0o644, 0, 0)
    except OSError:
        return None  # an image without a writable /etc has no hosts file either
    return _HOSTS


def _enter_view(context: Context, arguments: list[str], expected: os.stat_result) -> int:
    """Let bubblewrap build the view, join it, check that it is the right one; returns a descriptor of its root."""
    # bubblewrap shows the /proc it finds unless it makes the process namespace itself: let it find this sandbox's own.
    syscalls.mount("proc", "/proc", "proc", syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC)
    info_read, info_write = os.pipe()
    block_read, block_write = os.pipe()
    error_read, error_write = os.pipe()
    for descriptor in (info_write, block_read):
        os.set_inheritable(descriptor, True)
    # The command "/" can never run: bubblewrap ends after it has built the view, without anything having run in it.
    command = [context.bwrap, "--die-with-parent", "--info-fd", str(info_write), "--block-fd", str(block_read),
               *arguments, "--", "/"]
    child = os.fork()
    if child == 0:
        try:
            os.dup2(error_write, 2)
            os.execve(context.bwrap, command, {})
        finally:
            os._exit(127)
    wire.close_all([info_write, block_read, error_write])
    with os.fdopen(info_read, "rb") as info:
        text = info.read()
    view = None
    if text:
        view = os.open(f"/proc/{json.loads(text)['child-pid']}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        os.write(block_write, b"!")
    os.close(block_write)
    with os.fdopen(error_read, "rb") as errors:
        reason = errors.read(4000).decode("utf-8", "replace").strip()
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)  # bubblewrap's two processes
    if view is None:
        raise tree.Refused(f"bubblewrap could not start: {reason}")
    syscalls.setns(view, syscalls.CLONE_NEWNS)
    os.close(view)
    found = os.stat("/")
    if (found.st_dev, found.st_ino) != (expected.st_dev, expected.st_ino):
        raise tree.Refused(f"bubblewrap could not build the root file system: {reason}")
    return os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def _leave_disk(sandbox: Sandbox) -> None:
    """Leave nothing but changes in an upper on disk: no work directories, no empty files made as places for binds."""
    if sandbox.disk is None:
        return
    for upper, path in sandbox.placeholders:
        with contextlib.suppress(OSError):  # the command made something else of it
            if not tree.get(upper, path, 1):
                tree.remove(upper, path)
    tree.remove_at(sandbox.disk, ".work")
