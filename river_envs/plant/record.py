"""How a verifier calls the programs that it judges: wrappers in their places run them and write every call down.

A program keeps its place and mode; the original lies beside it under a name of its own, so that it finds what it looks
for next to itself. Programs that import each other or are imported by the tests give no record, and no harm is done.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from river_envs.environment import File
from river_envs.plant.outputs import Output
from river_envs.plant.subject import Call
from river_envs.sandbox.base import Sandbox

RECORD = "/tmp/.calls.jsonl"
MOST_CALLS = 400
MOST_BYTES = 20_000

_WRAPPER = """#!/usr/bin/env python3
import json, subprocess, sys
if __name__ == "__main__":
    stdin = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    done = subprocess.run([*{interpreter!r}, {hidden!r}, *sys.argv[1:]], input=stdin, capture_output=True, text=True)
    with open({record!r}, "a") as record:
        print(json.dumps([{path!r}, sys.argv[1:], stdin, done.stdout, done.returncode]), file=record)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    sys.exit(done.returncode)
"""
_SHELL = """#!/bin/bash
exec python3 {wrapper} "$@"
"""


def interpreter_of(program: Output) -> list[str]:
    """The command that runs a program: its shebang's, else what its name says."""
    first = program.text.split("\n", 1)[0]
    if first.startswith("#!"):
        return first[2:].split()
    return ["bash"] if program.path.endswith((".sh", ".bash")) else ["python3"]


def _is_shell(program: Output) -> bool:
    return any("sh" in word.rsplit("/", 1)[-1] for word in interpreter_of(program)[:2])


def recorder(programs: Iterable[Output]) -> list[File]:
    """The files that turn programs into recorded ones."""
    files = []
    for program in programs:
        folder, name = program.path.rsplit("/", 1)
        hidden, wrapper = f"{folder}/.recorded-{name}", f"{folder}/.recorder-{name}.py"
        text = _WRAPPER.format(interpreter=interpreter_of(program), hidden=hidden, record=RECORD, path=program.path)
        files.append(File(hidden.lstrip("/"), program.content, 0o755))
        if _is_shell(program):
            files.append(File(wrapper.lstrip("/"), text.encode(), 0o755))
            files.append(File(program.path.lstrip("/"), _SHELL.format(wrapper=wrapper).encode(), program.mode))
        else:
            files.append(File(program.path.lstrip("/"), text.encode(), program.mode))
    return files


def calls_of(sandbox: Sandbox, programs: Iterable[Output]) -> list[Call]:
    """The calls that were written down; lines of another form are left out, as the program may have written them."""
    known = {program.path: program for program in programs}
    try:
        lines = sandbox.get(RECORD, limit=1 << 20).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    calls = []
    for line in lines[:MOST_CALLS]:
        call = _read(line, known)
        if call is not None and call not in calls:
            calls.append(call)
    return calls


def _read(line: str, known: dict[str, Output]) -> Call | None:
    try:
        entry: Any = json.loads(line)
        path, arguments, stdin, stdout, exit_code = entry
    except (ValueError, TypeError):
        return None
    if path not in known or not all(isinstance(text, str) for text in (stdin, stdout, *arguments)):
        return None
    if len(line) > MOST_BYTES or not isinstance(exit_code, int):
        return None
    interpreter = "bash" if _is_shell(known[path]) else "python3"
    return Call(path, interpreter, tuple(arguments), stdin, stdout, exit_code)
