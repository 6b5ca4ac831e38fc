"""Calls in a test, read: what opens, parses and measures files, and the methods of what comes from them."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, Final

from river_envs.synthesis.functions import PLAIN_CALLS, Functions
from river_envs.synthesis.shapes import Artefact, Pattern, Shape
from river_envs.synthesis.terms import (
    Facet,
    FileFacet,
    Function,
    Instance,
    Matched,
    Name,
    Pairs,
    Ran,
    Scope,
    Unknown,
    is_plain,
    unknown,
)

_PLAIN_METHODS: Final = frozenset((
    "strip", "lstrip", "rstrip", "lower", "upper", "split", "splitlines", "replace", "startswith", "endswith", "join",
    "format", "title", "items", "keys", "values", "get", "encode", "decode", "count", "index", "copy", "union",
    "removeprefix", "removesuffix", "with_suffix", "with_name", "joinpath", "as_posix", "partition", "isdigit",
))
_SAME: Final = frozenset((
    "strip", "lstrip", "rstrip", "lower", "upper", "casefold", "replace", "decode", "encode", "removeprefix",
    "removesuffix", "title", "expandtabs", "copy",
))
_RUNNERS: Final = frozenset(("subprocess.run", "subprocess.check_output", "subprocess.Popen", "subprocess.call",
                             "subprocess.check_call", "os.system", "os.popen", "subprocess.getoutput"))
_STARTERS: Final = re.compile(
    r"(?:.*/)?(?:python[\d.]*|bash|sh|dash|env|timeout|node|ruby|perl)|sys\.executable|-\w+|\d+s?"
)
_WRONG: Final = (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError)


class Calls(Functions):
    """Reads calls."""

    def call(self, node: ast.Call, scope: Scope) -> Any:
        """What a call stands for."""
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value, scope)
            if not isinstance(owner, Name):
                return self._method(node, owner, node.func.attr, scope)
            called: Any = Name(f"{owner.dotted}.{node.func.attr}")
        else:
            called = self.value(node.func, scope)
        if isinstance(called, Name):
            return self._known(called.dotted, node, scope)
        arguments = list(self._elements(node.args, scope))
        keywords = {word.arg: self.value(word.value, scope) for word in node.keywords if word.arg}
        if isinstance(called, Function):
            return self.run(called, arguments, keywords)
        if isinstance(called, Instance):
            return called
        return unknown(arguments, list(keywords.values()))

    def _known(self, dotted: str, node: ast.Call, scope: Scope) -> Any:
        """A call of what the tests did not define."""
        arguments = list(self._elements(node.args, scope))
        keywords = {word.arg: self.value(word.value, scope) for word in node.keywords if word.arg}
        first = arguments[0] if arguments else None
        last = dotted.rsplit(".", 1)[-1]
        if last in {"Path", "PurePath", "PosixPath", "PurePosixPath"}:
            parts = [part for part in arguments if isinstance(part, str | PurePosixPath)]
            return PurePosixPath(*parts) if len(parts) == len(arguments) else unknown(arguments)
        if dotted in {"open", "io.open", "codecs.open"}:
            return FileFacet("handle", self.artefact(first))
        if dotted in _RUNNERS or last in {"check_output", "Popen"}:
            return self._ran(dotted, arguments, keywords)
        if dotted.startswith("os.") and isinstance(first, str | PurePosixPath):
            return self._looked(dotted, last, first, arguments)
        if dotted.startswith("re.") and last in {"search", "match", "fullmatch", "findall", "finditer", "compile",
                                                 "split", "sub"}:
            return self._expression(last, arguments, keywords)
        if dotted in {"json.loads", "json.load"}:
            return self._as_text(first, lambda shape: shape.read("json"))
        if dotted in {"yaml.safe_load", "yaml.load", "yaml.full_load", "ruamel.yaml.safe_load"}:
            return self._as_text(first, lambda shape: shape.read("json"))
        if last in {"loads", "load"} and "toml" in dotted:
            return self._as_text(first, lambda shape: shape.read("toml"))
        if last == "read_csv" and isinstance(first, str | PurePosixPath):
            frame, mark = self.artefact(first), keywords.get("sep", ",")
            return frame.text.read("table", mark if isinstance(mark, str) else ",") if frame is not None else Unknown()
        if (last in {"DictReader", "reader"} and "csv" in dotted) or dotted in {"DictReader"}:
            separator = keywords.get("delimiter", ",")
            how = "table" if last == "DictReader" else "rows"
            return self._as_text(first, lambda shape: shape.read(how, separator if isinstance(separator, str) else ","))
        if last == "strptime" and len(arguments) > 1:
            return self._dated(first, arguments[1])
        if last == "fromisoformat":
            return self._dated(first, "iso")
        if last == "approx" and arguments:
            return first
        if last in {"S_IMODE", "oct"} and isinstance(first, FileFacet) and first.kind == "mode":
            return first
        return self.builtin(dotted, arguments, keywords)

    def _as_text(self, source: Any, read: Callable[[Shape], Shape]) -> Any:
        """Read the text behind ``source`` in some way."""
        match source:
            case FileFacet("handle", artefact):
                return read(artefact.text) if artefact else Unknown()
            case Shape(born="lines"):
                return unknown(source)
            case Shape():
                return read(source)
            case _:
                return unknown(source)

    def _dated(self, shape: Any, form: Any) -> Any:
        if isinstance(shape, Shape) and isinstance(form, str):
            shape.dates.append(form)
        return unknown(shape)

    def _expression(self, how: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Regular expressions: compiled ones are kept as a pattern; flags are read where they are plain names."""
        first = arguments[0] if arguments else None
        flags = _flags(arguments[2] if len(arguments) > 2 else keywords.get("flags"))
        if how == "compile":
            flags = _flags(arguments[1] if len(arguments) > 1 else keywords.get("flags"))
            return Pattern(first, "", flags) if isinstance(first, str) else unknown(first)
        text = arguments[1] if len(arguments) > 1 else None
        if isinstance(first, Pattern):
            flags, first = first.flags, first.text
        if isinstance(first, str) and isinstance(text, Shape) and how in {"search", "match", "fullmatch"}:
            return Matched(text, Pattern(first, how, flags))
        if isinstance(first, str) and isinstance(text, Shape) and how in {"findall", "finditer"}:
            return Matched(text, Pattern(first, "search", flags), all=True)
        if isinstance(first, str) and isinstance(text, Shape) and how == "split":
            return text.read("parts", " ")
        return unknown(arguments)

    def _looked(self, dotted: str, last: str, path: Any, arguments: list[Any]) -> Any:
        """What the ``os`` module tells about a path."""
        if is_plain(arguments) and dotted in PLAIN_CALLS:
            return self._computed(PLAIN_CALLS[dotted], *map(str, arguments))
        return self._file(last, path, arguments)

    def _file(self, last: str, path: Any, arguments: list[Any]) -> Any:
        found = {"exists": "exists", "isfile": "exists", "is_file": "exists", "isdir": "directory",
                 "is_dir": "directory", "getsize": "size", "stat": "stat", "lstat": "stat", "islink": "link",
                 "is_symlink": "link", "lexists": "exists"}.get(last)
        if last == "access":
            flag = arguments[1].dotted if len(arguments) > 1 and isinstance(arguments[1], Name) else ""
            found = "executable" if flag == "os.X_OK" else "exists"
        if found is None:
            return Unknown()
        return FileFacet(found, self.artefact(path), str(path))

    def _ran(self, dotted: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """A command: the first artefact among its words is the program of ours that it runs."""
        first = arguments[0] if arguments else keywords.get("args")
        words = first.split() if isinstance(first, str) else list(first) if isinstance(first, list | tuple) else []
        for position, word in enumerate(words[:4]):
            if isinstance(word, Name):
                words[position] = word = word.dotted
            if not isinstance(word, str | PurePosixPath):
                continue
            artefact = self.artefact(word) if "/" in str(word) or "." in str(word) else None
            if artefact is None and position and "/" in str(word):
                break  # a program that is none of ours
            if artefact is not None:
                if not all(_STARTERS.fullmatch(str(earlier)) for earlier in words[:position]):
                    return unknown(artefact.text)
                artefact.printed = artefact.printed or Shape(posixpath.basename(artefact.path))
                if dotted.endswith(("check_output", "check_call")) or keywords.get("check") is True:
                    artefact.exits.add("zero")
                ran = Ran(artefact)
                return artefact.printed if dotted.endswith(("check_output", "getoutput")) else ran
        ours = [self.artefact(word) for word in words if isinstance(word, str | PurePosixPath) and "/" in str(word)]
        return unknown(arguments, list(keywords.values()), [artefact.text for artefact in ours if artefact])

    def attribute(self, owner: Any, name: str) -> Any:
        """An attribute of what is no plain object."""
        match owner, name:
            case Ran(artefact), "stdout" if artefact is not None:
                artefact.printed = artefact.printed or Shape(posixpath.basename(artefact.path))
                return artefact.printed
            case Ran(artefact), "returncode" if artefact is not None:
                return FileFacet("exit", artefact)
            case Ran(), _:
                return Unknown()
            case FileFacet("stat", artefact, path), ("st_size" | "st_mode"):
                return FileFacet("size" if name == "st_size" else "mode", artefact, path)
            case Shape(born="table"), ("fieldnames" | "columns"):
                return Facet("header", owner)
            case _:
                return unknown(owner)

    def _method(self, node: ast.Call, owner: Any, name: str, scope: Scope) -> Any:
        arguments = list(self._elements(node.args, scope))
        keywords = {word.arg: self.value(word.value, scope) for word in node.keywords if word.arg}
        first = arguments[0] if arguments else None
        match owner:
            case Instance():
                found = owner.attributes.get(name, owner.members.get(name))
                if isinstance(found, Function):
                    return self.run(Function(found.node, found.scope, owner), arguments, keywords)
                return unknown(arguments)
            case PurePosixPath():
                return self._path_method(owner, name, arguments)
            case FileFacet("handle", artefact):
                return self._handle_method(artefact, name)
            case Pattern():
                return self._expression(name, [owner, *arguments], keywords)
            case Matched(shape, pattern) if name == "group" and not owner.all:
                if pattern not in shape.patterns:
                    shape.patterns.append(pattern)
                group = first if isinstance(first, int | str) else 0
                return shape.groups.setdefault((pattern, group), Shape(shape.name))
            case Ran(artefact) if name == "communicate" and artefact is not None:
                return (self.attribute(owner, "stdout"), Unknown())
            case Pairs() if name == "get" and isinstance(first, str):
                return self.picked(owner, first)
            case Shape():
                return self._shape_method(owner, name, arguments)
            case Facet("keys" | "items" | "values"):
                return owner
            case list() if name == "append" and len(owner) < 500:
                owner.append(first)
                return None
            case list() if name == "extend" and isinstance(first, list) and len(owner) < 500:
                owner.extend(first[:200])
                return None
            case set() if name == "add" and is_plain(first):
                owner.add(first)
                return None
            case dict() if name in {"items", "keys", "values"}:
                return list(getattr(owner, name)())
            case dict() if name == "get":
                return owner.get(first, arguments[1] if len(arguments) > 1 else None) if is_plain(first) else Unknown()
        if is_plain(owner) and is_plain(arguments) and is_plain(keywords) and name in _PLAIN_METHODS:
            if name in {"format", "replace", "join"} and sum(len(str(a)) for a in arguments) > 2000:
                return Unknown()
            found = self._computed(lambda: getattr(owner, name)(*arguments, **keywords))
            return list(found) if name in {"items", "keys", "values"} else found
        return unknown(owner, arguments)

    def _path_method(self, path: PurePosixPath, name: str, arguments: list[Any]) -> Any:
        if name in {"read_text", "read_bytes"}:
            artefact = self.artefact(path)
            return artefact.text if artefact else Unknown()
        if name == "open":
            return FileFacet("handle", self.artefact(path))
        if name in {"resolve", "absolute", "expanduser"}:
            return path
        if name in {"joinpath", "with_suffix", "with_name", "relative_to", "as_posix"} and is_plain(arguments):
            return self._computed(lambda: getattr(path, name)(*arguments))
        return self._file(name, path, arguments)

    def _handle_method(self, artefact: Artefact | None, name: str) -> Any:
        if artefact is None:
            return Unknown()
        if name == "read":
            return artefact.text
        if name in {"readlines", "__iter__"}:
            return artefact.text.read("lines")
        return artefact.text.read("lines").item(0) if name == "readline" else Unknown()

    def _shape_method(self, shape: Shape, name: str, arguments: list[Any]) -> Any:
        first = arguments[0] if arguments else None
        text = shape.born in {"text", "cell"} or "text" in shape.kinds or (shape.born == "json" and not shape.kinds)
        if name in _SAME and text:
            return shape
        if name == "splitlines" and text:
            return shape.read("lines")
        if name in {"split", "rsplit"} and text:
            if first == "\n":
                return shape.read("lines")
            return shape.read("parts", first if isinstance(first, str) and first else " ")
        if name in {"partition", "rpartition"} and isinstance(first, str):
            parts = shape.read("parts", first)
            return (parts.item(0), first, parts.item(1))
        if name in {"keys", "items", "values"}:
            shape.narrow("object")
            return Facet(name, shape)
        if name == "get" and isinstance(first, str):
            return shape.key(first)
        if name == "count" and isinstance(first, str) and text:
            return Facet("occurrences", shape, first)
        return unknown(shape, arguments)


def _flags(value: Any) -> int:
    """Flags given as names (``re.MULTILINE | re.IGNORECASE``)."""
    if isinstance(value, Name):
        return int(getattr(re, value.dotted.rsplit(".", 1)[-1], 0) or 0) if value.dotted.startswith("re.") else 0
    return value if isinstance(value, int) else 0

