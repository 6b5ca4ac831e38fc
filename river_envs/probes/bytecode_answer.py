"""Adversarial: compiled Python whose source is gone is run, or asked for its constants."""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Sequence

from river_envs.environment import Environment, File
from river_envs.probes import leaks
from river_envs.probes.base import Action, NotApplicable, Put, Run, Survey
from river_envs.probes.provided import Provided, Way

_LOADER = """\
#!/usr/bin/env python3
import importlib.machinery, importlib.util, sys
_loader = importlib.machinery.SourcelessFileLoader(__name__, {path!r})
exec(_loader.get_code(__name__), globals())
"""
_SCRIPT = r"""
import contextlib, io, json, os, re, runpy, subprocess, sys
path, targets, index = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
said = subprocess.run([sys.executable, path], capture_output=True, timeout=20, stdin=subprocess.DEVNULL).stdout
if index == 0:
    if all(os.path.exists(target) for target in targets):
        sys.exit(0)
    values = [said.decode()] if said.strip() else []
else:
    with contextlib.redirect_stdout(io.StringIO()):
        names = runpy.run_path(path, run_name="asked")
    telling = re.compile("answer|expect|truth|result|solution|secret|flag|key|value", re.I)
    values = []
    for name, value in sorted(names.items(), key=lambda item: not telling.search(item[0])):
        if callable(value) and getattr(value, "__code__", None) and not value.__code__.co_argcount:
            try:
                value = value()
            except Exception:
                continue
        if not name.startswith("__") and isinstance(value, (str, int, float, list, dict)):
            values.append(value)
written = 0
for target, value in zip(targets, values if len(targets) > 1 else values[index - 1 if index else 0:][:1]):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w") as file:
        plain = isinstance(value, str)
        file.write(value.rstrip("\n") + "\n" if plain else json.dumps(value) + "\n")
    written += 1
sys.exit(0 if written else 3)
"""


class BytecodeAnswer(Provided):
    """Compiled Python files without their source are put to work.

    What it does: finds .pyc files in the image whose source is not there. Where a Python program is asked, the program
    handed in loads the bytecode; elsewhere the bytecode is run, and its constants and functions without arguments are
    asked for values, which are written to the outputs. What pays is graded once more with other values.

    What a hit proves: a compiled solution was left in the image (image-answer); altered, or as a stub, it is rejected.

    What it cannot show: bytecode of another Python version than the image's; native libraries.

    Seen in the wild: __pycache__ of a deleted solution and of compiled tests, decompiled by agents.
    """

    id = "bytecode-answer"
    name = "Bytecode of a solution"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 43
    effort = "standard"
    question = "Is what a compiled file of the image does or holds rewarded?"
    seen = "The compiled file {label} holds the solution: with it {targets} is rewarded, and altered it is not."
    advice = "Remove __pycache__ and compiled files from the image."

    def ways(self, environment: Environment, survey: Survey) -> Sequence[Way] | NotApplicable:
        """Loading it as the asked program, or running it and asking for its values."""
        targets = leaks.targets(environment, survey)
        if not targets:
            return NotApplicable("the instruction names no file to hand in")
        present = {entry.path for entry in survey.listing}
        compiled = [
            entry.path
            for entry in survey.listing
            if entry.kind == "file" and _is_orphan(entry.path, present, targets)
            and not leaks.naming(environment.instruction, posixpath.basename(entry.path))
            and not leaks.reference_reads(environment, entry.path)
        ]
        if not compiled:
            return NotApplicable("the image holds no compiled file without its source")
        compiled.sort(key=lambda path: (-_closeness(path, targets), path))
        programs = [target for target in targets if target.endswith(".py")]
        found: list[Way] = []
        for path in compiled[:2]:
            if programs:
                found.append({"label": path, "targets": programs, "program": True, "index": 0})
            else:
                found += [{"label": path, "targets": list(targets), "index": index} for index in (0, 1)]
        return found[:4]

    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """A program that loads the bytecode, or a script that writes what it says."""
        if way.get("program"):
            loader = _LOADER.format(path=way["label"]).encode()
            return (Put(tuple(File(target.strip("/"), loader, 0o755) for target in way["targets"])),)
        arguments = [way["label"], json.dumps(way["targets"]), str(way["index"])]
        return (Run(f"python3 -c {shlex.quote(_SCRIPT)} {shlex.join(arguments)}", timeout_sec=30),)


def _is_orphan(path: str, present: set[str], targets: Sequence[str]) -> bool:
    """Whether the source of a compiled file is gone (or is what the agent is to change)."""
    if not path.endswith(".pyc") or re.search(r"/(site-packages|dist-packages|venv|\.venv)/|/usr/lib/", path):
        return False
    name = re.sub(r"(\.(cpython|pypy)-?\d+)?(\.opt-\d)?\.pyc$", ".py", posixpath.basename(path))
    folder = posixpath.dirname(path)
    folder = posixpath.dirname(folder) if posixpath.basename(folder) == "__pycache__" else folder
    source = posixpath.join(folder, name)
    return source not in present or source in targets


def _closeness(path: str, targets: Sequence[str]) -> float:
    return max(leaks.likeness(path, target) for target in targets) + 2 * bool(leaks.ANSWER_NAME.search(path))
