"""What a failing assertion asks for: a path, a key, a text, a file mode, or another value than the one there is."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from river_envs.environment import Environment
from river_envs.verify.failures import Failure, literal

What = Literal["path", "directory", "key", "text", "prefix", "suffix", "pattern", "mode", "option"]

_ABSENT: Final = re.compile(
    r"FileNotFoundError|No such file|\bexists\b|is_file|is_dir|isfile|isdir|not found|missing|does not exist"
    r"|not created|was not (?:made|written)",
    re.IGNORECASE,
)
_PATH: Final = re.compile(r"(?<![\w.:/])(/(?:[\w.@+-]+/)*[\w.@+-]*\w)")
_NOT_OURS: Final = (
    "/tests", "/logs", "/usr", "/bin", "/sbin", "/lib", "/proc", "/sys", "/dev", "/run", "/solution", "/tmp/pytest",
    "/opt/river",
)  # fmt: skip
_KEY_ERROR: Final = re.compile(r"\bKeyError: (['\"])([^'\"\n]{1,60})\1")
_IN: Final = re.compile(
    r"(?:assert |AssertionError: )(?P<one>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")"
    r" (?:in|not found in) (?P<other>.+)$"
)
_EDGE: Final = re.compile(r"built-in method (startswith|endswith) of str object at \w+>\((.+)\)$")
_SEARCH: Final = re.compile(r"function (?:search|match|fullmatch|findall) at \w+>\((r?'(?:[^'\\\n]|\\.){1,200}'), ")
_MODES: Final = re.compile(
    r"\b(?:modes?|permissions?|chmod|umask|executable|world-readable|read-?only|writable|owner|private)\b|(?<![.\d])0[0-7]{3}\b"
    r"|(?<!\w)[r-][w-][x-][r-][w-][x-]",
    re.IGNORECASE,
)
_OCTAL: Final = re.compile(r"\b0o([0-7]{3,4})\b|'0o([0-7]{3,4})'|'0?([0-7]{3})'")
_ABS: Final = re.compile(r"abs\(\(?(-?[\d.]+(?:e-?\d+)?) - (-?[\d.]+(?:e-?\d+)?)\)?\)")
_SAID: Final = (
    re.compile(r"expected:? (?P<e>\S.*?)[,;]? (?:but )?(?:got|found|was|actual(?:ly)?|is):? (?P<a>\S.*)$", re.I),
    re.compile(
        r"(?:got|found|actual):? (?P<a>\S.*?)[,;]? (?:but )?(?:expected|instead of|want(?:ed)?):? (?P<e>\S.*)$", re.I
    ),
)
_RUNS: Final = re.compile(r"returncode|exit_?(?:code|status)|status_code|\.status\b")


@dataclass(frozen=True)
class Demand:
    """Something that a failing assertion asks for and that is not there."""

    what: What
    name: str


@dataclass(frozen=True)
class Difference:
    """Two values that should have been equal; which of them was expected is not told by the order alone."""

    left: Any
    right: Any
    keys: tuple[str, ...] = ()
    counts: bool = False
    """Whether they are numbers of things (a length)."""


Asked = Demand | Difference


def asked(failure: Failure) -> Asked | None:
    """What the failing assertion asks for; None where that cannot be read."""
    return next((found for read in _READERS if (found := read(failure))), None)


def _mode(failure: Failure) -> Asked | None:
    if not re.search(r"st_mode|S_IMODE|S_IX|os\.access|stat\.|chmod|permission", failure.statement + failure.words):
        return None
    numbers = re.search(r"assert (\d+) == (\d+)", failure.words)
    if numbers:
        return Demand("mode", f"{int(numbers.group(2)) & 0o7777:o}")
    octal = [next(group for group in match if group) for match in _OCTAL.findall(failure.words)]
    return Demand("mode", octal[-1]) if octal else None


def _path(failure: Failure) -> Asked | None:
    if not _ABSENT.search(failure.words):
        return None
    for path in _PATH.findall(failure.words):
        if not path.startswith(_NOT_OURS) and path.count("/") > 1 and "site-packages" not in path:
            folder = re.search(r"is_dir|isdir|directory (?:is )?missing", failure.words + failure.statement)
            return Demand("directory" if folder else "path", posixpath.normpath(path))
    return None


def _key(failure: Failure) -> Asked | None:
    match = _KEY_ERROR.search(failure.words)
    if match:
        return Demand("key", match.group(2))
    got = re.search(r"\.get\(\s*['\"]([^'\"]+)['\"]", failure.statement)
    return Demand("key", got.group(1)) if got and re.search(r"assert None\b", failure.words) else None


def _contained(failure: Failure) -> Asked | None:
    for line in failure.errors:
        match = _IN.search(line)
        if match is None:
            continue
        name, other = literal(match.group("one")), match.group("other").strip()
        if not isinstance(name, str) or not name:
            continue
        keyed = other.startswith(("{", "dict_keys(", "['", '["', "(", "set("))
        return Demand("key" if keyed else "text", name)
    return None


def _edge(failure: Failure) -> Asked | None:
    match = _EDGE.search(failure.words.split("\n")[-1]) or next(
        (m for line in failure.errors if (m := _EDGE.search(line))), None
    )
    value = literal(match.group(2)) if match else None
    if match and isinstance(value, str):
        return Demand("prefix" if match.group(1) == "startswith" else "suffix", value)
    return None


def _pattern(failure: Failure) -> Asked | None:
    match = _SEARCH.search(failure.words)
    value = literal(match.group(1)) if match else None
    return Demand("pattern", value) if isinstance(value, str) else None


def _subset(failure: Failure) -> Asked | None:
    match = re.search(r"assert (\{.*?\}|\[.*?\]) <= (.+)$|assert (\{.+\}) >= (\{.+\})$", failure.words, re.MULTILINE)
    if not match:
        return None
    wanted = literal(match.group(1) or match.group(4))
    there = literal(re.sub(r"^dict_keys\((.*)\)$", r"\1", match.group(2) or match.group(3)))
    if not isinstance(wanted, set | list) or not isinstance(there, set | list | dict):
        return None
    missing = sorted(str(item) for item in wanted if item not in there)
    return Demand("key", missing[0]) if missing else None


def _compared(failure: Failure) -> Asked | None:
    """Two values beside each other; not the status of a program that failed."""
    if _RUNS.search(failure.statement) or any(_RUNS.search(line) for line in failure.errors if " where " in line):
        return None
    keys = tuple(dict.fromkeys(a or b for a, b in re.findall(
        r"\[\s*['\"]([^'\"]+)['\"]\s*\]|\.get\(\s*['\"]([^'\"]+)['\"]", failure.statement)))  # fmt: skip
    counts = bool(re.search(r"where -?\d+ = len\(", failure.words))
    for left, right in (*_pairs(failure.errors), *_lines(failure.errors)):
        if left != right and not any(value is None or isinstance(value, bool) for value in (left, right)):
            return _narrowed(Difference(left, right, keys, counts))
    return None


def _narrowed(found: Difference) -> Difference:
    """The one place in which two mappings, or two lists of one length, differ."""
    left, right = found.left, found.right
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        apart = [key for key in left if left[key] != right[key]]
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        apart = [index for index in range(len(left)) if left[index] != right[index]]
    else:
        return found
    if len(apart) != 1:
        return found
    key = apart[0]
    keys = (str(key), *found.keys) if isinstance(key, str) else found.keys
    return _narrowed(Difference(left[key], right[key], keys, found.counts))


def _pairs(lines: Sequence[str]) -> Iterator[tuple[Any, Any]]:
    for line in lines:
        body = re.sub(r"^(?:[\w.]*(?:Error|Exception): )?(?:.*?\bassert |At index \d+ diff: )?", "", line)
        for sign in (" == ", " != "):
            parts = body.split(sign)
            for cut in range(1, len(parts)):
                left, right = literal(sign.join(parts[:cut])), literal(_bare(sign.join(parts[cut:])))
                cut_short = isinstance(left, str) and isinstance(right, str) and "..." in left and "..." in right
                if left is not NotImplemented and right is not NotImplemented and not cut_short:
                    yield left, right
        match = _ABS.search(line)
        if match:
            yield literal(match.group(1)), literal(match.group(2))
        for pattern in _SAID:
            match = pattern.search(line)
            if match:
                actual, expected = _shown(match.group("a")), _shown(match.group("e"))
                yield actual, expected


def _lines(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Two texts that pytest shows below each other, their first mention being cut short."""
    if not any(re.search(r"assert '.* == '", line) for line in lines):
        return
    expected = [line[2:] for line in (entry.strip() for entry in lines) if line.startswith("- ")]
    actual = [line[2:] for line in (entry.strip() for entry in lines) if re.match(r"\+ (?! where)", line)]
    if len(expected) == len(actual) == 1:
        yield actual[0], expected[0]


