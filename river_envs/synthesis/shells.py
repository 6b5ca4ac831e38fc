"""From the verifier's shell scripts to demands: tests, grep, jq and what is counted, with the way they must turn out.

A script is parsed as bash does and never run. A condition must hold where its failure ends in a failure, and must not
where it leads there itself. Python in here documents, in ``-c`` and in scripts that are called is read like tests.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Final

from river_envs.environment import Environment
from river_envs.probes.leads_shell import scripts
from river_envs.synthesis.comparisons import unknown_about
from river_envs.synthesis.reading import Asked, Reader
from river_envs.synthesis.shapes import Demands
from river_envs.synthesis.shell_terms import Terms
from river_envs.synthesis.terms import Beyond, Facet, FileFacet, Left

if TYPE_CHECKING:
    from tree_sitter import Node

_FAILS: Final = re.compile(
    r"\bexit\s+[1-9]|\breturn\s+[1-9]|\bfail\w*\b|\bFAIL\w*\b|\bdie\b|echo\s+[\"']?0(?:\.0)?[\"']?\s*>|(?:ok|pass\w*|reward|score|good)=0"
    r"|(?:status|failed|bad|errors?|rc)=1|\berror\b",
    re.IGNORECASE,
)
_OPERATORS: Final[dict[str, ast.cmpop]] = {
    "=": ast.Eq(), "==": ast.Eq(), "!=": ast.NotEq(), "-eq": ast.Eq(), "-ne": ast.NotEq(), "-gt": ast.Gt(),
    "-ge": ast.GtE(), "-lt": ast.Lt(), "-le": ast.LtE(), "<": ast.Lt(), ">": ast.Gt(), "<=": ast.LtE(), ">=": ast.GtE(),
}
_MOST_NODES: Final = 20_000
_CHECKS: Final = frozenset(("grep", "egrep", "fgrep", "test", "diff", "cmp", "jq", "sha256sum", "md5sum"))


class Scripts:
    """Reads shell scripts into a reader's demands."""

    def __init__(self, reader: Reader, files: dict[str, bytes]) -> None:
        self.reader = reader
        self.files = files
        self.terms = Terms(reader)
        self.nodes = 0

    def script(self, content: bytes) -> None:
        """Read one script."""
        import tree_sitter_bash
        from tree_sitter import Language, Parser

        self.block(Parser(Language(tree_sitter_bash.language())).parse(content).root_node)

    def block(self, node: Node) -> None:
        """Read the statements of a program, a body, a group."""
        for child in node.named_children:
            self.statement(child)

    def statement(self, node: Node) -> None:
        """Read one statement."""
        self.nodes += 1
        if self.nodes > _MOST_NODES:
            raise Beyond
        match node.type:
            case "if_statement":
                self._if(node)
            case "list":
                self._list(node)
            case "for_statement":
                self._for(node)
            case "variable_assignment":
                self.terms.assign(node)
            case "declaration_command":
                for child in node.named_children:
                    if child.type == "variable_assignment":
                        self.terms.assign(child)
            case "redirected_statement" | "command":
                self._command(node)
            case "negated_command" | "test_command":
                self.condition(node, True)
            case "function_definition" | "case_statement" | "comment":
                return
            case _:
                self.block(node)

    def _if(self, node: Node) -> None:
        condition: list[Node] = []
        body: list[Node] = []
        after: list[Node] = []
        then = False
        for child in node.children:
            if child.type == "then":
                then = True
            elif child.type in {"else_clause", "elif_clause"}:
                after.append(child)
            elif child.is_named:
                (body if then else condition).append(child)
        fails = bool(_FAILS.search(" ".join(_text(child) for child in body)))
        rewards = not fails or any(_FAILS.search(_text(child)) for child in after[:1])
        for child in condition:
            self.condition(child, rewards if not (fails and rewards) else _first(body))
        for child in [*body, *after]:
            self.statement(child)

    def _list(self, node: Node) -> None:
        parts = [child for child in node.children if child.is_named]
        operator = next((child.type for child in node.children if not child.is_named), "&&")
        if len(parts) != 2:
            return self.block(node)
        left, right = parts
        fails = bool(_FAILS.search(_text(right)))
        if operator == "||":
            if fails:
                self.condition(left, True)
            else:
                self.statement(left)
        elif fails:
            self.condition(left, False)
        else:
            self.condition(left, True)
            self.condition(right, True)
        return None

    def _for(self, node: Node) -> None:
        name = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        if name is None or body is None:
            return
        values = [self.terms.value(child) for child in node.named_children if child not in (name, body)]
        for value in values[:30]:
            for word in value.split() if isinstance(value, str) else [value]:
                self.terms.names[_text(name)] = word
                self.block(body)

    def _command(self, node: Node) -> None:
        """A command by itself: one that checks ends a script under ``set -e``; Python is read on."""
        inner = node.child_by_field_name("body") if node.type == "redirected_statement" else node
        if inner is None:
            return
        if inner.type != "command":
            return self.statement(inner)
        words = self.terms.words(inner)
        name = posixpath.basename(str(words[0])) if words else ""
        if re.fullmatch(r"python3?(\.\d+)?", name):
            self._python(node, words)
        elif name in _CHECKS:
            self.condition(node, True)
        elif words and isinstance(words[0], str) and "/" in words[0]:
            self.terms.ran(words)
        return None

    def _python(self, node: Node, words: list[Any]) -> None:
        """Python that a script runs: a here document, a text, a file of the tests; a program of ours is run."""
        code: str | None = None
        for child in _walk(node):
            if child.type == "heredoc_body":
                code = _text(child)
        for position, word in enumerate(words):
            if word == "-c" and position + 1 < len(words):
                code = words[position + 1] if isinstance(words[position + 1], str) else None
            elif isinstance(word, str) and word.startswith("/tests/") and word.endswith(".py"):
                code = self.files.get(word.removeprefix("/tests/"), b"").decode("utf-8", "replace")
        if code is None:
            self.terms.ran(words)
            return
        try:
            tree = ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        scope = self.reader.load(ast.Module([s for s in tree.body if _defines(s)], []), "script")
        scope["__name__"] = "__main__"
        try:
            self.reader.block([s for s in tree.body if not _defines(s)], scope)
        except Left:
            return

    def condition(self, node: Node, wanted: bool) -> None:
        """Demand that a condition turns out as wanted."""
        match node.type:
            case "negated_command":
                for child in node.named_children:
                    self.condition(child, not wanted)
            case "list" if wanted:
                for child in node.named_children:
                    self.condition(child, True)
                    if any(part.type == "||" for part in node.children):
                        break
            case "test_command":
                self._test(list(node.named_children), wanted)
            case "redirected_statement" | "pipeline" | "subshell" | "compound_statement":
                inner = [child for child in node.named_children if not child.type.endswith("redirect")]
                if node.type == "pipeline" and len(inner) > 1:
                    self.terms.filtered(inner, wanted)
                else:
                    for child in inner:
                        self.condition(child, wanted)
            case "command":
                words = self.terms.words(node)
                name = posixpath.basename(str(words[0])) if words else ""
                if name == "test":
                    self._words(words[1:], wanted)
                else:
                    self.terms.check(name, words, wanted)

    def _test(self, children: list[Node], wanted: bool) -> None:
        for child in children:
            match child.type:
                case "binary_expression":
                    self._binary(child, wanted)
                case "unary_expression":
                    parts = [self.terms.value(part) for part in child.children if part.type != "!"]
                    negated = any(part.type == "!" for part in child.children)
                    if len(parts) == 1:
                        self._test(child.named_children, wanted != negated)
                    else:
                        self._unary(str(_text(child.children[0])), parts[-1], wanted)
                case "parenthesized_expression":
                    self._test(child.named_children, wanted)

    def _binary(self, node: Node, wanted: bool) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return
        mark = _text(operator)
        if mark in {"&&", "-a"} or (mark in {"||", "-o"} and not wanted):
            self._test([left, right], wanted)
        elif mark in {"||", "-o"}:
            self._test([left], wanted)
        elif mark == "=~":
            self.terms.matched(self.terms.value(left), _text(right).strip("\"'"), wanted)
        elif mark in _OPERATORS:
            self._compare(mark, self.terms.value(left), self.terms.value(right), wanted)

    def _compare(self, mark: str, left: Any, right: Any, wanted: bool) -> None:
        if mark.startswith("-") or isinstance(left, Facet | FileFacet):
            left, right = _number(left), _number(right)
        kind = _OPERATORS[mark]
        if not wanted:
            flipped = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Lt: ast.GtE,
                       ast.LtE: ast.Gt}
            kind = flipped[type(kind)]()
        for shape in (left, right):
            if mark.startswith("-") and hasattr(shape, "numeric") and getattr(shape, "born", "json") != "json":
                shape.numeric = shape.numeric or "integer"
        self.reader.compare(kind, left, right)

    def _words(self, words: list[Any], wanted: bool) -> None:
        if words and words[0] == "!":
            self._words(words[1:], not wanted)
        elif len(words) == 2:
            self._unary(str(words[0]), words[1], wanted)
        elif len(words) == 3 and words[1] in _OPERATORS:
            self._compare(str(words[1]), words[0], words[2], wanted)

    def _unary(self, mark: str, value: Any, wanted: bool) -> None:
        if mark in {"-z", "-n"}:
            self.reader.hold(value, (mark == "-n") == wanted) if not isinstance(value, str) else None
            return
        kind = {"-f": "exists", "-e": "exists", "-s": "size", "-r": "exists", "-d": "directory", "-x": "executable",
                "-L": "link", "-h": "link"}.get(mark)
        if kind is None or not isinstance(value, str):
            unknown_about(value)
            return
        artefact = self.reader.artefact(value)
        if kind == "size" and artefact is not None and wanted:
            artefact.size = max(artefact.size, 1)
        else:
            self.reader.hold(FileFacet(kind, artefact), wanted)


def _first(body: list[Node]) -> bool:
    """Whether the branch that is entered rewards: no failure in its first statement."""
    return not (body and _FAILS.search(_text(body[0])))


def _defines(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}", value.strip()) else value


def _walk(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        stack.extend(reversed(found.children))


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def read_scripts(
    environment: Environment, present: Collection[str], workdir: str, asked: Asked = lambda path: True
) -> Demands:
    """The demands of the verifier's shell scripts, and of the Python that they run themselves."""
    files = {file.path: file.content for file in environment.verifier.files if len(file.content) <= 512 << 10}
    reader = Reader(present, workdir, asked)
    read = Scripts(reader, files)
    for _, file in scripts(environment):
        if len(file.content) <= 512 << 10:
            try:
                read.script(file.content)
            except (Beyond, RecursionError):
                reader.demands.beyond.append("the scripts are too long to be read")
    return reader.demands


