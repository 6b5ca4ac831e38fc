"""Equivalent: the same program with a comment, and with other names of local variables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import forms
from river_envs.probes.base import Survey
from river_envs.probes.edits import Target
from river_envs.probes.equivalents import Equivalent, Rewriting

_DYNAMIC = {"locals", "vars", "eval", "exec", "globals", "inspect", "getsource", "__file__", "tokenize", "getsize"}


class CodeComments(Equivalent):
    """Programs that differ in nothing that runs.

    What it does: adds a comment and a blank line at the end of each named Python or shell program of the reference's
    state; then gives the local variables of its Python functions other names; grades each. Only where the instruction
    does not speak of the source text.

    What a hit proves: the verifier rejects, twice, a program with the same syntax tree (up to local names), while the
    same file with its own bytes is rewarded (over-specific-form): it reads the text instead of running the program.

    What it cannot show: other rewritings that keep what a program does; they cannot be proved.

    Seen in the wild: `assert "for i in range" in source`.
    """

    id = "code-comments"
    name = "Comments and local names"
    order = 73
    without = "the reference leaves no Python or shell program that can be rewritten with proof"

    def closed(self, instruction: str) -> str:
        """Words about the source text."""
        return "" if forms.source_open(instruction) else "the instruction may say something about the source text"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """A comment in all programs at once, then new names."""
        programs = [t for t in found if t.kind == "code" and t.named and t.fresh]
        for what, proof, other in (
            ("a comment at the end of its program", "a comment at the end runs nothing", _commented),
            ("other names of local variables in its program", "the same syntax tree up to local names", _renamed),
        ):
            pairs = [(target, other(target)) for target in programs]
            made = [(target, content) for target, content in pairs if content is not None]
            files = tuple(File(target.path.strip("/"), content.encode(), target.mode) for target, content in made)
            yield Rewriting(tuple(target for target, _ in made), files, what, proof)


def _commented(target: Target) -> str | None:
    text, comment = target.text, "\n# checked by hand\n"
    if target.path.endswith(".py"):
        tree = _tree(text)
        other = text.rstrip("\n") + "\n" + comment
        after = _tree(other)
        return other if tree is not None and after is not None and ast.dump(tree) == ast.dump(after) else None
    shell = target.path.endswith((".sh", ".bash")) or re.match(r"#!.*\b(?:ba|da)?sh\b", text)
    if shell and "<<" not in text and not text.rstrip().endswith("\\") and "$0" not in text:
        return text.rstrip("\n") + "\n" + comment
    return None


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _renamed(target: Target) -> str | None:
    """The program with other names for local variables, or None where none can be renamed with proof."""
    tree = _tree(target.text) if target.path.endswith(".py") else None
    if tree is None or any(word in target.text for word in _DYNAMIC):
        return None
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and _plain(node):
            names.update({name: f"{name}_here" for name in _locals(node)})
    everywhere = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    taken = {node.id for node in everywhere}
    inner = {id(child) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for child in ast.walk(node)}
    names = {
        old: new
        for old, new in names.items()
        if new not in taken and all(id(node) in inner for node in everywhere if node.id == old)
    }
    return _replaced(target.text, tree, names) if names else None


def _plain(function: ast.FunctionDef) -> bool:
    """A function without inner scopes and declarations that would make renaming hard to prove."""
    odd = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Match)
    return not any(isinstance(node, odd) for node in ast.walk(function) if node is not function)


def _locals(function: ast.FunctionDef) -> set[str]:
    """Names that the function assigns and that are no parameters of any kind."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    parameters = {argument.arg for argument in every if argument is not None}
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound = {n.name for n in ast.walk(function) if isinstance(n, ast.ExceptHandler) and n.name}
    imports = [node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {alias.asname or alias.name for node in imports for alias in node.names}
    return {name for name in stored - parameters - bound - imported if not name.startswith("_")}


def _replaced(text: str, tree: ast.Module, names: dict[str, str]) -> str | None:
    """The text with the names replaced where they stand, if its tree is the same after replacing them back."""
    parameters = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg | ast.keyword) and node.arg}
    names = {old: new for old, new in names.items() if old not in parameters}
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names]
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        line, start = lines[node.lineno - 1], node.col_offset
        end = start + len(node.id.encode())
        if line[start:end] != node.id.encode():
            return None
        lines[node.lineno - 1] = line[:start] + names[node.id].encode() + line[end:]
    other = b"".join(lines).decode()
    after = _tree(other)
    if not found or after is None:
        return None
    back = {new: old for old, new in names.items()}
    for name in [node for node in ast.walk(after) if isinstance(node, ast.Name)]:
        name.id = back.get(name.id, name.id)
    return other if ast.dump(after) == ast.dump(tree) else None
