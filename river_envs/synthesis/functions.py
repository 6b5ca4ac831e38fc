"""What builtin functions make of shapes: lengths, sums, orders, sets, pairs."""

from __future__ import annotations

import json
import posixpath
import re
import textwrap
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Final

from river_envs.synthesis.comprehensions import Comprehensions
from river_envs.synthesis.shapes import Shape
from river_envs.synthesis.terms import Difference, Facet, FileFacet, Function, Mapped, Unknown, is_plain, unknown

PLAIN_CALLS: Final[dict[str, Callable[..., Any]]] = {
    "str": str, "int": int, "float": float, "len": len, "sorted": sorted, "set": set, "list": list, "tuple": tuple,
    "dict": dict, "min": min, "max": max, "sum": sum, "round": round, "abs": abs, "frozenset": frozenset,
    "os.path.join": posixpath.join, "os.path.basename": posixpath.basename, "os.path.dirname": posixpath.dirname,
    "os.path.abspath": posixpath.normpath, "os.path.realpath": posixpath.normpath, "re.escape": re.escape,
    "textwrap.dedent": textwrap.dedent, "json.dumps": json.dumps,
}
"""Functions that are computed where all arguments are plain."""


class Functions(Comprehensions):
    """Reads calls of builtin functions."""

    @abstractmethod
    def run(self, function: Function, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """What a function of the tests returns."""

    def builtin(self, dotted: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """What a call of a builtin function stands for."""
        first = arguments[0] if arguments else None
        over: Any
        if is_plain(arguments) and is_plain(keywords) and dotted in PLAIN_CALLS:
            return self._computed(lambda: PLAIN_CALLS[dotted](*arguments, **keywords))
        if dotted == "range" and all(isinstance(a, int) for a in arguments) and arguments:
            return list(range(*arguments[:3]))[:60] if max(abs(a) for a in arguments) < 10_000 else Unknown()
        match dotted, first:
            case "str", Shape():
                return first
            case ("int" | "float" | "Decimal" | "decimal.Decimal"), Shape():
                kind = "integer" if dotted == "int" else "number"
                if first.born == "json":
                    if not first.kinds:
                        first.narrow(kind)
                elif first.numeric != "integer":
                    first.numeric = kind
                return first
            case "round", Shape() | Facet():
                return first
            case "abs", Difference():
                return first
            case "list" | "tuple" | "iter" | "next", (Shape() | Mapped()):
                if dotted == "next":
                    if isinstance(first, Shape) and first.born in {"rows", "lines"}:
                        first.ahead = 1
                    return self.picked(first, 0)
                return first
            case ("list" | "iter" | "next"), FileFacet("handle", artefact) if artefact is not None:
                lines = artefact.text.read("lines")
                return lines.item(0) if dotted == "next" else lines
            case ("list" | "sorted" | "set" | "tuple" | "frozenset"), Facet():
                return first
            case "len", Shape():
                return Facet("len", first)
            case "len", Mapped(within, _, ()):
                return Facet("len", within)
            case "len", Mapped() as filtered:
                return Facet("count", filtered.over, filtered)
            case "len", Facet("keys" | "distinct" as kind, of):
                return Facet("len" if kind == "keys" else "len-distinct", of, first.extra)
            case "sum", Mapped(within, Shape() as value):
                return Facet("sum", within, value)
            case ("sorted" | "set" | "frozenset"), (Shape() | Mapped()):
                over = first.over if isinstance(first, Mapped) else first
                if isinstance(first, Mapped) and first.tests:
                    return unknown(first)
                if over.born == "json" and over.each is None and over.kinds <= {"object"} and isinstance(first, Shape):
                    return Facet("keys", over)
                if over.born == "text" or (dotted != "sorted" and not isinstance(first, Mapped) and over.keys):
                    return Facet("keys", over) if over.keys else unknown(over)
                extra = (first.value if isinstance(first, Mapped) else over.element(),
                         "falling" if keywords.get("reverse") is True else "rising")
                if "key" in keywords and dotted == "sorted":
                    extra = self._ordered_by(keywords["key"], extra)
                return Facet("sorted" if dotted == "sorted" else "distinct", over, extra)
            case "enumerate", _:
                items = self.elements(first)
                if isinstance(first, list | tuple):
                    return list(enumerate(first))
                over = first.over if isinstance(first, Mapped) else first
                if items and isinstance(over, Shape):
                    return Mapped(over, (Unknown(), items[0]))
                return unknown(first)
            case "zip", _ if len(arguments) == 2:
                return self._zipped(*arguments)
            case "dict", Mapped(within, Shape(born="parts") as value):
                return self.keyed(within, value.item(0), value.item(1))
            case "type", Shape():
                return Facet("type", first)
            case ("hasattr" | "getattr"), _:
                return unknown(arguments)
        return unknown(arguments, list(keywords.values()))

    def _ordered_by(self, key: Any, extra: tuple[Any, str]) -> tuple[Any, str]:
        """What a list is sorted by, and which way; a minus sign turns it round."""
        by = self.run(key, [extra[0]], {}) if isinstance(key, Function) else extra[0]
        by = by[0] if isinstance(by, tuple) and by else by
        if isinstance(by, Unknown) and len(by.about) == 1:
            return by.about[0], "rising" if extra[1] == "falling" else "falling"
        return (by, extra[1]) if isinstance(by, Shape) else (unknown(extra[0]), extra[1])

    def _zipped(self, left: Any, right: Any) -> Any:
        """Pairs: of a shape and a plain list its items in turn."""
        if isinstance(left, list | tuple) and isinstance(right, list | tuple):
            return list(zip(left, right, strict=False))
        for shape, plain, swapped in ((left, right, False), (right, left, True)):
            listed = isinstance(plain, list | tuple) and len(plain) < 40
            if listed and isinstance(shape, Shape) and shape.born != "text":
                pairs = [(shape.item(index), item) for index, item in enumerate(plain)]
                return [(b, a) for a, b in pairs] if swapped else pairs
        return unknown(left, right)
