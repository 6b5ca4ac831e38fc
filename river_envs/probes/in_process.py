"""Where a verifier runs the agent's Python code in its own process: imports of a module that the agent hands in.

Decided from the tests' syntax trees: an import of a module that lies at an output path, ``importlib``, ``runpy``, and
``exec`` of a file's text. Code that runs in the tests' process can end that process, or change what it compares with.
"""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from river_envs.environment import Environment
from river_envs.probes import instruction as wording
from river_envs.probes.leads_python import Module, modules, strings
from river_envs.sandbox.base import Listing

_BY_PATH = frozenset(("spec_from_file_location", "run_path", "SourceFileLoader", "load_source", "FileFinder"))
_BY_NAME = frozenset(("import_module", "__import__", "run_module", "find_spec"))
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@dataclass(frozen=True)
class Use:
    """One place where agent code is run in-process. ``target`` is the file; ``names`` what the tests take from it.

    ``program`` tells that it is run as a program (``runpy``, ``exec``) rather than imported.
    """

    target: str
    file: str
    line: int
    text: str
    names: tuple[str, ...] = ()
    program: bool = False


def found(environment: Environment, listing: Sequence[Listing] = (), workdir: str = "/") -> tuple[Use, ...]:
    """Every such place whose file the instruction asks for (or asks to change), one for each file."""
    wanted = {path.rstrip("/") for path in wording.paths(environment.instruction, workdir)}
    python = {path for path in wanted if path.endswith(".py")}
    folders = {path for path in wanted if "." not in posixpath.basename(path)}
    present = {entry.path for entry in listing}
    uses: dict[str, Use] = {}
    for module in modules(environment):
        for target, node, program in _targets(module, python, folders, present):
            names = _names(module, target)
            text = module.lines[node.lineno - 1].strip()[:160] if node.lineno <= len(module.lines) else ""
            uses.setdefault(target, Use(target, module.path, node.lineno, text, names, program))
    return tuple(uses[target] for target in sorted(uses))


def _targets(
    module: Module, python: set[str], folders: set[str], present: set[str]
) -> Iterator[tuple[str, ast.stmt | ast.expr, bool]]:
    """(file, node, run as a program) for each use in ``module``."""
    for node in ast.walk(module.tree):
        for name in _imported(node):
            for target in _files(name, module, python, folders, present):
                yield target, node, False  # type: ignore[misc]
    for name, call in module.calls:
        last = name.split(".")[-1]
        if last in _BY_PATH or last in {"exec", "compile"}:
            for target in _mentioned(module, call, python):
                yield target, call, last in {"run_path", "exec", "compile"}
        elif last in _BY_NAME:
            for text in strings(call):
                if _NAME.fullmatch(text):
                    for target in _files(text, module, python, folders, present):
                        yield target, call, last == "run_module"


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module]
    return []


def _files(name: str, module: Module, python: set[str], folders: set[str], present: set[str]) -> list[str]:
    """The agent's files that the import of ``name`` would load: only those that the instruction names."""
    top = name.split(".")[0]
    if top in sys.stdlib_module_names or top in {"pytest", "numpy", "pandas", "yaml", "requests"}:
        return []
    path = name.replace(".", "/")
    found = [file for file in python if file.endswith((f"/{path}.py", f"/{path}/__init__.py"))]
    if not found:
        inside = [f"{folder}/{path}.py" for folder in folders] + [
            f"{folder}/{path}/__init__.py" for folder in folders
        ]
        found = [file for file in inside if file in present]
    if not found:
        found = [file for file in python if f"/{top}/" in file and posixpath.basename(file) != f"{top}.py"][:1]
        found = [file for file in found if any(file.rsplit(f"/{top}/", 1)[0] in line for line in module.lines)]
    return sorted(found)


def _mentioned(module: Module, call: ast.Call, python: set[str]) -> list[str]:
    """The agent's files that a call is about: named in it, or in a constant that it uses."""
    texts = set(strings(call))
    used = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in used for t in node.targets):
            texts.update(strings(node.value))
    named = [file for file in python if file in texts]
    return sorted(named or [file for file in python if posixpath.basename(file) in texts])


def _names(module: Module, target: str) -> tuple[str, ...]:
    """What the tests take from the module: names imported from it and attributes of it, at most 50."""
    stem = posixpath.splitext(posixpath.basename(target))[0]
    names: dict[str, None] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[-1] == stem:
            names.update(dict.fromkeys(alias.name for alias in node.names if alias.name != "*"))
    for name, _ in module.calls:
        parts = name.split(".")
        if len(parts) == 2 and parts[0] and parts[0] not in sys.stdlib_module_names:
            names.setdefault(parts[1])
    for text in (text for _, call in module.calls for text in strings(call)):
        if re.fullmatch(r"[A-Za-z_]\w{2,40}", text):
            names.setdefault(text)
    return tuple(name for name in names if name.isidentifier())[:50]
