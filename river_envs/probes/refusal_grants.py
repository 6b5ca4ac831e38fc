"""Grants: the state that a refused reference left, with the one thing that the failing assertion asks for.

A grant that is rewarded shows that nothing else was wrong. Which cause it shows is decided before it is tried:
something that the instruction never names is a hidden requirement, another value in a place that it does name is a
matter of the expectation.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from river_envs.environment import Environment, File
from river_envs.probes import edits
from river_envs.probes import instruction as wording
from river_envs.probes.artefacts import stub
from river_envs.probes.base import Action, Put, Run, Survey
from river_envs.probes.documents import changed, like, spots
from river_envs.probes.edits import Target
from river_envs.probes.refusal_reading import Asked, Demand, Difference, asks_for_mode, nearly, states, states_value
from river_envs.sandbox.base import Delta
from river_envs.verify.failures import Failure

_ORDER: Final = re.compile(
    r"\b(order(?:ed)?|sort(?:ed|ing)?|alphabetic\w*|ascending|descending|first|rank\w*|top)\b", re.IGNORECASE
)
_ROUND: Final = re.compile(r"\b(round(?:ed|ing)?|decimals?|digits?|precision|truncat\w+|\d\.\d+)\b", re.IGNORECASE)
_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DECIMALS: Final = re.compile(
    rf"(?<!at least )\b(\d{{1,2}}|{'|'.join(_WORDS)}) (?:decimals?|decimal (?:places|digits))\b(?! or more)",
    re.IGNORECASE,
)
_TASKS: Final = ("/app", "/data", "/home", "/mnt", "/srv", "/workspace")
_LISTS: Final = (list, tuple)
_LIBRARIES: Final = (
    "/(site-packages|dist-packages|node_modules|lib/python[0-9.]+|lib/ruby|lib/node|go/pkg/mod|share/(man|info|locale))/"
)


@dataclass(frozen=True)
class Grant:
    """What is put beside the reference's state, the cause that a reward would show, and what is said of it."""

    cause: str
    what: str
    actions: tuple[Action, ...]
    originals: tuple[File, ...] = ()
    actual: str = ""
    expected: str = ""
    name: str = ""
    searched: bool = False
    """Whether ``name`` must not occur in the image: what can be found there is no secret."""


def searched_places(environment: Environment) -> list[str]:
    """The folders of the image where the task's files lie."""
    named = [*wording.paths(environment.instruction), *wording.paths(environment.image.text), environment.workdir or ""]
    folders = {posixpath.dirname(path.rstrip("/")) for path in named if path}
    system = ("/bin", "/dev", "/etc", "/lib", "/proc", "/run", "/sbin", "/solution", "/sys", "/tests", "/usr", "/var")
    return sorted({*_TASKS, *(f for f in folders if f.strip("/") and not f.startswith(system))})


def holding(name: str, places: Sequence[str], *, flags: str = "") -> str:
    """A shell command that prints the first file below ``places`` that holds ``name``; installed libraries, which are
    none of the task's, are left out.
    """
    return f"grep -rlsaF{flags} -e {shlex.quote(name)} {shlex.join(places)} | grep -vE '{_LIBRARIES}' | head -n 1"


def unnamed_in_image(environment: Environment, name: str) -> str:
    """A shell script that succeeds when no file of the task's places holds ``name``."""
    search = holding(name, searched_places(environment))
    return f'command -v grep >/dev/null || exit 3\nf=$({search})\ntest -z "$f"\n'


def written(environment: Environment, left: Delta) -> tuple[Target, ...]:
    """The files that the refused reference left."""
    return edits.targets(environment, Survey((), environment.workdir or "/", left))


def grants(environment: Environment, left: Delta, failure: Failure, found: Asked) -> Iterator[Grant]:
    """What may be granted, the likeliest first."""
    files = [target for target in written(environment, left) if target.kind != "binary"]
    match found:
        case Difference():
            yield from _values(environment, files, failure, found)
        case Demand("mode", mode):
            if not asks_for_mode(environment):
                yield from _modes(_meant(left_files(left), failure, environment), mode)
        case Demand("path" | "directory", path):
            if not states(environment, posixpath.basename(path)) and left.get(path) is None:
                file = stub(path) if found.what == "path" else File(path.strip("/") + "/.keep")
                what = f"a file at {path}" if found.what == "path" else f"a directory at {path}"
                yield Grant(
                    "hidden-requirement", what, (Put((file,)),), name=posixpath.basename(path), searched=True
                )
        case Demand("key", key):
            if not states(environment, key) and not nearly(environment, key):
                yield from _keys(environment, _meant(files, failure, environment), key)
        case Demand("prefix" | "suffix" | "pattern" | "text" as what, text):
            yield from _texts(environment, _meant(files, failure, environment), what, text)


def left_files(left: Delta) -> list[Target]:
    """Every file of the delta, binary ones too."""
    return [
        Target("/" + c.path, c.content, c.mode & 0o7777, "binary", False, True, "", True)
        for c in left.changes
        if c.kind == "file"
    ]


