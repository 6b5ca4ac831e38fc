"""Tests as people write them: a sheet collects checks, and is rendered in the style that the verifier already has."""

from __future__ import annotations

import pprint
import textwrap
from dataclasses import dataclass, field
from random import Random
from typing import Any

from river_envs.plant.outputs import Output


@dataclass
class Check:
    """One test: a name without its prefix, statements, a sentence that becomes its docstring."""

    name: str
    lines: list[str]
    doc: str = ""


@dataclass
class Sheet:
    """Everything that a test module needs. ``imports`` are whole statements."""

    rng: Random
    doc: str = ""
    imports: set[str] = field(default_factory=set)
    constants: list[str] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Choose the habits of whoever writes these tests."""
        self.pathlib = self.rng.random() < 0.55
        self.talkative = self.rng.random() < 0.6
        self.documented = self.rng.random() < 0.5
        self.named_paths: dict[str, str] = {}

    def need(self, *modules: str) -> None:
        """Import modules of the standard library."""
        self.imports |= {f"import {module}" for module in modules}

    def path(self, output: Output | str) -> str:
        """An expression for the path: a constant of its own, a literal, or ``Path(...)`` around it."""
        place = output if isinstance(output, str) else output.path
        if place not in self.named_paths:
            literal = repr(place).replace("'", '"')
            if self.pathlib:
                self.imports.add("from pathlib import Path")
                literal = f"Path({literal})"
            if self.rng.random() < 0.6:
                name = self._constant_name(place)
                self.constants.append(f"{name} = {literal}")
                self.named_paths[place] = name
            else:
                self.named_paths[place] = literal
        return self.named_paths[place]

    def _constant_name(self, place: str) -> str:
        stem = place.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        word = "".join(letter if letter.isalnum() else "_" for letter in stem).strip("_").upper() or "OUTPUT"
        name = f"{word}_{self.rng.choice(['PATH', 'FILE'])}" if word[0].isalpha() else f"FILE_{word}"
        taken = {line.split(" = ")[0] for line in self.constants}
        return name if name not in taken else f"{name}_{len(taken)}"

    def exists(self, output: Output | str) -> str:
        """An expression that is true when the file is there."""
        if self.pathlib:
            return f"{self.path(output)}.{self.rng.choice(['exists', 'is_file'])}()"
        self.need("os")
        return f"os.path.{self.rng.choice(['exists', 'isfile'])}({self.path(output)})"

    def size(self, output: Output | str) -> str:
        """An expression for the size of the file."""
        if self.pathlib:
            return f"{self.path(output)}.stat().st_size"
        self.need("os")
        return f"os.path.getsize({self.path(output)})"

    def text(self, output: Output | str) -> str:
        """An expression for the text of the file."""
        if self.pathlib:
            return f"{self.path(output)}.read_text()"
        return f"open({self.path(output)}).read()"

    def load(self, output: Output, name: str = "data") -> list[str]:
        """Statements that read the file into ``name``: parsed JSON, rows, or lines without blank ones."""
        if output.kind == "json":
            self.need("json")
            if self.pathlib or self.rng.random() < 0.5:
                return [f"{name} = json.loads({self.text(output)})"]
            return [f"with open({self.path(output)}) as handle:", f"    {name} = json.load(handle)"]
        if output.kind == "table":
            self.need("csv")
            delimiter = "" if output.delimiter == "," else f", delimiter={output.delimiter!r}"
            return [
                f'with open({self.path(output)}, newline="") as handle:',
                f"    {name} = [[cell.strip() for cell in row] for row in csv.reader(handle{delimiter}) if row]",
            ]
        return [f"{name} = [line.strip() for line in {self.text(output)}.splitlines() if line.strip()]"]

    def say(self, text: str) -> str:
        """The message of an assertion, for those who write messages."""
        return f", {text!r}" if self.talkative else ""

    def constant(self, name: str, value: Any) -> str:
        """Define a module constant with a literal value; returns its name."""
        self.constants.append(f"{name} = {pprint.pformat(value, width=100, sort_dicts=False)}")
        return name

    def check(self, name: str, lines: list[str], doc: str = "") -> None:
        """Add a test."""
        taken = {check.name for check in self.checks}
        self.checks.append(Check(name if name not in taken else f"{name}_{len(taken)}", lines, doc))

    def render(self, kind: str) -> str:
        """The whole module for ``kind``: pytest, unittest or script."""
        imports = set(self.imports)
        if kind == "unittest":
            imports.add("import unittest")
        if kind == "script":
            imports.add("import sys")
        head = [f'"""{self.doc}"""'] if self.doc else []
        head += sorted(line for line in imports if line.startswith("import "))
        head += sorted(line for line in imports if not line.startswith("import "))
        parts = ["\n".join(head), "\n".join(self.constants), *(helper.strip("\n") for helper in self.helpers)]
        parts += self.functions(kind)
        return "\n\n\n".join(part for part in parts if part) + "\n"

    def functions(self, kind: str) -> list[str]:
        """The checks as source: functions, methods of a class, or functions with the loop that calls them."""
        if not self.checks:
            return []
        if kind == "unittest":
            methods = "\n\n".join(
                textwrap.indent(self._function(check, "test_", "self"), "    ") for check in self.checks
            )
            name = self.rng.choice(["TestOutputs", "Outputs", "FinalState", "TestDeliverables"])
            return [f"class {name}(unittest.TestCase):\n{methods}"]
        if kind == "script":
            names = ", ".join(f"check_{check.name}" for check in self.checks)
            loop = f"try:\n    for check in ({names},):\n        check()\nexcept Exception as error:\n"
            loop += "    print('FAILED', check.__name__, repr(error))\n    sys.exit(1)\nprint('ok')"
            return [*(self._function(check, "check_") for check in self.checks), loop]
        return [self._function(check, "test_") for check in self.checks]

    def _function(self, check: Check, prefix: str, argument: str = "") -> str:
        doc = [f'"""{check.doc}"""'] if check.doc and self.documented else []
        body = "\n".join([*doc, *check.lines])
        return f"def {prefix}{check.name}({argument}):\n{textwrap.indent(body, '    ')}"
