"""What the first failing assertion teaches: a missing key, a wrong kind, a bound, a pattern, a file.

A failure shows values. Those that were filled in are unlike anything else, so that a value in the message leads back to
the place that it stands in. Expected *values* in a message are never taken over: that would be the answer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any, Final

from river_envs.outcome import Outcome
from river_envs.synthesis.filling import Filling
from river_envs.synthesis.leaves import kind_of
from river_envs.synthesis.shapes import Artefact, Demands, Pattern, Shape

Amendment = tuple[str, str, int, str]
"""What to do (a rule's name), the artefact's path, the shape's number in its walk, and a detail."""

_ERROR: Final = re.compile(r"^E\s+(.*)$", re.MULTILINE)
_NUMBER: Final = r"(-?\d+(?:\.\d+)?)"
_PATH: Final = re.compile(r"(/(?:[\w.@+-]+/)+[\w.@+-]+)")
_DETAIL: Final = 300
_DATE_WORDS: Final = re.compile(r"time data '([^']*)' does not match format '([^']*)'")
_MATCHED: Final = re.compile(
    r"function (match|search|fullmatch) at [^>]*>\((r?'(?:[^'\\\n]|\\.){1,200}'), '([^'\n]*)'"
)
_ISO: Final = re.compile(r"Invalid isoformat string: '([^']*)'")


def first_failure(outcome: Outcome) -> str:
    """The text of the first failing assertion: the error lines of its traceback, else the test's message."""
    blocks: list[str] = []
    for line in outcome.log.splitlines():
        found = _ERROR.match(line)
        if found:
            blocks.append(found.group(1))
        elif blocks:
            break
    if blocks:
        return "\n".join(blocks)[:4000]
    failed = next((test.message for test in outcome.tests if test.outcome in {"failed", "error"} and test.message), "")
    return failed[:4000]


def amendment(found: Demands, fillings: Sequence[Filling], failure: str) -> Amendment | None:
    """What to change after ``failure``; None where it teaches nothing that may be used."""
    for rule in (_missing_key, _missing_file, _not_a_number, _not_a_date, _kind, _pattern, _length, _bound, _guess):
        change = rule(found, fillings, failure)
        if change is not None:
            return change
    return None


def _place(found: Demands, shape: Shape) -> tuple[str, int] | None:
    for path, artefact in found.artefacts.items():
        for number, other in enumerate(_shapes(artefact)):
            if other is shape:
                return path, number
    return None


def _shapes(artefact: Artefact) -> list[Shape]:
    return [*artefact.text.walk(), *(artefact.printed.walk() if artefact.printed is not None else ())]


def _leaf(found: Demands, fillings: Sequence[Filling], shown: str) -> tuple[str, int] | None:
    """The place that a shown value was filled into; the only one, or the first that is no part of a longer text."""
    for filling in fillings:
        for leaf in filling.leaves:
            if str(leaf.value) == shown and not leaf.kept:
                return _place(found, leaf.shape)
    return None


def _missing_key(found: Demands, fillings: Sequence[Filling], failure: str) -> Amendment | None:
    match = re.search(r"KeyError: '([^'\n]{1,60})'", failure) or re.search(
        r"assert '([A-Za-z_][\w -]{0,40})' in (?:\{|dict_keys\()", failure
    )
    if not match:
        return None
    for path, artefact in found.artefacts.items():
        for number, shape in enumerate(_shapes(artefact)):
            keyed = shape.born in {"json", "row"} and "object" in (shape.kinds or {"object"})
            if keyed and match.group(1) not in shape.keys:
                return ("key", path, number, match.group(1))
    for path, artefact in found.artefacts.items():
        if path.endswith(".json") and not artefact.text.readings:
            return ("json", path, 0, match.group(1))
    return None


def _missing_file(found: Demands, fillings: Sequence[Filling], failure: str) -> Amendment | None:
    if not re.search(r"FileNotFoundError|No such file|not exist|missing|not found|not created|exists\(", failure):
        return None
    for path in _PATH.findall(failure):
        if path not in found.artefacts and not path.startswith(("/tests", "/usr", "/tmp/pytest", "/logs", "/proc")):
            return ("file", path.rstrip("."), 0, "")
    return None


def _not_a_number(found: Demands, fillings: Sequence[Filling], failure: str) -> Amendment | None:
    match = re.search(r"could not convert string to float: '([^'\n]*)'", failure)
    whole = re.search(r"invalid literal for int\(\) with base 10: '([^'\n]*)'", failure)
    shown = match or whole
    place = _leaf(found, fillings, shown.group(1)) if shown else None
    return ("numeric", *place, "integer" if whole else "number") if place else None


def _not_a_date(found: Demands, fillings: Sequence[Filling], failure: str) -> Amendment | None:
    match, iso = _DATE_WORDS.search(failure), _ISO.search(failure)
    if match:
        place = _leaf(found, fillings, match.group(1))
        return ("date", *place, match.group(2)) if place else None
    place = _leaf(found, fillings, iso.group(1)) if iso else None
    return ("date", *place, "iso") if place else None


def _kind(found: Demands, fillings: Sequence[Filling], failure: str) -> Amendment | None:
    match = re.search(r"isinstance\((.{1,200}?), \(?<class '(\w+)'>|isinstance\((.{1,200}?), \(?(\w+)", failure)
    if not match:
        return None
    shown, kind = (match.group(1) or match.group(3)), (match.group(2) or match.group(4))
    kinds = {"str": "text", "int": "integer", "float": "number", "bool": "boolean", "list": "list", "dict": "object"}
    place = _leaf(found, fillings, _unquoted(shown))
    return ("kind", *place, kinds[kind]) if place and kind in kinds else None


def _pattern(found: Demands, fillings: Sequence[Filling], failure: str) -> Amendment | None:
    match = _MATCHED.search(failure)
    place = _leaf(found, fillings, match.group(3)) if match else None
    if not match or not place:
        return None
    return ("pattern", *place, f"{match.group(1)} {_unquoted(match.group(2))}")


def _length(found: Demands, fillings: Sequence[Filling], failure: str) -> Amendment | None:
    match = re.search(r"assert (\d+) (==|>=|>|<=|<) (\d+)\n.*where \1 = len\(", failure)
    if not match:
        return None
    made, how, wanted = int(match.group(1)), match.group(2), int(match.group(3))
    for path, artefact in found.artefacts.items():
        for number, shape in enumerate(_shapes(artefact)):
            lengths = [filling.lengths.get(id(shape)) for filling in fillings]
            if not shape.keys and made in lengths and wanted <= 400 and (shape.least, shape.most) != (wanted, wanted):
                return ("length", path, number, f"{how} {wanted}")
    return None


def _bound(found: Demands, fillings: Sequence[Filling], failure: str) -> Amendment | None:
    match = re.search(rf"assert {_NUMBER} (>=|>|<=|<) {_NUMBER}", failure)
    if match:
        shown, how, edge = match.groups()
    else:
        match = re.search(rf"assert {_NUMBER} (<=|<) {_NUMBER}$", failure, re.MULTILINE)
        if not match:
            return None
        edge, how, shown = match.groups()
    place = _leaf(found, fillings, shown)
    return ("bound", *place, f"{how} {edge}") if place else None


def _guess(found: Demands, fillings: Sequence[Filling], failure: str) -> Amendment | None:
    """Where the failure names nothing: the other kind for the values in JSON whose kind was guessed."""
    for path, artefact in found.artefacts.items():
        guessed = [shape for shape in _shapes(artefact) if _open(shape)]
        if guessed and any(filling.path == path for filling in fillings):
            return ("guess", path, 0, "integer" if any(kind_of(shape) == "text" for shape in guessed) else "text")
    return None


def _open(shape: Shape) -> bool:
    return shape.born == "json" and not shape.kinds and not shape.asks and bool(shape.name)


def _unquoted(shown: str) -> str:
    try:
        value: Any = ast.literal_eval(shown)
    except (ValueError, SyntaxError):
        return shown
    return str(value)


def apply(found: Demands, change: Amendment) -> None:
    """Carry out an amendment on freshly read demands."""
    rule, path, number, detail = change
    if rule == "file":
        found.artefacts.setdefault(path, Artefact(path, Shape(path.rsplit("/", 1)[-1])))
        return
    artefact = found.artefacts.get(path)
    shapes = _shapes(artefact) if artefact is not None else []
    if number >= len(shapes):
        return
    shape, words = shapes[number], detail[:_DETAIL].split(" ", 1)
    match rule:
        case "key":
            shape.key(detail)
        case "json":
            shape.read("json").key(detail)
        case "numeric":
            shape.numeric = detail
        case "guess":
            for open_ in [other for other in shapes if _open(other)]:
                open_.kinds = {detail}
        case "date":
            shape.dates.insert(0, detail)
        case "kind":
            shape.kinds = {detail}
        case "pattern":
            shape.patterns.append(Pattern(words[1], words[0]))
        case "length":
            wanted = int(words[1]) + {">": 1, "<": -1}.get(words[0], 0)
            shape.sized(least=wanted if words[0] in {"==", ">", ">="} else None,
                        most=wanted if words[0] in {"==", "<", "<="} else None)
        case "bound":
            edge = float(words[1])
            shape.bound(low=edge if words[0] in {">", ">="} else None, high=edge if words[0] in {"<", "<="} else None)
