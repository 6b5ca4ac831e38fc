"""The inputs and outputs that an agent can see: in the instruction's text, in sample files, sessions, documentation and
tests of the image.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import sample_files, sessions
from river_envs.probes.base import Survey

MOST = 400
"""Pairs kept."""
_TURNS = (
    r"(?:→|⇒|=>|->|==|gives?|becomes?|returns?|prints?|yields?|outputs?|produces?|evaluates? to|maps? to|turns? into|is"
    r"|should (?:give|become|return|print|yield|output|produce|be)|must (?:give|return|print|be))"
)
_INLINE = re.compile(rf"`([^`\n]{{1,200}})`\s*{_TURNS}\s*(?:`([^`\n]{{1,200}})`|(-?\d+(?:\.\d+)?)\b)")
_ARROW = re.compile(r"^[ \t]*[-*]?[ \t]*(\S.{0,400}?)[ \t]*(?:→|⇒|=>|->)[ \t]*(\S.{0,400}?)[ \t]*$", re.MULTILINE)
_CALL = re.compile(rf"\b(\w+)(\((?:[^()\n]|\([^()\n]*\))*\))`?\s*{_TURNS}\s*`?([^`\n]+?)(?:`|[.;,]?\s*$)", re.MULTILINE)
_SESSION = re.compile(r"^[ \t]*>>> ?(?:print\()?(\w+)(\(.*\))\)?[ \t]*\n[ \t]*([^>\s].*)$", re.MULTILINE)
_ASSERT = re.compile(r"^\s*assert (?:\w+\.)?(\w+)(\((?:[^()\n]|\([^()\n]*\))*\))\s*==\s*(.+?)\s*$", re.MULTILINE)
_SHOWN = re.compile(r"\b(example|examples|sample|samples|e\.g\.|for instance|such as)\b", re.IGNORECASE)
_TELLS = re.compile(r"example|sample|session|usage|demo|case|readme|doc|test|transcript", re.IGNORECASE)
_LABELLED = re.compile(
    r"\b(?:sample |example )?(?:input|stdin)\b[^\n]{0,40}:?\**[ \t]*\n+```\w*\n(.*?)```\s*\n+\**"
    r"(?:sample |example |expected )?(?:output|stdout)\b[^\n]{0,40}\n+```\w*\n(.*?)```",
    re.IGNORECASE | re.DOTALL,
)
_LINES = re.compile(
    r"^[ \t#*>-]*(?:in|input|given|stdin)\b[^:=\n]{0,20}[:=][ \t]*(\S.*)\n"
    r"(?:[ \t#*>-]*(?:out|output|expected|stdout|gives|answer)\b[^:=\n]{0,20}[:=][ \t]*)(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)


def pairs(environment: Environment, survey: Survey) -> dict[str, str]:
    """What a program is given (arguments, then standard input, blanks squeezed) and what it should say, as far as an
    agent can see it.
    """
    found: dict[str, str] = {}
    for given, said in (*_told(environment.instruction), *_seen(survey)):
        key = " ".join(given.split())
        if said.strip() and len(found) < MOST:  # no key: what is said without arguments and input
            found.setdefault(key, said.rstrip("\n"))
    for given, said in _by_line(environment, survey):
        if len(found) < MOST:
            found.setdefault(given, said)
    return found


def values(environment: Environment, survey: Survey | None = None) -> dict[str, dict[str, object]]:
    """Per function name: its arguments, as ``repr`` of a tuple, and its value."""
    found: dict[str, dict[str, object]] = {}
    shown = [*_CALL.findall(environment.instruction), *_SESSION.findall(environment.instruction)]
    for peek in survey.peeks if survey else ():
        shown += [*_SESSION.findall(peek.text), *_ASSERT.findall(peek.text)]
    for name, given, value in shown[:MOST]:
        try:
            arguments = ast.literal_eval(given[:-1] + ",)" if given != "()" else "()")
            found.setdefault(name, {}).setdefault(repr(arguments), ast.literal_eval(value.strip()))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue  # a call with words in it, as in f(x, y)
    return found


def _told(instruction: str) -> Iterator[tuple[str, str]]:
    """Pairs in the text: labelled blocks, console sessions, and, where they are called examples, inline pairs."""
    yield from _LABELLED.findall(instruction)
    for block in text.blocks(instruction):
        for arguments, fed, said in sessions.calls(block.text):
            yield f"{arguments} {fed}", said
    if _SHOWN.search(instruction):
        for given, said, number in _INLINE.findall(instruction):
            yield given, said or number
        for block in text.blocks(instruction):
            yield from _arrows(block.text)


def _arrows(shown: str) -> Iterator[tuple[str, str]]:
    yield from ((given.strip("`'\""), said.strip("`'\"")) for given, said in _ARROW.findall(shown))
    yield from _LINES.findall(shown)


def _seen(survey: Survey) -> Iterator[tuple[str, str]]:
    """What small files of the image show: sessions, files in pairs, lists of cases, lines with arrows."""
    whole = {peek.path: peek.text for peek in survey.peeks if peek.whole}
    for path, content in whole.items():
        for arguments, fed, said in sessions.calls(content, whole):
            yield f"{arguments} {fed}", said
        for given, answer in sample_files.cases(path, content):
            yield sample_files.plain(given), sample_files.plain(answer)
        if _TELLS.search(posixpath.basename(path)):
            yield from _arrows(content)
    yield from sample_files.paired(whole)


def _by_line(environment: Environment, survey: Survey) -> Iterator[tuple[str, str]]:
    """The lines of a shown input with those of its output, where there are as many."""
    whole = {peek.path: peek.text for peek in survey.peeks if peek.whole}
    shown = [block.text for block in text.blocks(environment.instruction)]
    fed = [(fed, said) for one in (*shown, *whole.values()) for arguments, fed, said in sessions.calls(one, whole)
           if not arguments]  # fmt: skip
    for given, said in (*fed, *sample_files.paired(whole)):
        asked, answers = given.rstrip("\n").split("\n"), said.rstrip("\n").split("\n")
        if 1 < len(asked) == len(answers):
            yield from ((" ".join(one.split()), answer) for one, answer in zip(asked, answers, strict=True))
