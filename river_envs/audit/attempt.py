"""Run one attempt: a fresh sandbox, the actions in order with a receipt for each, then the verifier.

Nothing here knows what an attempt is for. What went wrong with the sandbox becomes a status, never a reward.
"""

from __future__ import annotations

import json
import posixpath
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from river_envs.environment import Environment, File, sha256
from river_envs.outcome import NETWORK_WITHHELD, Outcome, Status
from river_envs.probes.base import (
    Action,
    Attempt,
    Copy,
    Put,
    Remove,
    Restore,
    Result,
    Run,
    Solve,
    Step,
    Watch,
    describe,
)
from river_envs.sandbox.base import Backend, Delta, Image, Sandbox, SandboxError, SandboxLimits
from river_envs.verify import conditions as under


class Grade(Protocol):
    """The verifier's word on the state in a sandbox, under ``conditions`` (``verify/conditions.py``)."""

    def __call__(self, sandbox: Sandbox, environment: Environment, /, *, conditions: under.Conditions = ()) -> Outcome:
        """Grade."""
        ...


_OUTPUT = 4000
_COPY_LIMIT = 8 << 20


@dataclass(frozen=True)
class Workplace:
    """Where the attempts of one environment run: a backend, the built image, the verifier's grading, and what is
    allowed.
    """

    backend: Backend
    image: Image
    grade: Grade
    network: bool = False
    memory_mb: int | None = None
    disk_mb: int = 1024

    def limits(self, environment: Environment) -> SandboxLimits:
        """The environment's own limits, cut to what the user allows."""
        wanted = environment.limits
        memory = min(wanted.memory_mb, self.memory_mb) if self.memory_mb else wanted.memory_mb
        return SandboxLimits(memory_mb=memory, disk_mb=min(wanted.storage_mb, self.disk_mb), cpus=max(wanted.cpus, 0.1))


def run_attempt(
    place: Workplace, environment: Environment, attempt: Attempt, start: Delta | None
) -> tuple[Result, Delta | None]:
    """Run ``attempt`` and grade it. ``start`` is the delta that a ``Restore`` begins with.

    The attempt's conditions hold for its scripts as for the verifier. Returns the result, and the delta that a
    ``Solve`` without conditions left (None otherwise).
    """
    receipt: list[Step] = []
    kept: Delta | None = None
    restores = any(isinstance(action, Restore) for action in attempt.actions)
    if restores and start is None:
        outcome = Outcome(Status.SANDBOX_ERROR, detail="the delta of the reference is missing")
        return Result(attempt, outcome, (), None, in_place=False), None
    try:
        prepared = under.prepare(attempt.conditions)
        network = place.network and not under.offline(attempt.conditions)
        begin = under.as_just_made(_begin(start, attempt), attempt.conditions) if restores else None
        with place.backend.start(
            place.image, delta=begin, limits=place.limits(environment), network=network
        ) as sandbox:
            prepared.install(sandbox)
            for action in attempt.actions:
                step = perform(sandbox, environment, action, prepared.wrap)
                receipt.append(step)
                if isinstance(action, Solve) and step.done and not attempt.conditions:
                    kept = without_solution(sandbox.delta())
            outcome = place.grade(sandbox, environment, conditions=attempt.conditions)
            receipt = [_watched(sandbox, step) for step in receipt]
    except SandboxError as error:
        outcome = Outcome(Status.SANDBOX_ERROR, detail=str(error))
    if environment.network != "none" and not place.network:
        outcome = replace(outcome, substitutions=(*outcome.substitutions, NETWORK_WITHHELD))
    return Result(attempt, outcome, tuple(receipt), kept.digest if kept else None, in_place=not restores), kept


def _begin(start: Delta | None, attempt: Attempt) -> Delta | None:
    """The delta that a restoring attempt begins with: the reference's, without the changes it is told to leave out."""
    left_out = {path.strip("/") for action in attempt.actions if isinstance(action, Restore) for path in action.without}
    if start is None or not left_out:
        return start
    return Delta(tuple(change for change in start.changes if change.path not in left_out), start.skipped)


