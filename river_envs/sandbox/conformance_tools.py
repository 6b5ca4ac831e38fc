"""What the conformance checks share: asking a sandbox something in one line, and saying what was expected."""

from __future__ import annotations

from collections.abc import Mapping

from river_envs.sandbox.base import ExecResult, Sandbox

PATIENCE_SEC = 60.0
"""Time for a command that should end by itself."""


def expect(holds: object, expected: str, seen: object = "") -> None:
    """Raises AssertionError unless ``holds`` (also where Python runs without assertions)."""
    if not holds:
        raise AssertionError(f"expected {expected}" + (f", saw {seen!r:.400}" if seen != "" else ""))


def shell(
    sandbox: Sandbox, script: str, *, timeout_sec: float = PATIENCE_SEC, env: Mapping[str, str] | None = None,
    user: str | None = "root", cwd: str | None = "/",
) -> ExecResult:
    """Run a shell script."""
    return sandbox.exec(["/bin/sh", "-c", script], timeout_sec=timeout_sec, env=env, user=user, cwd=cwd)


def say(sandbox: Sandbox, script: str, *, user: str | None = "root", cwd: str | None = "/") -> str:
    """The output of a script that must succeed."""
    result = shell(sandbox, script, user=user, cwd=cwd)
    expect(result.exit_code == 0, f"{script!r} to succeed", (result.exit_code, result.text))
    return result.text


def running(sandbox: Sandbox, marker: str) -> bool:
    """Whether a process of the sandbox has ``marker`` as an argument of its own."""
    script = f"""for file in /proc/[0-9]*/cmdline; do
        tr '\\0' '\\n' <$file 2>/dev/null | grep -qx '{marker}' && echo yes; done; :"""
    return "yes" in say(sandbox, script)


def raises(kinds: type[BaseException] | tuple[type[BaseException], ...], what: str, call: object) -> BaseException:
    """The exception that ``call()`` must raise."""
    try:
        call()  # type: ignore[operator]
    except kinds as error:
        return error
    raise AssertionError(f"expected {what}")
