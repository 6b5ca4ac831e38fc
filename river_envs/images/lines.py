"""A Dockerfile's text cut into instructions: continuations joined, comments dropped, heredocs collected.

BuildKit's order of things matters and is kept: comment lines and empty lines inside a continuation vanish; heredocs are
looked for only in RUN, COPY and ADD, after the continuation is joined; ``# escape=`` counts only before anything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from river_envs.images.recipe import RecipeError
from river_envs.images.words import split_words, unquote

_DIRECTIVE = re.compile(r"^#\s*([A-Za-z][A-Za-z0-9]*)\s*=\s*(\S.*?)\s*$")
_HEREDOC = re.compile(r"^(\d*)<<(-?)\s*([^<\s][^<]*)$")
_FIRST_WORD = re.compile(r"(\S+)\s*(.*)", re.DOTALL)
_WITH_HEREDOC = frozenset({"RUN", "COPY", "ADD"})


@dataclass(frozen=True)
class Heredoc:
    """A here document: ``raw`` is the delimiter as written, ``strip`` whether leading tabs are removed (``<<-``)."""

    name: str
    raw: str
    content: str
    expand: bool
    strip: bool

    @property
    def text(self) -> str:
        """The content, without the leading tabs that ``<<-`` drops."""
        return re.sub(r"^\t+", "", self.content, flags=re.MULTILINE) if self.strip else self.content


@dataclass(frozen=True)
class Instruction:
    """One instruction: its upper-case name, its flags, the rest of its line, its heredocs.

    ``line`` is the number of its first line, ``end`` that of its last (counted from 1).
    """

    name: str
    flags: tuple[tuple[str, str], ...]
    rest: str
    heredocs: tuple[Heredoc, ...]
    line: int
    end: int


def parse_heredoc(word: str) -> tuple[str, str, bool, bool] | None:
    """(name, raw, expand, strip) when ``word`` opens a here document; white space may follow the ``<<``."""
    match = _HEREDOC.match(word)
    if not match:
        return None
    raw = match.group(3)
    if len(split_words(raw)) != 1:
        return None
    name = unquote(raw)
    quoted = any(quote in re.sub(r"\\.", "", raw) for quote in "'\"")
    return (name, raw, not quoted, match.group(2) == "-") if name else None


def read_instructions(text: str) -> tuple[list[Instruction], str]:
    """All instructions of ``text`` and the escape character. Raises RecipeError for an unterminated heredoc."""
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    escape = _escape(lines)
    instructions: list[Instruction] = []
    position = 0
    while position < len(lines):
        start = position
        line, position = _logical_line(lines, position, escape)
        if not line:
            continue
        name, rest = _FIRST_WORD.match(line).groups()  # type: ignore[union-attr]  # the line is not empty
        name = name.upper()
        heredocs: list[Heredoc] = []
        if name in _WITH_HEREDOC and not rest.lstrip().startswith("["):
            heredocs, position = _heredocs(rest, lines, position, escape, start + 1)
        flags, rest = _flags(rest.strip())
        instructions.append(Instruction(name, flags, rest, tuple(heredocs), start + 1, position))
    return instructions, escape


def _escape(lines: list[str]) -> str:
    """The escape character that a directive at the very top may change."""
    seen: set[str] = set()
    for line in lines:
        match = _DIRECTIVE.match(line.strip())
        if not match:
            break
        key = match.group(1).lower()
        if key in seen:
            raise RecipeError(f"only one {key} directive can be used")
        seen.add(key)
        if key == "escape":
            if match.group(2) not in ("\\", "`"):
                raise RecipeError(f"invalid escape directive {match.group(2)!r}: must be \\ or `")
            return match.group(2)
    return "\\"


def _logical_line(lines: list[str], position: int, escape: str) -> tuple[str, int]:
    """The joined line that starts at ``position`` (empty for a comment or blank line), and the next position."""
    pieces: list[str] = []
    continuation = re.compile(re.escape(escape) + r"[ \t]*$")
    while position < len(lines):
        line = lines[position]
        position += 1
        stripped = line.strip()
        if stripped.startswith("#") or not stripped:
            if pieces:
                continue
            return "", position
        if not pieces:
            line = line.lstrip()
        match = continuation.search(line)
        if not match:
            pieces.append(line)
            break
        pieces.append(line[: match.start()])
    return "".join(pieces).strip(), position


def _heredocs(rest: str, lines: list[str], position: int, escape: str, number: int) -> tuple[list[Heredoc], int]:
    found: list[Heredoc] = []
    for word in split_words(rest, escape):
        opened = parse_heredoc(word)
        if not opened:
            continue
        name, raw, expand, strip = opened
        body: list[str] = []
        while True:
            if position >= len(lines):
                raise RecipeError(f"line {number}: the heredoc {name!r} never ends")
            line = lines[position]
            position += 1
            if (line.lstrip("\t") if strip else line) == name:
                break
            body.append(line + "\n")
        found.append(Heredoc(name, raw, "".join(body), expand, strip))
    return found, position


def _flags(rest: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """The ``--name=value`` words at the start of ``rest``, and what follows them."""
    flags: list[tuple[str, str]] = []
    while match := re.match(r"--([A-Za-z][A-Za-z0-9-]*)(?:=(\S*))?(?:\s+|$)", rest):
        flags.append((match.group(1).lower(), match.group(2) or ""))
        rest = rest[match.end() :]
    if rest.startswith("-- "):
        rest = rest[3:].lstrip()
    return tuple(flags), rest