def _meant(files: Sequence[Target], failure: Failure, environment: Environment) -> list[Target]:
    """Files that the failing test names, then those that the instruction names, then the others; programs last."""
    told = failure.text + failure.statement

    def rank(target: Target) -> tuple[bool, bool, bool]:
        name = posixpath.basename(target.path)
        return name not in told, name not in environment.instruction, target.kind == "code"

    return sorted(files, key=rank)


def _file(target: Target, content: str) -> tuple[Action, ...]:
    return (Put((File(target.path.strip("/"), content.encode(), target.mode),)),)


def _original(target: Target) -> tuple[File, ...]:
    return (File(target.path.strip("/"), target.content, target.mode),)


def _modes(files: Sequence[Target], mode: str) -> Iterator[Grant]:
    for target in files[:2]:
        script = f"chmod {mode} {shlex.quote(target.path)}\n"
        yield Grant("hidden-requirement", f"the mode {mode} on {target.path}", (Run(script),), name=f"mode {mode}")


def _keys(environment: Environment, files: Sequence[Target], key: str) -> Iterator[Grant]:
    """The key in a JSON output that lacks it."""
    for target in (target for target in files if target.kind == "json"):
        value = json.loads(target.text)
        rows = value if isinstance(value, list) else [value]
        if not rows or not all(isinstance(row, dict) and key not in row for row in rows):
            continue
        given = _sample(environment, key)
        more = [{**row, key: given} for row in rows]
        text = like(target.text, more if isinstance(value, list) else more[0])
        what = f"the key {key!r} in {target.path}"
        yield Grant("hidden-requirement", what, _file(target, text), _original(target), name=key, searched=True)
        return


def _sample(environment: Environment, key: str) -> Any:
    """A value for an added key: what the tests ask of it, as far as a look at its lines tells."""
    text = "\n".join(file.content.decode("utf-8", "replace") for file in environment.verifier.files)
    spoken = rf"""(?:\[\s*["']{re.escape(key)}["']\s*\]|\.get\(\s*["']{re.escape(key)}["'][^)]*\))"""
    same = re.search(rf"""{spoken}\s*==\s*("[^"\n]*"|'[^'\n]*'|-?\d+(?:\.\d+)?|True|False)""", text)
    if same:
        shown = same.group(1)
        return shown[1:-1] if shown[0] in "\"'" else {"True": True, "False": False}.get(shown) or json.loads(shown)
    kind = re.search(rf"isinstance\(\s*\w+{spoken}\s*,\s*\(?\s*(\w+)", text)
    samples: dict[str, Any] = {"int": 1, "float": 1.5, "bool": True, "list": ["x"], "dict": {"x": 1}}
    return samples.get(kind.group(1), "x") if kind else "x"


def _texts(environment: Environment, files: Sequence[Target], what: str, text: str) -> Iterator[Grant]:
    """A text that a file should hold, begin with or end in."""
    wanted = _example(text) if what == "pattern" else text
    for target in [target for target in files if target.kind not in {"json", "csv", "tsv"}][:2]:
        if not wanted or (wanted in target.text and what == "text"):
            continue
        like_it = _similar(target.text, wanted) if what == "text" else None
        if like_it is not None:
            new = target.text.replace(like_it, wanted, 1)
            if states_value(environment, wanted):
                continue
            what_else = f"{wanted!r} in the place of {like_it!r} in {target.path}"
            yield Grant("wrong-expectation", what_else, _file(target, new), _original(target), like_it, wanted)
        elif not states(environment, wanted) and re.search(r"[^\W\d]{2}", wanted):
            end = "" if target.text.endswith("\n") else "\n"
            new = wanted + target.text if what == "prefix" else f"{target.text}{end}{wanted}"
            new = target.text.rstrip("\n") + wanted if what == "suffix" else new + ("" if what == "prefix" else "\n")
            what_else = f"{wanted!r} in {target.path}"
            search = what != "pattern"
            yield Grant(
                "hidden-requirement", what_else, _file(target, new), _original(target), name=wanted, searched=search
            )


def _example(pattern: str) -> str:
    """A text that a pattern describes; "" where there is none."""
    from river_envs.synthesis.patterns import Unreadable, matching

    try:
        return matching(pattern, "grant")
    except Unreadable:
        return ""


def _similar(content: str, wanted: str) -> str | None:
    """The line, or the lone word, of ``content`` that says the same thing with another value."""
    bare = content.strip()
    if bare and not re.search(r"\s", bare) and not re.search(r"\s", wanted.strip()):
        return bare
    shape = re.sub(r"-?\d+(?:\.\d+)?", "#", wanted.strip())
    label = re.match(r"\s*([\w .-]+?)\s*[:=]", wanted)
    for line in content.splitlines():
        if "#" in shape and re.sub(r"-?\d+(?:\.\d+)?", "#", line.strip()) == shape:
            return line.strip()
        if label and re.match(rf"\s*{re.escape(label.group(1))}\s*[:=]", line):
            return line.strip()
    return None


