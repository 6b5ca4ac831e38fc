"""What words, substitutions and checking commands of a shell script stand for."""

from __future__ import annotations

import ast
import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from river_envs.synthesis.comparisons import unknown_about
from river_envs.synthesis.reading import Reader
from river_envs.synthesis.shapes import Pattern, Shape
from river_envs.synthesis.terms import Facet, FileFacet, Ran, Unknown, unknown

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASSES: Final = {"[:digit:]": r"\d", "[:alpha:]": "a-zA-Z", "[:alnum:]": "a-zA-Z0-9", "[:space:]": r"\s",
                   "[:upper:]": "A-Z", "[:lower:]": "a-z", "[:xdigit:]": "0-9a-f"}
_TYPES: Final = {"number": "number", "string": "text", "array": "list", "object": "object", "boolean": "boolean"}
_MARKS: Final[dict[str, ast.cmpop]] = {"==": ast.Eq(), "!=": ast.NotEq(), ">=": ast.GtE(), "<=": ast.LtE(),
                                       ">": ast.Gt(), "<": ast.Lt()}
_JQ_PATH: Final = r"(\.(?:[A-Za-z_]\w*|\[\"?[\w -]*\"?\]|\.)*)"


class Terms:
    """Evaluates what a script says about files, with the names that it has set."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.names: dict[str, Any] = {}

    def assign(self, node: Node) -> None:
        """``name=value``; text keeps the value of its first assignment as long as no other follows."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None:
            self.names[_text(name)] = self.value(value) if value is not None else ""

    def words(self, node: Node) -> list[Any]:
        """Name and arguments of a command."""
        found: list[Any] = []
        for child in node.children:
            if child.type == "command_name" and child.children:
                found.append(self.value(child.children[0]))
            elif child.is_named and child.type not in {"variable_assignment", "file_redirect", "herestring_redirect"}:
                found.append(self.value(child))
            elif child.type == "file_redirect" and _text(child).lstrip().startswith("<"):
                found.extend(self.value(part) for part in child.named_children)
        return found

    def value(self, node: Node) -> Any:
        """What a word stands for."""
        match node.type:
            case "word" | "number" | "string_content" | "test_operator" | "regex":
                return re.sub(r"\\(.)", r"\1", _text(node))
            case "raw_string":
                return _text(node)[1:-1]
            case "simple_expansion" | "expansion":
                names = [child for child in node.named_children if child.type == "variable_name"]
                return self.names.get(_text(names[0]), Unknown()) if len(names) == 1 else Unknown()
            case "string" | "concatenation":
                parts = [self.value(child) for child in node.children if child.type != '"']
                if all(isinstance(part, str) for part in parts):
                    return "".join(parts)
                return parts[0] if len(parts) == 1 else unknown(*parts)
            case "command_substitution":
                return self.substituted(node)
            case _:
                return Unknown()

    def substituted(self, node: Node) -> Any:
        """What ``$(...)`` prints."""
        stages = [child for child in node.named_children if child.type != "file_redirect"]
        if not stages:
            path = next((self.value(part) for child in node.named_children for part in child.named_children), None)
            artefact = self.reader.artefact(path)
            return artefact.text if artefact else Unknown()
        inner = stages[0]
        commands = inner.named_children if inner.type == "pipeline" else [inner]
        found: Any = None
        for command in commands:
            words = self._stage(command)
            found = self._printed(words, found) if words else unknown(found)
        return found

    def _stage(self, command: Node) -> list[Any]:
        """The words of one command of a pipeline, with the file that it reads."""
        if command.type == "redirected_statement":
            body = command.child_by_field_name("body")
            words = self.words(body) if body is not None and body.type == "command" else []
            for child in command.named_children:
                if child.type == "file_redirect" and _text(child).lstrip().startswith("<"):
                    words += [self.value(part) for part in child.named_children]
            return words
        return self.words(command) if command.type == "command" else []

    def _printed(self, words: list[Any], before: Any) -> Any:
        name = posixpath.basename(str(words[0]))
        options = [word for word in words[1:] if isinstance(word, str) and word.startswith("-")]
        last = self.reader.artefact(words[-1]) if len(words) > 1 and isinstance(words[-1], str) else None
        source = last.text if last is not None else before if isinstance(before, Shape) else None
        match name:
            case "cat" if source is not None:
                return source
            case "tr" | "xargs" | "sed" | "echo" if isinstance(before, Shape | Facet):
                return before
            case "wc" if isinstance(source, Shape):
                return Facet("len", source if source.born != "text" else source.read("lines")) if "-l" in options \
                    else FileFacet("size", last)
            case "head" if isinstance(source, Shape) and re.search(r"(^| )-n? ?1( |$)", " ".join(map(str, words))):
                return source.read("lines").item(0)
            case "jq" if isinstance(source, Shape):
                program = next((word for word in words[1:] if isinstance(word, str) and not word.startswith("-")), ".")
                return self._jq_value(source.read("json"), program)
            case "stat" if last is not None:
                return FileFacet("mode" if "%a" in " ".join(map(str, words)) else "size", last)
            case "grep" if "-c" in " ".join(options) and isinstance(source, Shape):
                pattern = self._grep(words)
                return Facet("len", source.read("lines")) if pattern in {".", "", "^"} else unknown(source)
        ran = self.ran(words)
        return ran.artefact.printed if ran is not None and ran.artefact is not None else unknown(source, before)

    def ran(self, words: list[Any]) -> Ran | None:
        """A program of ours that is run, if the words run one."""
        for position, word in enumerate(words[:3]):
            if not isinstance(word, str) or word.startswith("-"):
                continue
            if position and not re.fullmatch(r"(?:.*/)?(?:python3?|bash|sh|timeout|env|\d+)", str(words[position - 1])):
                return None
            artefact = self.reader.artefact(word) if "/" in word else None
            if artefact is not None:
                artefact.printed = artefact.printed or Shape(posixpath.basename(artefact.path))
                return Ran(artefact)
        return None

    def check(self, name: str, words: list[Any], wanted: bool) -> None:
        """A command whose exit status is a condition."""
        artefact = self.reader.artefact(words[-1]) if len(words) > 1 and isinstance(words[-1], str) else None
        if name in {"grep", "egrep", "fgrep"} and artefact is not None:
            self._grepped(name, words, artefact.text, wanted)
        elif name == "jq" and artefact is not None:
            program = next((word for word in words[1:] if isinstance(word, str) and not word.startswith("-")), ".")
            for clause in re.split(r"\s+and\s+", program.strip()):
                self._jq(artefact.text.read("json"), clause.strip("() "), wanted)
        elif name in {"diff", "cmp", "sha256sum", "md5sum"}:
            self._compared(words, wanted)
        else:
            ran = self.ran(words)
            if ran is not None and ran.artefact is not None:
                ran.artefact.exits.add("zero" if wanted else "other")

    def _compared(self, words: list[Any], wanted: bool) -> None:
        for word in words[1:]:
            artefact = self.reader.artefact(word)
            if artefact is not None and wanted:
                unknown_about(artefact.text)
            elif not isinstance(word, str):
                unknown_about(word)

    def filtered(self, commands: list[Node], wanted: bool) -> None:
        """A pipeline as a condition: what is printed first, matched by the last command."""
        found: Any = None
        for command in commands[:-1]:
            words = self._stage(command)
            found = self._printed(words, found) if words else unknown(found)
        words = self._stage(commands[-1])
        if words and posixpath.basename(str(words[0])) in {"grep", "egrep", "fgrep"} and isinstance(found, Shape):
            self._grepped(str(words[0]), [*words, ""], found, wanted)
        else:
            unknown_about(found)

    def _grep(self, words: list[Any]) -> str | None:
        plain = [word for word in words[1:] if not (isinstance(word, str) and word.startswith("-"))]
        if "-e" in words and words.index("-e") + 1 < len(words):
            plain = [words[words.index("-e") + 1]]
        return plain[0] if plain and isinstance(plain[0], str) else None

    def _grepped(self, name: str, words: list[Any], text: Shape, wanted: bool) -> None:
        options = "".join(word[1:] for word in words if isinstance(word, str) and re.fullmatch(r"-[A-Za-z]+", word))
        pattern = self._grep(words)
        if pattern is None:
            unknown_about(text, *words)
            return
        fixed = "F" in options or name == "fgrep"
        extended = "E" in options or "P" in options or name == "egrep"
        if "v" in options:
            if not wanted:
                text.read("lines").element().patterns.append(Pattern(translated(pattern, extended), "search"))
            return
        if not wanted:
            if not re.search(r"[\\\[\](){}.*+?^$|]", pattern):
                text.lacks.append(pattern)
            return
        if fixed or not re.search(r"[\\\[\](){}*+?^$|]|\.(?=[*+])", pattern):
            if "x" in options:
                extra = Shape(text.name)
                extra.pinned.append(pattern)
                text.read("lines").some.append(extra)
            else:
                text.contains.append(pattern)
            return
        expression = translated(pattern, extended)
        flags = re.MULTILINE | (re.IGNORECASE if "i" in options else 0)
        text.patterns.append(Pattern(f"^(?:{expression})$" if "x" in options else expression, "search", flags))

    def matched(self, value: Any, pattern: str, wanted: bool) -> None:
        """``[[ value =~ pattern ]]``."""
        if isinstance(value, Shape) and wanted:
            value.patterns.append(Pattern(translated(pattern, True), "search"))
        elif not isinstance(value, Shape):
            unknown_about(value)

    def _jq_value(self, shape: Shape, program: str) -> Any:
        """What a jq filter gives: a path, its length, its keys."""
        path, _, rest = program.partition("|")
        found = self._jq_path(shape, path.strip())
        rest = rest.strip()
        if path.strip() == "length" or rest == "length":
            return Facet("len", shape if path.strip() == "length" else found) if isinstance(found, Shape) else Unknown()
        if rest == "type" and isinstance(found, Shape):
            return Facet("type", found)
        return found if not rest else unknown(found)

    def _jq_path(self, shape: Shape, path: str) -> Any:
        if path == "length":
            return shape
        if not re.fullmatch(_JQ_PATH, path):
            return unknown(shape)
        for name, index in re.findall(r"\.?([A-Za-z_]\w*)|\[\"?([\w -]*)\"?\]", path):
            if name:
                shape = shape.key(name)
            elif index.isdigit():
                shape = shape.item(int(index))
            else:
                shape = shape.element() if not index else shape.key(index)
        return shape

    def _jq(self, root: Shape, clause: str, wanted: bool) -> None:
        """One clause of a jq condition."""
        has = re.fullmatch(rf"(?:{_JQ_PATH}\s*\|\s*)?has\(\"([^\"]+)\"\)?", clause)
        typed = re.fullmatch(rf"{_JQ_PATH}\s*\|\s*type\)?\s*==\s*\"(\w+)\"", clause)
        tested = re.fullmatch(rf"{_JQ_PATH}\s*\|\s*test\(\"(.+)\"\)?", clause)
        order = re.fullmatch(r"(.+?)\s*(==|!=|>=|<=|>|<)\s*(.+)", clause)
        if has:
            found = self._jq_path(root, has.group(1)) if has.group(1) else root
            if isinstance(found, Shape) and wanted:
                found.key(has.group(2))
        elif typed:
            found = self._jq_path(root, typed.group(1))
            if isinstance(found, Shape) and typed.group(2) in _TYPES and wanted:
                found.narrow(_TYPES[typed.group(2)])
        elif tested:
            self.matched(self._jq_path(root, tested.group(1)), tested.group(2).replace("\\\\", "\\"), wanted)
        elif order:
            left = self._jq_value(root, order.group(1).strip("() "))
            try:
                right: Any = ast.literal_eval(order.group(3).strip())
            except (ValueError, SyntaxError):
                right = unknown(root)
            if wanted:
                self.reader.compare(_MARKS[order.group(2)], left, right)
        elif re.fullmatch(_JQ_PATH, clause):
            self._jq_path(root, clause)
        else:
            unknown_about(root)


def translated(pattern: str, extended: bool) -> str:
    """A grep pattern in Python's syntax."""
    for name, members in _CLASSES.items():
        pattern = pattern.replace(name, members)
    if extended:
        return pattern
    swapped = re.sub(r"(\\?)([+?|(){}])", lambda m: m.group(2) if m.group(1) else "\\" + m.group(2), pattern)
    return swapped


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


