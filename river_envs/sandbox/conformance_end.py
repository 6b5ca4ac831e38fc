"""Nothing is left when a sandbox ends, and several at once do not get in each other's way."""

from __future__ import annotations

import threading
from pathlib import Path

from river_envs.environment import File
from river_envs.sandbox.base import Backend, Image, SandboxError
from river_envs.sandbox.conformance_tools import expect, raises, running, say, shell


def _on_host(marker: str) -> bool:
    """Whether a process that this process can see has ``marker`` as an argument."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in path.read_bytes().split(b"\0"):
                return True
        except OSError:
            continue  # it ended while we looked
    return False


def check_destroy_leaves_no_process(backend: Backend, image: Image) -> None:
    """Whatever sessions and signals they hide behind."""
    with backend.start(image) as sandbox:
        say(sandbox, "trap '' TERM HUP; setsid sleep 71201 >/dev/null 2>&1 & (setsid sleep 71202 >/dev/null 2>&1 &)")
        expect(running(sandbox, "71201") and running(sandbox, "71202"), "both to run")
    expect(not _on_host("71201") and not _on_host("71202"), "no process left")


def check_destroy_twice_is_fine(backend: Backend, image: Image) -> None:
    """And afterwards every use is a SandboxError."""
    sandbox = backend.start(image)
    sandbox.destroy()
    sandbox.destroy()
    uses = (
        lambda: shell(sandbox, "true"), lambda: sandbox.put([File("x", b"1")]), lambda: sandbox.get("/etc/passwd"),
        sandbox.delta, lambda: sandbox.list(["/srv"]), lambda: sandbox.remove("/srv/x"),
    )
    for use in uses:
        raises(SandboxError, "SandboxError after destroy", use)


def check_context_manager_destroys_on_error(backend: Backend, image: Image) -> None:
    """The error passes through."""
    def fails() -> None:
        with backend.start(image) as sandbox:
            say(sandbox, "setsid sleep 71203 >/dev/null 2>&1 &")
            raise KeyError("through")

    raises(KeyError, "the error", fails)
    expect(not _on_host("71203"), "no process left")


def check_destroy_during_a_command(backend: Backend, image: Image) -> None:
    """Another thread may end a sandbox; the waiting one gets an answer soon."""
    sandbox = backend.start(image)
    answers: list[object] = []

    def wait() -> None:
        try:
            answers.append(shell(sandbox, "exec sleep 71204", timeout_sec=300))
        except SandboxError as error:
            answers.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    for _ in range(600):
        if _on_host("71204") or not thread.is_alive():
            break
        thread.join(0.05)
    sandbox.destroy()
    thread.join(60)
    expect(not thread.is_alive() and len(answers) == 1, "an answer", answers)
    expect(not _on_host("71204"), "no process left")


def check_sweep_spares_the_living(backend: Backend, image: Image) -> None:
    """It takes only what dead processes left."""
    with backend.start(image) as sandbox:
        backend.sweep()
        expect(say(sandbox, "echo on") == "on\n", "the sandbox to live")


def check_threads_do_not_disturb_each_other(backend: Backend, image: Image) -> None:
    """Two threads, several sandboxes each, every answer the right one."""
    errors: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(3):
                with backend.start(image) as sandbox:
                    sandbox.put([File("srv/name", f"{name}{number}".encode())])
                    seen = say(sandbox, "cat /srv/name; echo made >/srv/made")
                    expect(seen == f"{name}{number}", "its own file", seen)
                    changes = [change.path for change in sandbox.delta().changes]
                    expect(changes == ["srv/made", "srv/name"], "its own changes", changes)
        except BaseException as error:  # noqa: BLE001 - reported by the main thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    if errors:
        raise errors[0]


def check_sandbox_may_move_between_threads(backend: Backend, image: Image) -> None:
    """One that a short-lived thread started lives on when that thread is gone."""
    started: list[object] = []
    thread = threading.Thread(target=lambda: started.append(backend.start(image)))
    thread.start()
    thread.join(60)
    expect(started, "a sandbox")
    with started[0] as sandbox:  # type: ignore[attr-defined]
        expect(say(sandbox, "echo on") == "on\n", "the sandbox to live")