def _bare(text: str) -> str:
    """A value without the message that unittest puts behind it."""
    return text if literal(text) is not NotImplemented else re.split(r" : | within ", text)[0]


def _shown(text: str) -> Any:
    """A value in the words of a message: a literal, else its first word."""
    text = text.strip().rstrip(".,;)")
    value = literal(text)
    if value is NotImplemented:
        word = re.split(r"[\s,;]", text, maxsplit=1)[0].strip("'\"`")
        number = literal(word)
        return number if number is not NotImplemented else word
    return value


_READERS: Final = (_mode, _path, _key, _subset, _contained, _edge, _pattern, _compared)


def states(environment: Environment, name: str) -> bool:
    """Whether the instruction names something, or its words would let one guess it."""
    said = environment.instruction.casefold()
    name = name.strip().casefold()
    if not name or name in said:
        return True
    parts = [part for part in re.findall(r"[a-z]+", posixpath.splitext(name)[0]) if len(part) > 2]
    return bool(parts) and all(part[:5] in said for part in parts) and not re.search(r"\d", name)


def nearly(environment: Environment, name: str) -> str:
    """The quoted name of the instruction that ``name`` may be a misspelling of: one letter apart, two in a long one."""
    words = re.findall(r"[`\"']([A-Za-z][\w-]{2,40})[`\"']", environment.instruction)
    most = 2 if len(name) > 6 else 1
    return next((word for word in words if word != name and _apart(word, name, most) <= most), "")


