"""The commands of a bash script, read from its syntax tree.

Splitting lines is not enough: test scripts continue lines, chain with ``&&``, pipe into ``sh``, quote, and hold
Python in here documents. tree-sitter parses bash as an editor does: broken scripts included, without running
anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SCRIPT_BYTES = 1 << 20


@dataclass(frozen=True)
class Command:
    """One simple command. ``words`` holds its name and arguments; None for one that only running the script could tell.

    ``text`` is the command as written. ``into`` names the command that its output is piped into.
    """

    words: tuple[str | None, ...]
    text: str
    into: str | None = None
    spans: tuple[tuple[int, int], ...] = ()
    """Where each word stands in the script, in bytes."""

    @property
    def name(self) -> str | None:
        """The command's name without its folder."""
        return self.words[0].rsplit("/", 1)[-1] if self.words and self.words[0] else None


def commands(script: bytes) -> list[Command]:
    """Every simple command of ``script`` in order, wherever it stands (conditions, loops, functions, substitutions).

    Variables that are assigned once, to text, are replaced. A script above ``MAX_SCRIPT_BYTES`` gives none.
    """
    if len(script) > MAX_SCRIPT_BYTES:
        return []
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    root = Parser(Language(tree_sitter_bash.language())).parse(script).root_node
    values: dict[str, str | None] = {}
    for node in _walk(root):
        if node.type == "variable_assignment":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None:
                key = _text(name)
                values[key] = _value(value, {}) if value is not None and key not in values else None
    return [_command(node, values) for node in _walk(root) if node.type == "command"]


def _walk(root: Node) -> Iterator[Node]:
    """All nodes below ``root`` in the order of the text, without recursion: scripts may nest deeper than Python
    does."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def _command(node: Node, values: dict[str, str | None]) -> Command:
    """The command at ``node``."""
    words, spans = [], []
    for child in node.children:
        if child.type == "command_name":
            words.append(_value(child.children[0], values) if child.children else None)
        elif child.is_named and child.type not in ("variable_assignment", "file_redirect", "herestring_redirect"):
            words.append(_value(child, values))
        else:
            continue
        spans.append((child.start_byte, child.end_byte))
    text = " ".join(_text(node).replace("\\\n", " ").split())
    return Command(tuple(words), text, _pipe_target(node), tuple(spans))


def _pipe_target(node: Node) -> str | None:
    """The name of the command after ``node`` in its pipeline."""
    parent = node.parent
    if parent is None or parent.type != "pipeline":
        return None
    after = parent.named_children[parent.named_children.index(node) + 1:]
    target = next((other for other in after if other.type == "command"), None)
    name = target.child_by_field_name("name") if target is not None else None
    return _text(name).rsplit("/", 1)[-1] if name is not None else None


def _value(node: Node, values: dict[str, str | None]) -> str | None:
    """What ``node`` stands for; None where only running the script could tell."""
    match node.type:
        case "word":
            return re.sub(r"\\(.)", r"\1", _text(node).replace("\\\n", ""))
        case "number" | "string_content":
            return _text(node)
        case "raw_string":
            return _text(node)[1:-1]
        case "simple_expansion" | "expansion":
            names = [child for child in node.named_children if child.type == "variable_name"]
            plain = len(node.named_children) == 1 and len(names) == 1
            name = _text(names[0]) if plain else ""
            if name == "HOME":
                return "$HOME"
            return values.get(name) if plain else None
        case "string" | "concatenation":
            parts = [_value(child, values) for child in node.children if child.type != '"']
            return "".join(part for part in parts if part is not None) if None not in parts else None
        case _:
            return None


def _text(node: Node) -> str:
    """The text of ``node``."""
    return (node.text or b"").decode("utf-8", "replace")
