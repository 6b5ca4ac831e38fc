"""Comprehensions of a test, read: unrolled over plain values, read once over what a file holds."""

from __future__ import annotations

import ast
from typing import Any

from river_envs.synthesis.expressions import Expressions
from river_envs.synthesis.shapes import Shape
from river_envs.synthesis.terms import Deferred, Facet, FileFacet, Mapped, Pairs, Scope, is_plain, unknown


class Comprehensions(Expressions):
    """Reads comprehensions."""

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> Any:
        return self._comprehended(node, scope)

    _generatorexp = _setcomp = _listcomp

    def _comprehended(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> Any:
        first = node.generators[0]
        over = self.value(first.iter, scope)
        items = self.elements(over)
        if items is None or len(node.generators) > 1:
            return unknown(over)
        if is_plain(over) or isinstance(over, list | tuple | dict):
            return self._made(node, first, items, scope)
        inner = dict(scope)
        self.bind(first.target, items[0], inner)
        base = over if isinstance(over, Shape) else None
        tests: tuple[Deferred, ...] = ()
        match over:
            case Mapped(within, _, before):
                base, tests = within, before
            case FileFacet(_, artefact) if artefact is not None:
                base = artefact.text.read("lines")
            case Facet(_, of):
                base = of
        wanted = [test for test in first.ifs if not _trivial(test)]
        tests += tuple(Deferred(test, dict(inner)) for test in wanted)
        result = self.value(node.elt, inner)
        return Mapped(base, result, tests) if base is not None else unknown(over)

    def _made(self, node: Any, first: ast.comprehension, items: list[Any], scope: Scope) -> Any:
        """A comprehension over plain values."""
        found: list[Any] = []
        for item in items:
            inner = dict(scope)
            self.bind(first.target, item, inner)
            verdicts = [self.truth(test, inner) for test in first.ifs]
            if None in verdicts:
                return unknown(*(self.value(name, inner) for test in first.ifs for name in ast.walk(test)
                                 if isinstance(name, ast.Name)))
            if all(verdicts):
                found.append(self.value(node.elt, inner))
        if isinstance(node, ast.SetComp):
            return self._computed(set, found) if is_plain(found) else unknown(found)
        return found

    def _dictcomp(self, node: ast.DictComp, scope: Scope) -> Any:
        over = self.value(node.generators[0].iter, scope)
        items = self.elements(over)
        if items is None or len(node.generators) > 1:
            return unknown(over)
        found: dict[Any, Any] = {}
        for item in items:
            inner = dict(scope)
            self.bind(node.generators[0].target, item, inner)
            key, value = self.value(node.key, inner), self.value(node.value, inner)
            if not isinstance(key, str | int | tuple) or not is_plain(key):
                return self.keyed(over, key, value)
            found[key] = value
        return found

    def keyed(self, over: Any, key: Any, value: Any) -> Any:
        """A dictionary with a key from every element: of lines it can be read on, of others not."""
        lines = over.over if isinstance(over, Mapped) else over
        if isinstance(lines, Shape) and isinstance(key, Shape):
            each = lines.each
            for (how, separator), parts in (each.readings if each else {}).items():
                if how == "parts" and parts.items.get(0) is key:
                    return Pairs(lines, separator)
        return unknown(over, key, value)


def _trivial(test: ast.expr) -> bool:
    """Whether a filter only leaves out what is empty or a comment."""
    text = ast.unparse(test)
    return isinstance(test, ast.Name) or "strip()" in text or text.endswith(("!= ''", "isspace()")) or "'#'" in text
