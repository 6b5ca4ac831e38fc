"""What an acceptance would prove: which literals of the tests may be used, and which places hold a determined value.

A test's own literals are mostly its expected answers. Handing those in would prove nothing, so that only what gives the
*form* is used: keys, headers, labels, types, ranges, patterns, and words that the instruction states itself. Where the
tests pin anything else, synthesis is silent.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from river_envs.environment import Environment
from river_envs.probes import instruction as wording
from river_envs.probes.wording import has_metric, has_tolerance, only_tells
from river_envs.synthesis.filling import Filling, Leaf
from river_envs.synthesis.patterns import Unreadable, fixed
from river_envs.synthesis.shapes import Artefact, Demands, Pattern, Shape

_LABEL: Final = re.compile(r"^[^\d]{1,60}[:=]\s*$|^[#\-*=|\s]+$|^#!")
_FREELY_NAMED: Final = re.compile(
    r"time|stamp|generated|created|updated|elapsed|duration|runtime|version|uuid|guid|seed|pid|host|author|message|note"
    r"|comment|descri|title|summary|reason|remark|detail|explan|status|run_?at|started|finished|method|tool|command|label",
    re.IGNORECASE,
)
_FREE_FILE: Final = re.compile(
    r"time|elapsed|duration|bench|version|uuid|host|seed|password|token|secret|nonce", re.IGNORECASE
)
_SEVERAL: Final = re.compile(
    r"\b(such that|satisf(?:y|ies|ying)|feasible|constraints?|passwords?|passphrase|nonce|salt|key ?pair|self-signed"
    r"|(?:find|construct|devise|design|synthesi[sz]e|invent|come up with|choose|pick|give me) (?:an?|one|some|any)\b"
    r"|generate (?:an?|some|one)\b|valid (?:schedule|assignment|solution|configuration|plan|route|ordering|colou?ring)"
    r"|measure (?:how|the (?:time|run|wall|elapsed|latency|speed|throughput))|how long (?:it|the|this|that)\b"
    r"|wall[- ]clock|elapsed|benchmark|uptime|(?:current|today's) (?:date|time|user|host)|hostname|process id|timing"
    r"|topological|permutation|approximat\w+|within (?:a )?tolerance|best effort|as (?:good|close|small|short) as)\b",
    re.IGNORECASE,
)
_GENERIC: Final = frozenset((-180, -90, -1, 0, 1, 100, 90, 180))


def silent(environment: Environment, demands: Demands) -> str | None:
    """Why nothing could be proved here, or None where an acceptance would say something."""
    if has_metric(environment.instruction) or has_tolerance(environment.instruction):
        return "answers are judged by a threshold: several may be right"
    if _SEVERAL.search(wording.prose(environment.instruction)):
        return "the wording leaves room for several right answers"
    if not demands.artefacts:
        return "the tests look at no file that the agent makes"
    for artefact in demands.artefacts.values():
        for root in (artefact.text, artefact.printed):
            for shape in root.walk() if root is not None else ():
                why = _pinned(environment.instruction, artefact, shape, root)
                if why:
                    return f"{artefact.path}: {why}"
    return None


def _pinned(instruction: str, artefact: Artefact, shape: Shape, root: Shape | None) -> str | None:
    """How the tests know the value of one place, or None where they give its form only."""
    if shape.unknown:
        return "the tests compare with what only the work gives"
    if any(not _usable(instruction, artefact, shape, value, root) for value in shape.pinned):
        return "the tests hold the expected value"
    texts = [*shape.contains, shape.prefix, shape.suffix]
    if any(text and not (_LABEL.search(text) or stated(text, instruction)) for text in texts):
        return "the tests look for text that the instruction never states"
    for pattern in shape.patterns:
        why = _tells(instruction, pattern)
        if why:
            return why
    if shape.choices and not allowed(shape, instruction):
        return "the tests list the values that they accept"
    if _narrow(shape):
        return "the tests hold the expected value with a tolerance"
    return None


def _usable(instruction: str, artefact: Artefact, shape: Shape, value: Any, root: Shape | None) -> bool:
    """Whether a literal gives form: a header line, or text that the instruction states."""
    if isinstance(value, list | tuple) and value and all(isinstance(item, str) for item in value):
        return _heads(artefact, shape, root) and not any(re.search(r"\d", item) for item in value)
    if not isinstance(value, str) or not re.search(r"[A-Za-z]{2}", value):
        return False
    header = _heads(artefact, shape, root) and bool(re.search(r"[A-Za-z_]\s*[,\t|;]\s*[A-Za-z_]", value))
    return (header and not re.search(r"\d", value)) or stated(value, instruction)


def _heads(artefact: Artefact, shape: Shape, root: Shape | None) -> bool:
    """Whether a shape is the first line (or its cells) of a file."""
    readings = root.readings.values() if root is not None else ()
    first = [inner.items[0] for inner in readings if 0 in inner.items]
    return any(shape is item or shape in item.items.values() or shape in item.some for item in first)


def stated(text: str, instruction: str) -> bool:
    """Whether the instruction states every word and number of ``text``."""
    words = re.findall(r"[A-Za-z]+|\d+(?:\.\d+)?", text)
    if re.search(r"\d", text) and text.strip().casefold() not in instruction.casefold():
        return False
    return bool(words) and all(word.casefold() in _words(instruction) for word in words)


@lru_cache(maxsize=64)
def _words(instruction: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in re.findall(r"[A-Za-z]+|\d+(?:\.\d+)?", instruction))


def _tells(instruction: str, pattern: Pattern) -> str | None:
    """Whether a pattern spells the answer."""
    try:
        pieces = fixed(pattern.text)
    except Unreadable:
        return "a pattern of the tests cannot be read"
    for piece in pieces:
        digits = re.search(r"\d{2,}|\d\.\d", piece)
        words = re.findall(r"[A-Za-z]{3,}", piece)
        if (digits and not stated(digits.group(), instruction)) or (words and not stated(" ".join(words), instruction)):
            return "a pattern of the tests spells what the instruction never states"
    return None


def allowed(shape: Shape, instruction: str) -> Sequence[Any]:
    """The values of an enumeration that exclude each other and that the instruction states; () below two."""
    if not shape.choices:
        return ()
    common = [value for value in shape.choices[0] if all(value in row for row in shape.choices)]
    distinct: dict[str, Any] = {}
    for value in common:
        if isinstance(value, str) and stated(value, instruction) and not re.fullmatch(r"[\d.]+", value):
            distinct.setdefault(re.sub(r"\W", "", value).casefold(), value)
    return tuple(distinct.values()) if len(distinct) > 1 else ()


def _narrow(shape: Shape) -> bool:
    """Whether bounds pin a number down: neither starts near zero nor spans a factor of four."""
    if shape.low is None or shape.high is None:
        return False
    if shape.low <= 1 + 1e-3 and shape.high - shape.low >= 0.5:
        return False
    return shape.low <= 0 or shape.high < 4 * shape.low


def proving(environment: Environment, demands: Demands, one: Sequence[Filling], two: Sequence[Filling]) -> list[Leaf]:
    """The places that hold a determined value and differ between two fillings; empty where a pair proves nothing."""
    found = []
    instruction = environment.instruction
    literal = any(shape.pinned and not _column(shape) for artefact in demands.artefacts.values()
                  for shape in artefact.text.walk())
    for first, second in zip(one, two, strict=True):
        others = {leaf.place: leaf.value for leaf in reversed(second.leaves)}
        for leaf in first.leaves:
            if leaf.kept or others.get(leaf.place) == leaf.value or not _determined(leaf, instruction):
                continue
            if literal and isinstance(leaf.value, str) and not (leaf.shape.numeric or leaf.shape.choices):
                continue
            found.append(leaf)
    return found


def _column(shape: Shape) -> bool:
    """Whether a literal is a header: several names, no value."""
    return all(isinstance(value, list | tuple) or re.search(r"[,\t|;]", str(value)) for value in shape.pinned)


def _determined(leaf: Leaf, instruction: str) -> bool:
    """Whether the instruction asks for one value in this place: it names the place, and nothing suggests freedom."""
    name = leaf.shape.name
    bare = posixpath.splitext(name)[0]
    whole = posixpath.basename(leaf.path) == name
    freely = _FREE_FILE if whole else _FREELY_NAMED
    free = bool(freely.search(bare)) or (whole and only_tells(instruction, leaf.path))
    if free or _bounds_stated(leaf.shape, instruction):
        return False
    words = [word for word in re.split(r"[^A-Za-z0-9]+|_", bare) if word]
    return name in instruction or (bool(words) and all(word.casefold() in _words(instruction) for word in words))


def _bounds_stated(shape: Shape, instruction: str) -> bool:
    """Whether the instruction itself states the bounds that the tests check: then any value within them is right."""
    for bound in (shape.low, shape.high):
        if bound is None or abs(bound) in _GENERIC or abs(bound) < 1.1:
            continue
        nearby = (bound, round(bound), round(bound) - 1, round(bound) + 1)
        if any(f"{near:g}" in _words(instruction) for near in nearby):
            return True
    return False


def keyword_only(artefacts: Iterable[Artefact]) -> bool:
    """Whether the tests only look for words in texts."""
    roots = [root for artefact in artefacts for root in (artefact.text, artefact.printed) if root is not None]
    wordy = any(shape.contains for root in roots for shape in root.walk())
    return wordy and not any(
        shape.kinds or shape.keys or shape.patterns or shape.numeric or shape.dates or shape.pinned or shape.choices
        or shape.items or shape.pairs or shape.prefix or shape.suffix
        or any(how != "lines" for how, _ in shape.readings)
        for root in roots for shape in root.walk()
    )


def words_alone(artefacts: Iterable[Artefact]) -> bool:
    """Whether some looked-for word is no label: it might be the answer itself."""
    return any(
        not _LABEL.search(text) for artefact in artefacts for shape in artefact.text.walk() for text in shape.contains
    )
