"""The syntax trees of tests, free of layout: what is left when comments, docstrings and blank space go."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any, Final

from river_envs.environment import File, Verifier, digest, sha256

LARGEST: Final = 1 << 20
"""Bytes of a file that is parsed; a larger one counts by its content."""


def digest_of_tests(verifier: Verifier) -> str | None:
    """The hash of the verifier's trees, wherever its files lie; None where it has no file that can be parsed."""
    trees = sorted(tree for tree in map(_tree, verifier.files) if tree)
    return digest(verifier.protocol, trees)[:16] if trees else None


def _tree(file: File) -> str:
    """The hash of one file's tree; of its content where it is data beside the tests; "" for a link."""
    if file.link is not None:
        return ""
    if file.path.endswith(".py") and len(file.content) <= LARGEST:
        return _python(file.content)
    if file.path.endswith((".sh", ".bash")) and len(file.content) <= LARGEST:
        return _shell(file.content)
    return sha256(file.content)


def _python(content: bytes) -> str:
    try:
        tree = ast.parse(content)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if not isinstance(body, list) or len(body) < 2 or not isinstance(body[0], ast.Expr):
                continue
            if isinstance(body[0].value, ast.Constant):
                body.pop(0)
        return sha256(ast.dump(tree).encode("utf-8", "surrogatepass"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return sha256(content)


@cache
def _parser() -> Any:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def _shell(content: bytes) -> str:
    """The hash of the leaves of a shell script in order, with the kinds of the nodes above them."""
    cursor = _parser().parse(content).walk()
    parts: list[str] = []
    down = True
    while True:
        node = cursor.node
        if down and node.type != "comment":
            parts.append(node.type)
            if not node.child_count:
                parts.append(node.text.decode("utf-8", "replace").strip())
        if down and node.type != "comment" and cursor.goto_first_child():
            continue
        if cursor.goto_next_sibling():
            down = True
        elif cursor.goto_parent():
            down = False
        else:
            return digest(parts)
