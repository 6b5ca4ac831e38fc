"""Tests as hashes of their syntax trees: layout, comments and docstrings do not count, constants do.

What a parser of another release might call otherwise is left out (positions, absent fields, node names of the shell
grammar), so that the hashes stay as they are.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from river_envs.environment import File, Verifier, digest

MOST_PARSED_BYTES = 256 * 1024
"""Of one environment's tests together; what is longer counts by its content. Parsers take time and memory per byte."""

_LEFT_OUT = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
_DOCUMENTED = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def trees_digest(verifier: Verifier) -> str | None:
    """A hash over the trees of the verifier's Python and shell files, the contents of the others and the variables.

    ``None`` where no file could be parsed: then nothing is known to be the same but by chance.
    """
    parts: list[tuple[str, str]] = []
    left = MOST_PARSED_BYTES
    parsed = False
    for file in verifier.files:
        tree = _tree(file, verifier) if len(file.content) <= left else None
        if tree is not None:
            left -= len(file.content)
            parsed = True
        parts.append(("tree", tree) if tree is not None else ("content", file.sha256))
    return digest(sorted(parts), sorted(verifier.env))[:32] if parsed else None


def _tree(file: File, verifier: Verifier) -> str | None:
    if file.path.endswith(".py"):
        return python_tree(file.content)
    if file.path.endswith((".sh", ".bash")) or (file.path == verifier.entry and verifier.protocol != "pytest"):
        return shell_tree(file.content)
    return None


@lru_cache(maxsize=256)
def python_tree(source: bytes) -> str | None:
    """A hash of the tree of Python ``source``; ``None`` where it cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in strings: not ours to correct
            tree = ast.parse(source)
        return _hash(_python_parts(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _python_parts(tree: ast.Module) -> list[bytes]:
    """The tree in one fixed order, without recursion. What is empty leaves no trace, so new fields change nothing."""
    parts: list[bytes] = []
    stack: list[Any] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.AST):
            header = type(item).__name__
            values = []
            for name in item._fields:
                value: Any = getattr(item, name, None)
                if name in _LEFT_OUT or value == [] or (value is None and not isinstance(item, ast.Constant)):
                    continue
                if name == "body" and isinstance(item, _DOCUMENTED) and _is_documentation(value[0]):
                    value = value[1:]
                header += f" {name}"
                values.append(value)
            parts.append(header.encode())
            stack.extend(reversed(values))
        elif isinstance(item, list):
            parts.append(b"[%d" % len(item))
            stack.extend(reversed(item))
        elif isinstance(item, str):
            parts.append(b"str" + item.encode("utf-8", "surrogatepass"))
        elif isinstance(item, bytes):
            parts.append(b"bytes" + item)
        else:
            parts.append(f"{type(item).__name__}{item!r}".encode())
    return parts


def _is_documentation(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@lru_cache(maxsize=256)
def shell_tree(source: bytes) -> str | None:
    """A hash of the tree of a shell script; ``None`` where it holds no command."""
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    root = Parser(Language(tree_sitter_bash.language())).parse(source).root_node
    parts: list[bytes] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "comment":
            continue
        if node.child_count:
            parts.append(b"(%d" % sum(child.type != "comment" for child in node.children))
            stack.extend(reversed(node.children))
        else:
            parts.append(b"leaf" + (node.text or b"").strip())
    return _hash(parts) if len(parts) > 1 else None


def _hash(parts: Sequence[bytes]) -> str:
    """Over the parts and their lengths, so that no text can pass for two parts."""
    return blake2b(b"".join([b"%d:%b" % (len(part), part) for part in parts]), digest_size=16).hexdigest()
