"""Words of a Dockerfile: splitting them, and expanding variables in them, by BuildKit's rules.

The rules differ from a shell's: there is no command substitution and no globbing; a single quote protects everything up
to the next one; inside double quotes the escape character protects only ``"``, ``$`` and itself; an unset variable is
empty.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping

from river_envs.images.recipe import RecipeError

_NAME = frozenset(string.ascii_letters + string.digits + "_")
_HEREDOC_START = re.compile(r"^\d*<<-?\s*$")
MAX_DEPTH = 50
_PATTERNS = frozenset("#%/")


class UnsupportedExpansion(RecipeError):
    """An expansion that newer Docker versions know and the built-in builder does not (``${NAME#pattern}``)."""


def split_words(line: str, escape: str = "\\") -> list[str]:
    """``line`` cut at white space outside quotes; quotes and escapes are kept in the words."""
    words: list[str] = []
    word: list[str] = []
    quote = ""
    position = 0
    while position < len(line):
        char = line[position]
        if char == escape and quote != "'" and position + 1 < len(line):
            word.append(line[position : position + 2])
            position += 2
            continue
        if quote:
            quote = "" if char == quote else quote
            word.append(char)
        elif char in "'\"":
            quote = char
            word.append(char)
        elif char.isspace():
            if word and _HEREDOC_START.match("".join(word)):
                word.append(char)  # "<< EOF" is one word
            elif word:
                words.append("".join(word))
                word = []
        else:
            word.append(char)
        position += 1
    if word:
        words.append("".join(word))
    return words


def expand(word: str, values: Mapping[str, str], escape: str = "\\") -> str:
    """``word`` with variables replaced and quotes removed. Raises RecipeError for an unclosed quote or brace."""
    return _Expander(word, values, escape).word()


def unquote(word: str) -> str:
    """``word`` without quotes and escapes; dollar signs are plain characters."""
    return _Expander(word, {}, "\\").word(dollars=False)


def expand_text(text: str, values: Mapping[str, str]) -> str:
    """A heredoc's text with variables replaced: quotes stay, ``\\$`` is a dollar sign."""
    return _Expander(text, values, "\\").text()


class _Expander:
    """A cursor over one word."""

    def __init__(self, word: str, values: Mapping[str, str], escape: str) -> None:
        self.source = word
        self.values = values
        self.escape = escape
        self.position = 0
        self.depth = 0

    def word(self, stop: str = "", *, dollars: bool = True) -> str:
        """Everything up to ``stop`` (or the end), unquoted and expanded."""
        out: list[str] = []
        while (char := self.peek()) and char != stop:
            if char == "'":
                out.append(self.single())
            elif char == '"':
                out.append(self.double())
            elif char == "$" and dollars:
                out.append(self.dollar())
            elif char == self.escape:
                self.position += 1
                out.append(self.take())  # an escape at the very end escapes nothing
            else:
                out.append(self.take())
        return "".join(out)

    def text(self) -> str:
        out: list[str] = []
        while char := self.peek():
            if char == "\\" and self.source[self.position + 1 : self.position + 2] == "$":
                self.position += 2
                out.append("$")
            elif char == "$":
                out.append(self.dollar())
            else:
                out.append(self.take())
        return "".join(out)

    def peek(self) -> str:
        return self.source[self.position : self.position + 1]

    def take(self) -> str:
        char = self.peek()
        self.position += len(char)
        return char

    def single(self) -> str:
        end = self.source.find("'", self.position + 1)
        if end < 0:
            raise RecipeError(f"unclosed single quote in {self.source!r}")
        inner = self.source[self.position + 1 : end]
        self.position = end + 1
        return inner

    def double(self) -> str:
        self.position += 1
        out: list[str] = []
        while (char := self.peek()) != '"':
            if not char:
                raise RecipeError(f"unclosed double quote in {self.source!r}")
            if char == "$":
                out.append(self.dollar())
            elif char == self.escape:
                self.position += 1
                escaped = self.take()
                out.append(escaped if escaped in ('"', "$", self.escape) else char + escaped)
            else:
                out.append(self.take())
        self.position += 1
        return "".join(out)

    def name(self) -> str:
        start = self.position
        while self.peek() in _NAME:
            self.position += 1
        return self.source[start : self.position]

    def dollar(self) -> str:
        self.position += 1
        if self.peek() != "{":
            name = self.name()
            return self.values.get(name, "") if name else "$"
        self.position += 1
        name = self.name()
        if not name:
            raise RecipeError(f"bad substitution in {self.source!r}: a name must follow '${{'")
        return self.braced(name)

    def braced(self, name: str) -> str:
        """What follows ``${NAME``: a modifier and its word, then the closing brace."""
        value = self.values.get(name)
        operator = self.take()
        if operator == "}":
            return value or ""
        if operator in _PATTERNS:
            raise UnsupportedExpansion(f"${{{name}{operator}...}} in {self.source!r}")
        present = value is not None
        if operator == ":":
            present = bool(value)
            operator = self.take()
        if not operator or operator not in "-+?":
            raise RecipeError(f"bad substitution of {name} in {self.source!r}")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RecipeError(f"more than {MAX_DEPTH} substitutions inside one another")
        alternative = self.word("}")
        self.depth -= 1
        if self.take() != "}":
            raise RecipeError(f"unclosed '${{' in {self.source!r}")
        if operator == "+":
            return alternative if present else ""
        if not present and operator == "?":
            if self.values.get("\0checking"):
                return ""
            raise RecipeError(f"{name}: {alternative or 'not set'}")
        return (value or "") if present else alternative


def check(word: str, escape: str = "\\") -> None:
    """Raise RecipeError when ``word`` could not be expanded, whatever the variables are."""
    expand(word, {"\0checking": "yes"}, escape)