def _values(
    environment: Environment, files: Sequence[Target], failure: Failure, found: Difference
) -> Iterator[Grant]:
    """The expected value in the place of the one that the reference left."""
    for target in [target for target in _meant(files, failure, environment) if target.kind != "code"][:6]:
        here, there = _holds(target, found.left), _holds(target, found.right)
        if here == there:
            continue
        actual, expected = (found.left, found.right) if here else (found.right, found.left)
        cause = judged(environment, actual, expected)
        for text in _replaced(target, actual, expected, found.keys) if cause else ():
            what = f"{_short(expected)} in the place of {_short(actual)} in {target.path}"
            yield Grant(
                cause, what, _file(target, text), _original(target), _short(actual), _short(expected), _named(cause)
            )


def _named(cause: str) -> str:
    return "a form or an order" if cause == "hidden-requirement" else ""


def judged(environment: Environment, actual: Any, expected: Any) -> str:
    """The cause that a rejection for this difference would show; "" where the reference itself may be at fault."""
    said = environment.instruction
    if states_value(environment, expected) and not states_value(environment, actual):
        return ""
    if isinstance(actual, _LISTS) and isinstance(expected, _LISTS) and _sorted(actual) == _sorted(expected):
        return "" if _ORDER.search(said) else "hidden-requirement"
    if _number(actual) and _number(expected) and _rounded(actual, expected):
        return "" if _ROUND.search(said) else "hidden-requirement"
    if _number(actual) and _number(expected) and _rounded(expected, actual):
        return "wrong-expectation" if len(repr(actual).partition(".")[2]) in _stated_decimals(said) else ""
    if isinstance(actual, str) and isinstance(expected, str) and _plain(actual) == _plain(expected):
        return "hidden-requirement"
    if isinstance(actual, dict) and isinstance(expected, dict):
        more = [key for key in expected if key not in actual]
        if more:
            return "hidden-requirement" if not any(states(environment, str(key)) for key in more) else ""
    return "wrong-expectation"


def _sorted(value: Sequence[Any]) -> list[str]:
    return sorted(repr(item) for item in value)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rounded(actual: float, expected: float) -> bool:
    """Whether the expected number is the actual one with fewer decimals."""
    decimals = len(repr(expected).partition(".")[2])
    return len(repr(actual).partition(".")[2]) > decimals and abs(actual - expected) <= 0.5 * 10**-decimals


def _stated_decimals(instruction: str) -> set[int]:
    """The numbers of decimals that the instruction asks for; "at least three" asks for no certain number."""
    found = _DECIMALS.findall(instruction)
    return {int(word) if word.isdigit() else _WORDS.index(word.lower()) for word in found}


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _holds(target: Target, value: Any) -> bool:
    """Whether a file holds a value: as a whole, or in one place."""
    return bool(list(_replaced(target, value, object(), ())))


def _replaced(target: Target, actual: Any, expected: Any, keys: Sequence[str]) -> Iterator[str]:
    """The file's text with ``expected`` for ``actual``, once for each place where it stands, named keys first."""
    probing = type(expected) is object
    if target.kind == "json":
        document = json.loads(target.text)
        for path in sorted(_places(document, actual), key=lambda path: not set(keys) & {str(step) for step in path}):
            yield "" if probing else like(target.text, _with(document, path, expected))
        return
    text, bare = target.text, target.text.strip()
    if isinstance(actual, _LISTS) and actual and all(isinstance(item, str) for item in actual):
        if [str(item) for item in actual] == text.splitlines():
            yield "" if probing else "\n".join(str(item) for item in expected) + "\n"
        return
    if isinstance(actual, str) and actual and bare == actual.strip():
        yield "" if probing else text.replace(bare, str(expected).strip(), 1)
        return
    shown = str(actual)
    here = [spot for spot in spots(target.kind, text) if spot.text == shown or _equal(spot.text, actual)]
    for spot in sorted(here, key=lambda spot: spot.key not in keys):
        yield "" if probing else changed(text, spot, str(expected))
    if not here and isinstance(actual, str) and len(actual) > 3 and actual in text:
        yield "" if probing else text.replace(actual, str(expected), 1)


def _equal(text: str, value: Any) -> bool:
    try:
        return _number(value) and float(text) == float(value)
    except ValueError:
        return False


def _places(value: Any, wanted: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where in a document a value stands."""
    if (value == wanted or (isinstance(wanted, tuple) and value == list(wanted))) and type(value) is not bool:
        yield path
        return
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in inner:
        yield from _places(item, wanted, (*path, step))


def _with(document: Any, path: Sequence[Any], value: Any) -> Any:
    """A copy of a document with another value in one place."""
    if not path:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[path[0]] = _with(document[path[0]], path[1:], value)
    return copy
