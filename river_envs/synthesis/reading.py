"""From the verifier's Python files to demands: every test is read once, as if each of its assertions held.

Nothing is run. Helpers, fixtures, parameters, classes and constants of the tests are followed; loops over constants are
unrolled, a loop over what a file holds is read once for all. What cannot be followed is unknown, and a comparison with
it marks its place as one that nobody can fill in.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Callable, Collection, Iterable
from pathlib import PurePosixPath
from typing import Any, Final

from river_envs.synthesis.shapes import Artefact, Demands, Shape
from river_envs.synthesis.statements import Statements
from river_envs.synthesis.terms import Beyond, Function, Instance, Left, Scope, Unknown

_ELSEWHERE: Final = ("/tests", "/logs", "/proc", "/sys", "/dev", "/usr", "/bin", "/sbin", "/lib", "/solution", "/run")
_DEEPEST: Final = 12
_MOST_PARAMETERS: Final = 30

Asked = Callable[[str], bool]
"""Whether the instruction speaks of a path."""


class Reader(Statements):
    """Reads the tests of one verifier. ``present`` are the files of the image that are none of ours; of the others
    those are ours that ``asked`` names.
    """

    def __init__(self, present: Collection[str], workdir: str, asked: Asked = lambda path: True) -> None:
        super().__init__(Demands())
        self.asked = asked
        self.present = frozenset(present)
        self.workdir = workdir
        self.module: Scope = {}
        self.fixtures: dict[str, Function] = {}

    def artefact(self, path: Any) -> Artefact | None:
        """The artefact at a path; None for files of the image, of the tests and of the system."""
        if not isinstance(path, str | PurePosixPath) or not str(path) or "\0" in str(path):
            return None
        full = posixpath.normpath(posixpath.join(self.workdir, str(path)))
        if full in self.present or full.startswith(tuple(root + "/" for root in _ELSEWHERE)) or len(full) > 250:
            return None
        if (full.count("/") < 2 and "." not in full) or not self.asked(full):
            return None
        return self.demands.artefacts.setdefault(full, Artefact(full, Shape(posixpath.basename(full))))

    def run(self, function: Function, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """What a function of the tests returns; Unknown below ``_DEEPEST`` calls."""
        if self.depth >= _DEEPEST:
            return Unknown()
        scope = dict(function.scope)
        names = [argument.arg for argument in (*function.node.args.posonlyargs, *function.node.args.args)]
        given = [function.owner, *arguments] if function.owner is not None else arguments
        for name, default in zip(reversed(names), reversed(function.node.args.defaults), strict=False):
            scope[name] = self.value(default, function.scope)
        for only, preset in zip(function.node.args.kwonlyargs, function.node.args.kw_defaults, strict=True):
            scope[only.arg] = self.value(preset, function.scope)
        scope.update(zip(names, given, strict=False))
        scope.update({name: value for name, value in keywords.items() if name})
        for name in names:
            left_out = names.index(name) >= len(given) and name not in keywords
            if name not in scope or (name in self.fixtures and left_out):
                scope[name] = self.fixture(name)
        self.depth += 1
        try:
            if isinstance(function.node, ast.Lambda):
                return self.value(function.node.body, scope)
            self.block(function.node.body, scope)
        except Left as left:
            return left.value
        finally:
            self.depth -= 1
        return None

    def fixture(self, name: str) -> Any:
        """What a fixture hands to a test."""
        found = self.fixtures.get(name)
        return self.run(found, [], {}) if found is not None and self.depth < _DEEPEST else Unknown()

    def load(self, tree: ast.Module, path: str) -> Scope:
        """Read a module's top level; its functions, classes and constants."""
        scope: Scope = {**self.module, "__file__": f"/tests/{path}", "__name__": "tests"}
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                scope[statement.name] = function = Function(statement, scope)
                if _is_fixture(statement):
                    self.fixtures[statement.name] = function
            elif isinstance(statement, ast.ClassDef):
                scope[statement.name] = self._class(statement, scope)
            elif not isinstance(statement, ast.Assert | ast.For | ast.While | ast.With):
                self.statement(statement, scope)
        return scope

    def _class(self, node: ast.ClassDef, scope: Scope) -> Instance:
        members: dict[str, Any] = {}
        for base in node.bases:
            parent = self.value(base, scope)
            if isinstance(parent, Instance):
                members.update(parent.members)
        inner = dict(scope)
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                members[statement.name] = function = Function(statement, scope)
                if _is_fixture(statement):
                    self.fixtures[statement.name] = function
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                self.statement(statement, inner)
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                for target in targets:
                    if isinstance(target, ast.Name) and target.id in inner:
                        members[target.id] = inner[target.id]
        return Instance(members)

    def test(self, function: Function) -> None:
        """Read one test, once for each set of its parameters (at most ``_MOST_PARAMETERS``)."""
        sets: list[dict[str, Any]] = [{}]
        for decorator in getattr(function.node, "decorator_list", []):
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("parametrize"):
                more = self._parameters(decorator, function.scope)
                sets = [{**old, **new} for old in sets for new in more][:_MOST_PARAMETERS] if more else sets
        for chosen in sets:
            self.run(function, [], chosen)

    def _parameters(self, decorator: ast.Call, scope: Scope) -> list[dict[str, Any]]:
        if len(decorator.args) < 2:
            return []
        names, rows = (self.value(argument, scope) for argument in decorator.args[:2])
        if not isinstance(rows, list | tuple) or not isinstance(names, str | list | tuple):
            return []
        listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else [str(n) for n in names]
        if len(listed) == 1:
            return [{listed[0]: row} for row in rows]
        return [dict(zip(listed, row, strict=False)) for row in rows if isinstance(row, list | tuple)]


def _is_fixture(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("fixture" in ast.unparse(decorator) for decorator in node.decorator_list)


def read(
    trees: Iterable[tuple[str, ast.Module]], present: Collection[str], workdir: str, asked: Asked = lambda path: True
) -> Demands:
    """The demands of the parsed test files (path and tree). Helpers come first, so that tests see them."""
    reader = Reader(present, workdir, asked)
    ordered = sorted(trees, key=lambda pair: ("test" in posixpath.basename(pair[0]), pair[0]))
    try:
        for path, tree in ordered:
            scope = reader.load(tree, path)
            if not _holds_tests(path):
                reader.module.update({k: v for k, v in scope.items() if not k.startswith("__")})
                continue
            _tests(reader, tree, scope)
    except (Beyond, RecursionError):
        reader.demands.beyond.append("the tests are too long to be read")
    return reader.demands


def _holds_tests(path: str) -> bool:
    name = posixpath.basename(path)
    return name.startswith("test") or name.endswith("_test.py")


def _tests(reader: Reader, tree: ast.Module, scope: Scope) -> None:
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name.startswith("test"):
            reader.test(scope[statement.name])
        elif isinstance(statement, ast.ClassDef) and isinstance(scope.get(statement.name), Instance):
            holder = Instance(scope[statement.name].members)
            for setup in ("setUpClass", "setup_class", "setUp", "setup_method"):
                if isinstance(found := holder.members.get(setup), Function):
                    reader.run(Function(found.node, found.scope, holder), [], {})
            for name, member in holder.members.items():
                if name.startswith("test") and isinstance(member, Function):
                    reader.test(Function(member.node, member.scope, holder))


