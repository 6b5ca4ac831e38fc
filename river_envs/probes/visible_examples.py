"""The inputs and outputs that an agent can see: pairs in the instruction's text, and sample files in the image."""

from __future__ import annotations

import ast
import json
import posixpath
import re
from collections.abc import Iterator

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes.base import Survey

MOST = 200  # pairs kept
_TURNS = (
    r"(?:→|⇒|=>|->|==|gives?|becomes?|returns?|prints?|yields?|outputs?|produces?|evaluates? to|maps? to|turns? into|is"
    r"|should (?:give|become|return|print|yield|output|produce|be)|must (?:give|return|print|be))"
)
_INLINE = re.compile(rf"`([^`\n]{{1,200}})`\s*{_TURNS}\s*(?:`([^`\n]{{1,200}})`|(-?\d+(?:\.\d+)?)\b)")
_ARROW = re.compile(r"^[ \t]*[-*]?[ \t]*(\S.{0,200}?)[ \t]*(?:→|⇒|=>|->)[ \t]*(\S.{0,200}?)[ \t]*$", re.MULTILINE)
_CALL = re.compile(rf"\b(\w+)(\((?:[^()\n]|\([^()\n]*\))*\))`?\s*{_TURNS}\s*`?([^`\n]+?)(?:`|[.;,]?\s*$)", re.MULTILINE)
_SESSION = re.compile(r"^>>> ?(?:print\()?(\w+)(\(.*\))\)?[ \t]*\n([^>\n].*)$", re.MULTILINE)
_SHOWN = re.compile(r"\b(example|examples|sample|samples|e\.g\.|for instance|such as)\b", re.IGNORECASE)
_LABELLED = re.compile(
    r"\b(?:sample |example )?(?:input|stdin)\b[^\n]{0,40}:?\**[ \t]*\n+```\w*\n(.*?)```\s*\n+\**"
    r"(?:sample |example |expected )?(?:output|stdout)\b[^\n]{0,40}\n+```\w*\n(.*?)```",
    re.IGNORECASE | re.DOTALL,
)
_IN = re.compile(r"(^|[._-])(in|input|given|stdin|case)(?=\d*[._-]|\d*$)", re.IGNORECASE)
_OUT = ("out", "output", "expected", "stdout", "ans", "answer", "result")


def pairs(environment: Environment, survey: Survey) -> dict[str, str]:
    """What a program is given (blanks squeezed) and what it should say, as far as an agent can see it."""
    found: dict[str, str] = {}
    for given, said in (*_told(environment.instruction), *_sampled(survey)):
        key = " ".join(given.split())
        if key and said.strip() and len(found) < MOST:
            found.setdefault(key, said.rstrip("\n"))
    return found


def values(environment: Environment) -> dict[str, dict[str, object]]:
    """Per function name: its arguments, as ``repr`` of a tuple, and its value."""
    found: dict[str, dict[str, object]] = {}
    calls = [*_CALL.findall(environment.instruction), *_SESSION.findall(environment.instruction)]
    for name, given, value in calls[:MOST]:
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
        yield from _console(block.text)
    if _SHOWN.search(instruction):
        for given, said, number in _INLINE.findall(instruction):
            yield given, said or number
        for block in text.blocks(instruction):
            yield from ((given.strip("`'\""), said.strip("`'\"")) for given, said in _ARROW.findall(block.text))


def _console(block: str) -> Iterator[tuple[str, str]]:
    """``$ command arguments`` and the lines after it."""
    for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, said = piece.partition("\n")
        if not said.strip():
            continue
        fed = re.match(r"(?:echo|printf)(?: -\w+)? (.*?)\s*\|", command)
        words = command.split()
        start = next((index for index, word in enumerate(words) if "/" in word or "." in word), 0)
        given = fed.group(1) if fed else " ".join(words[start + 1 :])
        yield given.replace("'", "").replace('"', "").replace("\\n", "\n"), said


def _sampled(survey: Survey) -> Iterator[tuple[str, str]]:
    """Files in pairs such as 1.in and 1.out or input_a.txt and expected_a.txt, and lists of cases in JSON."""
    whole = {peek.path: peek.text for peek in survey.peeks if peek.whole}
    for path, content in whole.items():
        name, folder = posixpath.basename(path), posixpath.dirname(path)
        if _IN.search(name):
            for word in _OUT:
                other = posixpath.join(folder, _IN.sub(lambda match, word=word: match.group(1) + word, name, count=1))  # type: ignore[misc]
                if other != path and other in whole:
                    yield content, whole[other]
        if path.endswith(".json"):
            yield from _cases(content)


def _cases(content: str) -> Iterator[tuple[str, str]]:
    try:
        cases = json.loads(content)
    except (ValueError, RecursionError):
        return
    cases = cases.get("cases", cases.get("examples")) if isinstance(cases, dict) else cases
    for case in cases if isinstance(cases, list) else ():
        if not isinstance(case, dict):
            return
        given = next((case[key] for key in ("input", "in", "given", "stdin", "args") if key in case), None)
        said = next((case[key] for key in ("output", "out", "expected", "stdout", "answer") if key in case), None)
        if given is not None and said is not None:
            yield _plain(given), _plain(said)


def _plain(value: object) -> str:
    if isinstance(value, list):
        return " ".join(_plain(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value)