def _apart(one: str, other: str, most: int) -> int:
    """How many letters have to be put in, left out or replaced; more than ``most`` where the lengths say so."""
    if abs(len(one) - len(other)) > most or len(other) < 4:
        return most + 1
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, 1):
        last, row[0] = row[0], index
        for at, sign in enumerate(other, 1):
            last, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, last + (letter != sign))
    return row[-1]


def states_value(environment: Environment, value: Any) -> bool:
    """Whether the instruction prints a value that is telling enough not to be there by chance."""
    text = str(value).strip()
    if len(text) < 2 or isinstance(value, bool | list | dict | set | tuple) or value is None:
        return False
    return re.search(rf"(?<![\w.]){re.escape(text)}(?![\w]|\.\d)", environment.instruction) is not None


def unstated(environment: Environment, found: Demand) -> bool:
    """Whether the instruction says nothing of what is demanded."""
    match found:
        case Demand("mode", _):
            return not asks_for_mode(environment)
        case Demand("path" | "directory", path):
            return posixpath.basename(path) not in environment.instruction
        case Demand("option", name):
            return name not in environment.instruction
        case Demand("pattern", _):
            return False
        case Demand(_, name):
            return bool(re.search(r"[^\W\d]{2}", name)) and not states(environment, name)


def described(found: Demand) -> str:
    """A demand in words."""
    match found:
        case Demand("path" | "directory" as what, path):
            return f"a {'file' if what == 'path' else what} at {path}"
        case Demand("mode", mode):
            return f"the file mode {mode}"
        case Demand("option", name):
            return f"the option {name} of its program"
        case Demand(what, name):
            return f"the {what} {name!r}"


def asks_for_mode(environment: Environment) -> bool:
    """Whether the instruction speaks of file modes at all."""
    return _MODES.search(environment.instruction) is not None
