"""Run commands in the view that the holder built: identity, capabilities, limits, system call filter, output cap."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import select
import signal
import time
from dataclasses import dataclass
from typing import Any, NoReturn

from . import syscalls, users, wire
from .tree import Refused

_SLACK = 64 << 20
"""How many bytes a command may write beyond what is kept before it is killed, and again after it has ended."""

# What Docker leaves to a container, by number: chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap,
# net_bind_service, net_raw, sys_chroot, mknod, audit_write, setfcap.
CAPABILITIES = sum(1 << number for number in (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31))
_HIGHEST_CAPABILITY = 63
_WATCH_SECONDS = 0.05
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Command:
    """A command that is ready to be executed; ``places`` are the paths to try."""

    identity: users.Identity
    arguments: list[str]
    environment: dict[str, str]
    cwd: str
    places: list[str]


class Runner:
    """Starts the commands of one sandbox, one at a time, and looks after what they leave running."""

    def __init__(self, *, groups: list[int], rlimits: dict[str, int], memory: int | None) -> None:
        self._memory = _MemoryWatch(memory) if memory is not None else None
        self._groups = groups
        self._users = users.Users()
        self._rlimits = {getattr(resource, name): value for name, value in rlimits.items()}
        self._wake_read, wake_write = os.pipe()
        for descriptor in (self._wake_read, wake_write):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        # Handled rather than ignored: executing a program then resets them, and the child has nothing to do.
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, lambda *_: None)
        self._null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        self._background: dict[int, int] = {}
        self._statuses: dict[int, int] = {}

    def wait_for_request(self, channel: wire.Channel) -> None:
        """Wait for the parent, meanwhile reaping orphans and emptying the pipes of background processes."""
        while True:
            poller = self._poller(channel.fileno())
            for descriptor, _ in poller.poll(self._patience()):
                if descriptor == channel.fileno():
                    return
                self._attend(descriptor)

    def _patience(self, seconds: float | None = None) -> float | None:
        """How long to wait at most, in milliseconds; looks at the memory first, where nothing else limits it."""
        if self._memory is not None:
            self._memory.look()
            seconds = _WATCH_SECONDS if seconds is None else min(seconds, _WATCH_SECONDS)
        return None if seconds is None else max(0.0, seconds) * 1000

    def _poller(self, *others: int) -> select.poll:
        poller = select.poll()
        for descriptor in (self._wake_read, *self._background, *others):
            poller.register(descriptor, select.POLLIN)
        return poller

    def _attend(self, descriptor: int) -> None:
        if descriptor == self._wake_read:
            with contextlib.suppress(BlockingIOError):
                os.read(self._wake_read, 4096)
            self._reap()
        elif descriptor in self._background:
            count = _read_some(descriptor)
            if count is not None:
                self._background[descriptor] -= count
                # Beyond its allowance the pipe is left full, which stops the writer.
                if count == 0 or self._background[descriptor] < 0:
                    self._retire(descriptor, close=count == 0)

    def _retire(self, descriptor: int, *, close: bool) -> None:
        del self._background[descriptor]
        if close:
            os.close(descriptor)

    def _reap(self) -> None:
        self._statuses.clear()
        with contextlib.suppress(ChildProcessError):
            while True:
                process, status = os.waitpid(-1, os.WNOHANG)
                if not process:
                    return
                self._statuses[process] = status

    def kill_all(self) -> None:
        """Kill every process of the sandbox but this one and wait until none is left."""
        while True:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            try:
                while True:
                    os.waitpid(-1, 0)
            except ChildProcessError:
                return

    def run(self, message: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Run one command to its end, its timeout or its output limit."""
        started = time.monotonic()
        command = self._prepare(message)
        if isinstance(command, str):
            return _failed(126, command)
        output_read, output_write = os.pipe()
        status_read, status_write = os.pipe()
        child = os.fork()
        if child == 0:
            self._become(command, output_write, status_write)
        wire.close_all([output_write, status_write])
        os.set_blocking(output_read, False)
        result, output = self._follow(child, output_read, message["output_bytes"], started + message["timeout_sec"])
        result["seconds"] = time.monotonic() - started
        with os.fdopen(status_read, "rb") as pipe:
            trouble = pipe.read(4096)
        if trouble:
            raise Refused(trouble.decode("utf-8", "replace"))
        return result, output

    def _prepare(self, message: dict[str, Any]) -> Command | str:
        """Everything that can be done before the fork; a sentence for a user that does not exist."""
        identity = self._users.find(message["user"])
        if isinstance(identity, str):
            return identity
        environment = {"PATH": _PATH, "HOME": identity.home, **message["env"]}
        name = message["command"][0]
        places = [name] if "/" in name else [f"{place or '.'}/{name}" for place in environment["PATH"].split(":")]
        return Command(identity, message["command"], environment, message["cwd"], places)

    def _follow(self, child: int, output: int, keep: int, deadline: float) -> tuple[dict[str, Any], bytes]:
        collected = _Output(output, keep)
        result: dict[str, Any] = {"exit_code": None, "timed_out": False}
        killed = False
        while not killed and child not in self._statuses:
            poller = self._poller(*([] if collected.closed else [output]))
            ready = poller.poll(self._patience(deadline - time.monotonic()))
            for descriptor, _ in ready:
                if descriptor == output:
                    collected.take()
                else:
                    self._attend(descriptor)
            if child in self._statuses:
                break
            result["timed_out"] = time.monotonic() >= deadline
            killed = result["timed_out"] or collected.excess > _SLACK
        if killed:
            self.kill_all()
        else:
            code = os.waitstatus_to_exitcode(self._statuses.pop(child))
            result["exit_code"] = code if code >= 0 else 128 - code
        self._statuses.clear()
        collected.drain()
        result["truncated"] = collected.excess > 0
        result["out_of_memory"] = self._memory is not None and self._memory.taken()
        if collected.closed or killed:
            os.close(output)
        else:
            self._background[output] = _SLACK  # a background process still holds the other end
        return result, bytes(collected.kept)

    def _become(self, command: Command, output: int, status: int) -> NoReturn:
        """In the forked child: take the command's identity and limits, then execute it."""
        try:
            os.setsid()
            for group in self._groups:
                os.write(group, b"0")
            os.dup2(self._null, 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.umask(0o022)
            for limit, value in self._rlimits.items():
                resource.setrlimit(limit, (value, value))
            _execute(command)
        except Refused as refused:
            os.write(status, str(refused).encode())
        except BaseException as error:  # noqa: BLE001 - a forked child must not unwind into the holder
            os.write(status, f"{type(error).__name__}: {error}".encode())
        os._exit(125)


class _MemoryWatch:
    """Limits the memory of all processes together where control groups cannot: kills the largest, as the kernel would.

    A burst between two looks can go beyond the limit; a limit on each process's data segment bounds such a burst.
    """

    def __init__(self, limit: int) -> None:
        self._pages = limit // resource.getpagesize()
        self._kills = 0

    def look(self) -> None:
        """Add up what is resident and not shared."""
        used = {}
        for name in os.listdir("/proc"):
            if name.isdigit() and name != "1":
                with contextlib.suppress(OSError):  # it has ended
                    descriptor = os.open(f"/proc/{name}/statm", os.O_RDONLY | os.O_CLOEXEC)
                    fields = os.read(descriptor, 200).split()
                    os.close(descriptor)
                    used[int(name)] = int(fields[1]) - int(fields[2])
        if sum(used.values()) > self._pages:
            with contextlib.suppress(ProcessLookupError):
                os.kill(max(used, key=lambda process: used[process]), signal.SIGKILL)
            self._kills += 1

    def taken(self) -> bool:
        """Whether something was killed since the last call."""
        kills, self._kills = self._kills, 0
        return kills > 0


def _read_some(descriptor: int) -> int | None:
    try:
        return len(os.read(descriptor, 1 << 16))
    except BlockingIOError:
        return None


class _Output:
    """What a command wrote: the first ``keep`` bytes, and how many more there were."""

    def __init__(self, descriptor: int, keep: int) -> None:
        self._descriptor = descriptor
        self._keep = keep
        self.kept = bytearray()
        self.excess = 0
        self.closed = False

    def take(self) -> bool:
        """Read once; False when there was nothing to read."""
        try:
            part = os.read(self._descriptor, 1 << 16)
        except BlockingIOError:
            return False
        self.closed = not part
        room = self._keep - len(self.kept)
        self.kept += part[:room]
        self.excess += max(0, len(part) - room)
        return bool(part)

    def drain(self) -> None:
        """Read what is in the pipe now, within reason."""
        while not self.closed and self.excess <= _SLACK and self.take():
            pass


def _execute(command: Command) -> NoReturn:
    try:
        os.chdir(command.cwd)
    except OSError as error:
        _stop(126, f"cannot enter the directory {command.cwd}: {error.strerror}")
    _become_user(command.identity)
    worst = errno.ENOENT
    for place in command.places:
        try:
            os.execve(place, command.arguments, command.environment)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                worst = error.errno or errno.EACCES
                if worst != errno.EACCES:
                    break
    _stop(127 if worst == errno.ENOENT else 126, f"{command.arguments[0]}: {os.strerror(worst)}")


def _failed(code: int, text: str) -> tuple[dict[str, Any], bytes]:
    """The result of a command that could not be started."""
    result = {"exit_code": code, "timed_out": False, "truncated": False, "out_of_memory": False, "seconds": 0.0}
    return result, f"{text}\n".encode("utf-8", "surrogateescape")


def _stop(code: int, text: str) -> NoReturn:
    os.write(2, f"{text}\n".encode("utf-8", "surrogateescape"))
    os._exit(code)


def confine(seccomp: bytes) -> None:
    """Give up, for the holder and for every command after it, what no command may have: once per sandbox.

    The holder keeps the capabilities that it has now; none beyond Docker's can be regained by executing a program.
    """
    for number in range(_HIGHEST_CAPABILITY + 1):
        if not CAPABILITIES >> number & 1:
            try:
                syscalls.prctl(syscalls.PR_CAPBSET_DROP, number)
            except OSError:
                break  # above the highest capability of this kernel
    syscalls.prctl(syscalls.PR_CAP_AMBIENT, syscalls.PR_CAP_AMBIENT_CLEAR_ALL)
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    syscalls.load_seccomp(seccomp)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _become_user(identity: users.Identity) -> None:
    """Become ``identity`` with at most Docker's default capabilities; any other user than root has none."""
    if not identity.is_plain_root:  # which the holder is already
        with contextlib.suppress(PermissionError):  # a mapping of a single user forbids it, and has no other group
            os.setgroups(identity.groups)
        try:
            os.setresgid(identity.gid, identity.gid, identity.gid)
            os.setresuid(identity.uid, identity.uid, identity.uid)
        except OSError:
            raise Refused(f"a command cannot run as {identity.name}: {users.UNMAPPED}") from None
    syscalls.set_capabilities(CAPABILITIES if identity.uid == 0 else 0)