def _watched(sandbox: Sandbox, step: Step) -> Step:
    """The receipt of a ``Watch`` after grading; any other step as it is."""
    if "watch" not in step.action or not step.done:
        return step
    try:
        now = _state(sandbox, step.action["watch"])
    except SandboxError as error:
        return replace(step, done=False, output=f"could not be looked at after grading: {error}")
    changed = [path for path, before in json.loads(step.output).items() if now[path] != before]
    said = f"changed while it was graded: {', '.join(changed)}" if changed else "the same after grading"
    return replace(step, done=not changed, output=said)


def _state(sandbox: Sandbox, paths: Sequence[str]) -> dict[str, str]:
    """The hash of each file, or what stands in its place."""
    found = {}
    for path in paths:
        try:
            found[path] = sha256(sandbox.get(path, limit=_COPY_LIMIT))
        except (SandboxError, MemoryError):
            raise
        except OSError as error:
            found[path] = type(error).__name__
    return found


def without_solution(delta: Delta) -> Delta:
    """The delta without the reference's own files: they are how it was made, not what was made."""
    return Delta(
        tuple(
            change for change in delta.changes if change.path != "solution" and not change.path.startswith("solution/")
        ),
        delta.skipped,
    )


def perform(sandbox: Sandbox, environment: Environment, action: Action, wrap: tuple[str, ...] = ()) -> Step:
    """Do one action and say what happened; ``wrap`` stands before its commands. Raises SandboxError when the sandbox
    is gone.
    """
    began = time.monotonic()
    user = environment.user or sandbox.image.user
    done, exit_code, output = True, None, ""
    try:
        match action:
            case Put(files, root):
                sandbox.put(files, root, user=user)
                output = f"{len(files)} files"
            case Copy(source, target):
                content = sandbox.get(source, limit=_COPY_LIMIT)
                mode = 0o755 if content.startswith((b"#!", b"\x7fELF")) else 0o644
                sandbox.put([File(target.strip("/"), content, mode)], user=user)
                output = f"{len(content)} bytes, sha256 {sha256(content)}"
            case Remove(paths):
                gone = [_remove(sandbox, path) for path in paths]
                done = all(gone)
            case Run(script, timeout_sec):
                done, exit_code, output = _run(sandbox, environment, [*wrap, "sh", "-c", script], timeout_sec, {})
                done = done and exit_code == 0
            case Solve():
                done, exit_code, output = _solve(sandbox, environment, wrap)
            case Restore():
                output = "started from the reference's delta"
            case Watch(paths):
                output = json.dumps(_state(sandbox, paths))
    except (SandboxError, MemoryError):
        raise
    except OSError as error:
        done, output = False, f"{type(error).__name__}: {error}"
    return Step(describe(action), done, exit_code, output, time.monotonic() - began)


def _remove(sandbox: Sandbox, path: str) -> bool:
    parent = posixpath.dirname(path) or "/"
    there = any(entry.path == path for entry in sandbox.list([parent]))
    sandbox.remove(path)
    return there


def _solve(sandbox: Sandbox, environment: Environment, wrap: tuple[str, ...]) -> tuple[bool, int | None, str]:
    reference = environment.reference
    if reference is None:
        return False, None, "the environment has no reference"
    sandbox.put(reference.files, "/solution")
    command = [*wrap, "bash", f"/solution/{reference.entry}"]
    return _run(sandbox, environment, command, environment.limits.agent_timeout_sec, dict(reference.env))


def _run(
    sandbox: Sandbox, environment: Environment, command: list[str], timeout_sec: float, env: dict[str, str]
) -> tuple[bool, int | None, str]:
    result = sandbox.exec(
        command,
        timeout_sec=timeout_sec,
        env={**dict(environment.env), **env},
        user=environment.user,
        cwd=environment.workdir,
    )
    text = result.text
    if len(text) > _OUTPUT:
        text = text[: _OUTPUT // 2] + "\n[...]\n" + text[-_OUTPUT // 2 :]
    if result.timed_out:
        text += f"\nkilled after {timeout_sec:g} s"
    return result.exit_code is not None, result.exit_code, text
