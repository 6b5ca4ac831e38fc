"""What tests compare, told by themselves: their own code, run with every equality written down.

Many runners show no values when an assertion fails. The module here is the tests' own, changed in its syntax tree: each
``==`` and ``!=`` and ``assertEqual`` prints its two sides where they differ, and no assertion ends anything. It says
nothing of right or wrong; the grade comes from the unchanged tests.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Final

from river_envs.environment import File, Verifier

MARK: Final = "river-pair "
_LARGEST: Final = 200_000
_HEAD: Final = f'''
def _river_equal(one, other):
    import json
    same = one == other
    if not same and isinstance(one, (str, int, float)) and isinstance(other, (str, int, float)):
        print({MARK!r} + json.dumps([str(one)[:400], str(other)[:400]]), flush=True)
    return same
'''
_TAIL: Final = '''
def _river_all(names):
    import inspect
    for name, found in list(names.items()):
        if inspect.isclass(found) and any(part.startswith("test") for part in dir(found)):
            for part in dir(found):
                if part.startswith("test"):
                    try:
                        made = found(part) if "TestCase" in str(found.__mro__) else found()
                        getattr(made, "setUp", getattr(made, "setup_method", lambda: None))()
                        getattr(made, part)()
                    except BaseException:
                        pass
        elif inspect.isfunction(found) and name.startswith(("test", "check")):
            try:
                found()
            except BaseException:
                pass
'''


def shown(verifier: Verifier) -> tuple[File, ...]:
    """Python modules of the verifier in which every comparison tells, each at its own path; none where none parses."""
    found = []
    for file in verifier.files:
        if file.path.endswith(".py") and len(file.content) <= _LARGEST:
            try:
                tree = _Telling().visit(ast.parse(file.content))
                source = ast.unparse(ast.fix_missing_locations(tree))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            run = f"exec(compile({source!r}, __file__, 'exec'), globals())"
            guarded = f"try:\n    {run}\nexcept BaseException:\n    pass\n"
            told = "\n".join([_HEAD, guarded, _TAIL, "_river_all(globals())"])
            found.append(File(file.path, told.encode("utf-8", "surrogatepass"), file.mode))
    return tuple(found)


class _Telling(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq) or _names_main(node):
            return node
        told = _call(node.left, node.comparators[0])
        return told if isinstance(node.ops[0], ast.Eq) else ast.UnaryOp(ast.Not(), told)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        return ast.Expr(node.test)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = isinstance(node.func, ast.Attribute) and node.func.attr in {"assertEqual", "assertEquals"}
        return _call(*node.args[:2]) if called and len(node.args) >= 2 else node


def _call(one: ast.expr, other: ast.expr) -> ast.Call:
    return ast.Call(ast.Name("_river_equal", ast.Load()), [one, other], [])


def _names_main(node: ast.Compare) -> bool:
    return isinstance(node.left, ast.Name) and node.left.id == "__name__"


def pairs(output: str) -> Iterator[tuple[str, str]]:
    """The two sides of each comparison that an output shows."""
    for line in output.splitlines():
        if line.startswith(MARK):
            try:
                one, other = json.loads(line.removeprefix(MARK))
            except ValueError:
                continue  # cut in the middle
            yield one, other
