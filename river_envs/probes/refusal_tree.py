"""The failing assertion in the tests' own syntax tree: what it asks for, where its report shows no value.

A traceback names a line, and a plain script often prints no more than the name of its check. The tree tells the rest:
a path that has to exist, a mode, an option that a program has to know, or that values are compared.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from river_envs.environment import Environment
from river_envs.probes.leads_python import Module, dotted, modules
from river_envs.probes.refusal_reading import Demand, What
from river_envs.verify.failures import Failure

_FRAME: Final = re.compile(r'^\s*File "([^"\n]+)", line (\d+)|^(\S+\.py):(\d+): ', re.MULTILINE)
_EXISTS: Final = frozenset(("exists", "is_file", "isfile", "is_dir", "isdir", "islink", "is_symlink", "lexists"))
_FOLDERS: Final = frozenset(("is_dir", "isdir"))
_MODES: Final = frozenset(("st_mode", "S_IMODE"))
_STATUS: Final = frozenset(("returncode", "status_code", "status", "exit_code", "exitcode", "code"))
_SAME: Final = (ast.Eq, ast.Is)
_BOUNDS: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_ASSERTS_SAME: Final = re.compile(r"^assert(?:Equals?|AlmostEqual|[A-Z]\w+Equal|Greater\w*|Less\w*|CountEqual|Is)$")
_JOINS: Final = re.compile(r"(?:^|\.)(?:\w*Path|str|join)$")
_DEPTH: Final = 5


@dataclass(frozen=True)
class Comparison:
    """The work, or what a program says, is compared with an expected value that the report need not show."""

    shown: str
    expected: str = ""
    """The expected value where the statement itself has it."""
    success: bool = False
    """Whether it is the status of a program or a request that should have been one of success."""


@dataclass(frozen=True)
class Denial:
    """Something must not be so: no value is expected, and nothing is missing."""

    shown: str


Said = Demand | Comparison | Denial


@dataclass(frozen=True)
class Scene:
    """A statement of the tests that failed, with what the names are bound to where it stands."""

    statement: ast.stmt
    bound: Mapping[str, ast.expr]
    condition: ast.expr | None = None
    """The condition under which a ``raise`` or an exit was reached."""

    @property
    def shown(self) -> str:
        """The statement as one line."""
        return ast.unparse(self.condition or self.statement).split("\n")[0][:160]

    def reach(self, node: ast.AST, depth: int = _DEPTH) -> Iterator[ast.AST]:
        """``node``, what is below it, and what the names there are bound to."""
        for inner in ast.walk(node):
            yield inner
            if isinstance(inner, ast.Name) and depth and inner.id in self.bound:
                yield from self.reach(self.bound[inner.id], depth - 1)

    def fold(self, node: ast.AST | None, depth: int = _DEPTH) -> str | int | None:
        """The text or number that an expression stands for; None where it is not constant."""
        match node:
            case ast.Constant(value=str() | int() as value):
                return value
            case ast.Name(id=name) if depth and name in self.bound:
                return self.fold(self.bound[name], depth - 1)
            case ast.BinOp(left=left, op=ast.Add() | ast.Div() as sign, right=right):
                one, two = self.fold(left, depth), self.fold(right, depth)
                if isinstance(one, str) and isinstance(two, str):
                    return posixpath.join(one, two) if isinstance(sign, ast.Div) else one + two
            case ast.Call(func=func, args=args) if args and _JOINS.search(dotted(func)):
                parts = [self.fold(arg, depth) for arg in args]
                return None if None in parts else posixpath.join(*map(str, parts))
        return None


def said(environment: Environment, failure: Failure) -> Said | None:
    """What the failing assertion asks for by the tree; None where none is found, or several that ask for different
    things.
    """
    found = [_asked(environment, scene) for scene in scenes(environment, failure)]
    return found[0] if found and all(type(one) is type(found[0]) for one in found) else None


def scenes(environment: Environment, failure: Failure) -> list[Scene]:
    """The innermost statement of the tests in the traceback; without one, the assertions of the check that the report
    names.
    """
    trees = {posixpath.basename(module.path): module for module in modules(environment)}
    frames = [(posixpath.basename(a or c), int(b or d)) for a, b, c, d in _FRAME.findall(failure.text)]
    found: list[Scene] = []
    given: dict[str, ast.expr] = {}
    for name, line in [frame for frame in frames if frame[0] in trees][-4:]:
        scene = _at(trees[name], line, given)
        if scene is not None:
            found, given = [scene], _arguments(trees[name], scene.statement)
    if frames:
        return found
    for module in trees.values():
        for function in ast.walk(module.tree):
            if isinstance(function, ast.FunctionDef) and re.search(rf"\b{function.name}\b", failure.words):
                bound = {**_bindings(module.tree), **_bindings(function)}
                return [Scene(node, bound) for node in ast.walk(function) if isinstance(node, ast.Assert)]
    return []


def own_data(environment: Environment, failure: Failure, key: str) -> str:
    """The statement that looks for ``key`` in what the tests read of a file of their own, which holds no part of the
    work; "" where it looks elsewhere.
    """
    files = {posixpath.basename(file.path) for file in environment.verifier.files}
    for scene in scenes(environment, failure):
        for node in scene.reach(scene.statement):
            if isinstance(node, ast.Subscript) and scene.fold(node.slice) == key:
                texts = [inner.value for inner in scene.reach(node.value) if isinstance(inner, ast.Constant)]
                told = [text for text in texts if isinstance(text, str)]
                if any(posixpath.basename(text) in files for text in told) and not any("/" in text for text in told):
                    return scene.shown
    return ""


def _at(module: Module, line: int, given: Mapping[str, ast.expr]) -> Scene | None:
    """The smallest statement at a line, its function's names bound, and the condition of a raise or an exit."""
    around = [
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    if not around:
        return None
    around.sort(key=lambda node: (node.end_lineno or node.lineno) - node.lineno)
    function = next((node for node in around if isinstance(node, ast.FunctionDef)), None)
    bound = {**_bindings(module.tree), **given, **(_bindings(function) if function else {})}
    condition = next((node.test for node in around[1:] if isinstance(node, ast.If) and around[0] in node.body), None)
    return Scene(around[0], bound, None if isinstance(around[0], ast.Assert) else condition)


def _bindings(scope: ast.Module | ast.FunctionDef) -> dict[str, ast.expr]:
    """What a scope binds names to: assignments and ``with ... as``; functions inside it are left out."""
    found: dict[str, ast.expr] = {}
    left: list[ast.AST] = list(scope.body)
    while left:
        node = left.pop(0)
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                continue
            case ast.Assign(targets=[target], value=value):
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                found.update({name.id: value for name in names if isinstance(name, ast.Name)})
            case ast.For(target=ast.Name(id=name), iter=value) | ast.withitem(ast.expr() as value, ast.Name(id=name)):
                found[name] = value
            case ast.For(target=ast.Tuple(elts=names), iter=value):
                found.update({name.id: value for name in names if isinstance(name, ast.Name)})
        left.extend(ast.iter_child_nodes(node))
    return found


def _arguments(module: Module, statement: ast.stmt) -> dict[str, ast.expr]:
    """What the module's functions are given where a statement calls them, by the names of their parameters."""
    functions = {node.name: node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef)}
    found: dict[str, ast.expr] = {}
    for call in ast.walk(statement):
        if isinstance(call, ast.Call) and dotted(call.func) in functions:
            names = [argument.arg for argument in functions[dotted(call.func)].args.args]
            found.update(zip(names, call.args, strict=False))
    return found


def _asked(environment: Environment, scene: Scene) -> Said | None:
    option = _option(environment, scene)
    if option:
        return Demand("option", option)
    match scene.statement:
        case ast.Assert(test=test):
            return _of(scene, test, True)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=[first, *_])) if name.startswith("assert"):
            if name in {"assertTrue", "assertFalse"}:
                return _of(scene, first, name == "assertTrue")
            return Comparison(scene.shown) if _ASSERTS_SAME.match(name) else None
    return _of(scene, scene.condition, False) if scene.condition is not None else None


def _of(scene: Scene, test: ast.expr, holds: bool) -> Said | None:
    """What it takes for ``test`` to hold, or not to."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _of(scene, inner, not holds)
        case ast.BoolOp(values=values):
            found = [_of(scene, value, holds) for value in values]
            return next((one for one in found if isinstance(one, Demand)), found[0])
        case ast.Call(func=ast.Name(id="all" | "any"), args=[ast.GeneratorExp(elt=inner)]):
            return _of(scene, inner, holds)
    calls = [node for node in ast.walk(test) if isinstance(node, ast.Call)]
    for call in calls:
        name = dotted(call.func).rsplit(".", 1)[-1]
        if name in _EXISTS and holds:
            given = call.args[0] if call.args else call.func.value if isinstance(call.func, ast.Attribute) else None
            path = scene.fold(given)
            what: What = "directory" if name in _FOLDERS else "path"
            return Demand(what, path) if isinstance(path, str) and path[:1] == "/" else None
    if not isinstance(test, ast.Compare):
        return Comparison(scene.shown) if holds and calls else Denial(scene.shown) if not holds else None
    sign, sides = test.ops[0], (test.left, test.comparators[0])
    if isinstance(sign, ast.In | ast.NotIn):
        text, wanted = scene.fold(sides[0]), isinstance(sign, ast.In) is holds
        return Demand("text", text) if wanted and isinstance(text, str) else None if wanted else Denial(scene.shown)
    if isinstance(sign, _BOUNDS) and not _apart(sides):
        return None  # a bound that is missed tells no expected value
    if isinstance(sign, (*_SAME, *_BOUNDS)) is not holds:
        return Denial(scene.shown)
    reached = [getattr(node, "attr", getattr(node, "id", "")) for node in scene.reach(test)]
    constants = [constant for side in sides if (constant := scene.fold(side)) is not None]
    if _MODES & set(reached):
        octal = [constant for constant in constants if isinstance(constant, int)]
        return Demand("mode", f"{octal[0] & 0o7777:o}") if octal else None
    direct = {getattr(node, "attr", getattr(node, "id", "")) for side in sides for node in ast.walk(side)}
    success = bool(direct & _STATUS) and any(one == 0 or one in range(200, 400) for one in constants)
    return Comparison(scene.shown, repr(constants[0]) if constants else "", success)


def _apart(sides: Sequence[ast.expr]) -> bool:
    """Whether a side is the distance of two values, so that a bound on it says that they are the same."""
    calls = [node for side in sides for node in ast.walk(side) if isinstance(node, ast.Call)]
    return any(
        dotted(call.func).rsplit(".", 1)[-1] in {"abs", "fabs"}
        and len(call.args) == 1
        and isinstance(call.args[0], ast.BinOp)
        and isinstance(call.args[0].op, ast.Sub)
        for call in calls
    )


def _option(environment: Environment, scene: Scene) -> str:
    """An option, nowhere in the instruction, that a program which the instruction names is called with."""
    for node in scene.reach(scene.statement):
        if not isinstance(node, ast.List | ast.Tuple):
            continue
        words = [scene.fold(item) for item in node.elts]
        named = False
        for word in (word for word in words if isinstance(word, str)):
            if named and re.match(r"--?[A-Za-z]", word) and word.split("=")[0] not in environment.instruction:
                return word
            named = named or (len(word) > 2 and posixpath.basename(word) in environment.instruction and "/" in word)
    return ""
