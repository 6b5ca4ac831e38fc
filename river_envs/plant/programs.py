"""Programs as deliverables: how tests call them, and programs that know only what was seen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from river_envs.plant.alter import put, shift
from river_envs.plant.outputs import Output
from river_envs.plant.record import interpreter_of
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Call
from river_envs.probes.base import Action

_LOOKUP = """#!/usr/bin/env python3
import json, sys
TABLE = json.loads({table!r})
stdin = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
key = json.dumps([sys.argv[1:], stdin])
if key in TABLE:
    out, code = TABLE[key]
    sys.stdout.write(out)
    sys.exit(code)
sys.exit(1)
"""


def call_lines(sheet: Sheet, call: Call, name: str = "done") -> list[str]:
    """Statements that run a program as it was called."""
    sheet.need("subprocess")
    command = [call.interpreter, call.program, *call.arguments]
    given = f"input={call.stdin!r}, " if call.stdin or sheet.rng.random() < 0.3 else ""
    return [f"{name} = subprocess.run({command!r}, {given}capture_output=True, text=True, timeout=30)"]


def trimmed(call: Call, lines: int) -> Call:
    """The call with its first ``lines`` lines only, where the program answers every line of its input with one."""
    given, printed = call.stdin.splitlines(keepends=True), call.stdout.splitlines(keepends=True)
    if len(given) != len(printed) or len(given) <= lines:
        return call
    return replace(call, stdin="".join(given[:lines]), stdout="".join(printed[:lines]))


def lookup_program(program: Output, calls: Sequence[Call], *, alter: bool = False) -> tuple[Action, ...]:
    """Put a program that answers exactly ``calls`` (in the right form with other values when ``alter``)."""
    table = {
        json.dumps([list(call.arguments), call.stdin]): [shift(call.stdout) if alter else call.stdout, call.exit_code]
        for call in calls
        if call.program == program.path
    }
    return (put(program.path, _LOOKUP.format(table=json.dumps(table)).encode(), 0o755),)


def is_python(program: Output) -> bool:
    """Whether a program is run by Python: a program that knows answers can then take its place."""
    return any("python" in word for word in interpreter_of(program))
