"""The launcher: a tiny single-threaded process that forks sandboxes quickly.

Three processes, started once per parent:

- the **guardian** stays in the host's namespaces, as the user who started it. It waits for the end of the parent or
  of the launcher, then kills what is left and removes the control groups, also when the parent was killed with
  SIGKILL;
- a short-lived process makes the user namespace, which the parent maps;
- the **launcher** is pid 1 of an outer process namespace: when it dies the kernel kills every sandbox. It forks one
  holder per sandbox, as pid 1 of that sandbox's own process namespace, and workers for file operations.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from . import holder, syscalls, wire, worker

WORKSHOP = "/sys"
"""Where the launcher keeps its private tmpfs: a directory that exists everywhere and that no lower layer lives in."""


def main(control_fd: int, parent_fd: int) -> NoReturn:
    """Run as guardian; ``control_fd`` is a socket to the parent, ``parent_fd`` a pidfd of the parent."""
    channel = wire.Channel(socket.socket(fileno=control_fd))
    settings, payload, _ = channel.receive()
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    lifeline_read, lifeline_write = os.pipe()
    pid_read, pid_write = os.pipe()
    if os.fork() == 0:
        os.close(lifeline_write)
        os.close(pid_read)
        _guarded(channel, lambda: _enter(channel, settings, payload, lifeline_read, pid_write, parent_fd))
    channel.close()
    os.close(lifeline_read)
    os.close(pid_write)
    with os.fdopen(pid_read, "rb") as pipe:
        launcher = int(pipe.read() or b"0")
    if launcher:
        launcher_fd = os.pidfd_open(launcher)
        poller = select.poll()
        poller.register(launcher_fd, select.POLLIN)
        poller.register(parent_fd, select.POLLIN)
        poller.poll()
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(launcher_fd, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    _remove_groups(settings["groups"])
    os._exit(0)


def _remove_groups(patterns: list[str]) -> None:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        left = 0
        for pattern in patterns:
            parent, _, prefix = pattern.rpartition("/")
            for group in Path(parent).glob(prefix + "*"):
                try:
                    group.rmdir()
                except OSError:
                    left += 1  # still being emptied by the kernel: try again
        if not left:
            return
        time.sleep(0.01)


def _guarded(channel: wire.Channel, body: Any) -> NoReturn:
    """Run ``body`` in a forked child: report what it raises, and never return into the parent's code."""
    try:
        body()
    except BaseException as error:  # noqa: BLE001 - a forked child must not unwind into its parent's stack
        with contextlib.suppress(OSError):
            channel.send({"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()})
        os._exit(1)
    os._exit(0)


def _enter(channel: wire.Channel, settings: dict[str, Any], payload: bytes, lifeline: int, pid_pipe: int,
           parent_fd: int) -> None:
    namespaces = syscalls.CLONE_NEWUSER | syscalls.CLONE_NEWNS | syscalls.CLONE_NEWPID
    syscalls.unshare(namespaces)
    channel.send({"unshared": os.getpid()})
    channel.receive()
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    with contextlib.suppress(PermissionError):  # a mapping of a single user forbids it
        os.setgroups([])
    launcher = os.fork()
    if launcher:
        os.write(pid_pipe, str(launcher).encode())
        return
    os.close(pid_pipe)
    _guarded(channel, lambda: _launcher(channel, settings, payload, lifeline, parent_fd))


def _launcher(channel: wire.Channel, settings: dict[str, Any], payload: bytes, lifeline: int, parent_fd: int) -> None:
    syscalls.hide_arguments(b"init")
    syscalls.set_name("init")
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # pid 1 without a handler ignores what its own namespace sends
    syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
    syscalls.mount("river", WORKSHOP, "tmpfs", syscalls.MS_NOSUID, "mode=755,size=16m")
    seccomp_size = settings["seccomp"]
    bwrap = _install(settings["bwrap"], payload[seccomp_size:])
    if not settings["nest"]:
        holder.forbid_user_namespaces()
    os.umask(0)
    context = holder.Context(bwrap, payload[:seccomp_size], f"{WORKSHOP}/t", settings["nest"])
    os.mkdir(context.workshop)
    channel.send({"ready": True})
    gc.collect()
    gc.freeze()
    _serve(channel, context, lifeline, parent_fd)


def _install(bwrap: dict[str, Any], payload: bytes) -> str:
    """The path of bwrap; files that are given are written to the private tmpfs first (the host's may be unreadable)."""
    offset = 0
    for name, size in bwrap.get("files", ()):
        target = Path(WORKSHOP) / "bwrap" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(payload[offset:offset + size])
        target.chmod(0o755)
        offset += size
    return str(Path(WORKSHOP) / "bwrap" / bwrap["path"]) if bwrap.get("files") else str(bwrap["path"])


def _serve(channel: wire.Channel, context: holder.Context, lifeline: int, parent_fd: int) -> None:
    own_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY)
    poller = select.poll()
    for descriptor in (channel.fileno(), lifeline, parent_fd):
        poller.register(descriptor, select.POLLIN)
    signal.signal(signal.SIGCHLD, lambda *_: _reap())
    while True:
        ready = dict(poller.poll())
        if lifeline in ready or parent_fd in ready:
            return
        try:
            request, _, descriptors = channel.receive()
        except (EOFError, ConnectionError):
            return
        if request["op"] != "sandbox":
            _fork(worker.work, request, descriptors, context)
        elif context.nest:
            _fork_nested(request, descriptors, context)
        else:
            syscalls.unshare(syscalls.CLONE_NEWPID)
            _fork(holder.hold, request, descriptors, context)
            syscalls.setns(own_namespace, syscalls.CLONE_NEWPID)
        wire.close_all(descriptors)


_Body = Callable[[wire.Channel, dict[str, Any], list[int], holder.Context], None]


def _fork(body: _Body, request: dict[str, Any], descriptors: list[int], context: holder.Context) -> None:
    if os.fork() == 0:
        _in_child(body, request, descriptors, context)


def _in_child(body: _Body, request: dict[str, Any], descriptors: list[int], context: holder.Context) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    answers = wire.Channel(socket.socket(fileno=descriptors[0]))
    kept = set(descriptors)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in kept:
            with contextlib.suppress(OSError):  # the listing's own descriptor
                os.close(int(name))
    _guarded(answers, lambda: body(answers, request, descriptors[1:], context))


def _fork_nested(request: dict[str, Any], descriptors: list[int], context: holder.Context) -> None:
    """Fork a holder in a user namespace of its own, so that its limit on processes is counted by itself."""
    ready_read, ready_write = os.pipe()
    mapped_read, mapped_write = os.pipe()
    if os.fork() == 0:
        wire.close_all([ready_read, mapped_write])
        syscalls.unshare(syscalls.CLONE_NEWUSER)
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)  # else our files in /proc are the host root's and cannot be written
        os.write(ready_write, os.readlink("/proc/self").encode())
        if not os.read(mapped_read, 1):
            os._exit(1)
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
        holder.forbid_user_namespaces()
        syscalls.unshare(syscalls.CLONE_NEWPID)
        if os.fork():
            os._exit(0)
        _in_child(holder.hold, request, descriptors, context)
    wire.close_all([ready_write, mapped_read])
    with contextlib.suppress(OSError):  # the child is gone: the parent sees its socket close
        process = os.read(ready_read, 32).decode()
        for kind in ("uid", "gid"):
            rows = [line.split() for line in Path(f"/proc/self/{kind}_map").read_text().splitlines()]
            lines = [f"{inside} {inside} {count}" for inside, _, count in rows]
            Path(f"/proc/{process}/{kind}_map").write_text("\n".join(lines))
        os.write(mapped_write, b"!")
    wire.close_all([ready_read, mapped_write])


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass

