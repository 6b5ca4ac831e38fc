"""Programs as deliverables: how tests call them, and programs that know only what was seen."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from river_envs.plant.alter import put, shift
from river_envs.plant.outputs import Output
from river_envs.plant.record import interpreter_of
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Call
from river_envs.probes.base import Action, Restore

_OTHER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.In: ast.NotIn,
}

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


def wrong_somewhere(program: Output, calls: Sequence[Call]) -> Iterator[tuple[Action, ...]]:
    """Programs that answer ``calls`` rightly but for those with one set of arguments, or but for a single one."""
    own = [call for call in calls if call.program == program.path]
    groups = list(dict.fromkeys(call.arguments for call in own))
    parts = [[call for call in own if call.arguments == group] for group in groups] if len(groups) > 1 else []
    for wrong in [*parts[:6], *([call] for call in own[-6:])]:
        answers = [replace(call, stdout=shift(call.stdout)) if call in wrong else call for call in own]
        yield lookup_program(program, answers)


def wrong_in_source(program: Output, hints: str, rng: Random, most: int = 6) -> Iterator[tuple[Action, ...]]:
    """Python programs with one constant or comparison changed, those first whose constant occurs in ``hints``."""
    try:
        tree = ast.parse(program.content)
    except (SyntaxError, ValueError):
        return
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    nodes = [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.Constant) and type(node.value) in (int, str) and id(node) not in documentation)
        or (isinstance(node, ast.Compare) and type(node.ops[0]) in _OTHER)
    ]
    rng.shuffle(nodes)
    nodes.sort(key=lambda node: not (isinstance(node, ast.Constant) and node.value and repr(node.value) in hints))
    for node in nodes[:most]:
        old: Any = node.value if isinstance(node, ast.Constant) else node.ops
        if isinstance(node, ast.Constant):
            node.value = node.value + 1 if isinstance(node.value, int) else shift(str(node.value)) or "x"
        else:
            node.ops = [_OTHER[type(node.ops[0])]()]
        yield (Restore(), put(program.path, ast.unparse(tree).encode() + b"\n", program.mode))
        if isinstance(node, ast.Constant):
            node.value = old
        else:
            node.ops = old


def is_python(program: Output) -> bool:
    """Whether a program is run by Python: a program that knows answers can then take its place."""
    return any("python" in word for word in interpreter_of(program))
