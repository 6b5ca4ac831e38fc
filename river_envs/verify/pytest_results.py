"""What pytest reported: from its terminal output, or from its JUnit XML.

Both are written by the code under test: evidence for people and probes, never the verdict. A file that is absent
means "no per-test data", not a pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from xml.etree.ElementTree import Element, ParseError

from river_envs.outcome import TestResult
from river_envs.verify.log import line, plain

MAX_TESTS = 5_000
MAX_XML_BYTES = 4 << 20
MESSAGE_CHARACTERS = 1_000
MAX_BLOCKS = 50

_OUTCOMES = {
    "PASSED": "passed", "FAILED": "failed", "ERROR": "error", "SKIPPED": "skipped", "XFAIL": "xfailed",
    "XPASS": "passed",
}
SESSION_START = re.compile(r"^(?:=+ test session starts =+$|collecting \.\.\.|collected \d+ items?)", re.MULTILINE)
_SESSION = re.compile(r"^=+ test session starts =+$", re.MULTILINE)
_COLLECTED = re.compile(r"^(?:collecting .*)?collected (\d+) items?", re.MULTILINE)
_COUNTS = re.compile(
    r"^(?:=+ )?((?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?|rerun)(?:, )?)+"
    r"|no tests ran) in [\d.]+s", re.MULTILINE,
)
_COUNT = re.compile(r"(\d+) (passed|failed|error|skipped|xfailed|xpassed)")
_SUMMARY_HEAD = re.compile(r"^=+ short test summary info =+$", re.MULTILINE)
_SUMMARY_LINE = re.compile(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS) (\S.*?)(?: - (.*))?$")
_VERBOSE_END = re.compile(r" (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \([^()]*\))?(?:\s+\[\s*\d+%\])?$")
_BLOCK_END = re.compile(r"^(?:_{5,} .* _{5,}|=+ .* =+)$", re.MULTILINE)
_COLLECTION_ERROR = re.compile(r"^_+ ERROR collecting (\S+) _+$", re.MULTILINE)


@dataclass(frozen=True)
class PytestReport:
    """What the terminal output says. ``started``: a session began; ``counts`` is empty when it did not end."""

    started: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    tests: tuple[TestResult, ...] = ()
    collected: int | None = None
    collection_errors: tuple[str, ...] = ()
    ended: bool = False

    @property
    def ran(self) -> int:
        """How many tests were run."""
        return sum(self.counts.get(name, 0) for name in ("passed", "failed", "xfailed", "xpassed"))


def read_terminal(text: str) -> PytestReport:
    """What pytest's terminal output in ``text`` says; the counts of several sessions are added up."""
    text = plain(text)
    endings = list(_COUNTS.finditer(text))
    collected = _COLLECTED.search(text)
    counts: dict[str, int] = {}
    for ending in endings:
        for number, name in _COUNT.findall(ending.group(1)):
            counts[name] = counts.get(name, 0) + int(number)
    return PytestReport(
        started=bool(_SESSION.search(text) or collected or endings),
        counts=counts,
        tests=_tests(text),
        collected=int(collected.group(1)) if collected else None,
        collection_errors=tuple(_collection_errors(text)),
        ended=bool(endings),
    )


def summary_lines(text: str) -> list[tuple[str, str]] | None:
    """(status, rest) for each line after the first "short test summary info"; None where there is no such header."""
    found = _SUMMARY_HEAD.search(plain(text))
    if found is None:
        return None
    lines = plain(text)[found.end():].splitlines()
    pairs = (entry.split(maxsplit=1) for entry in lines)
    return [(pair[0].rstrip(":"), pair[1]) for pair in pairs if len(pair) == 2 and pair[0].rstrip(":") in _OUTCOMES]


def _tests(text: str) -> tuple[TestResult, ...]:
    """Per-test results: the verbose lines in order, refined by the short summary, which has the messages."""
    found: dict[str, TestResult] = {}
    in_summary = False
    for entry in text.splitlines():
        if _SUMMARY_HEAD.match(entry):
            in_summary = True
        if in_summary and (match := _SUMMARY_LINE.match(entry)):
            status, name, message = match.group(1), match.group(2), match.group(3) or ""
        elif "::" in entry and (match := _VERBOSE_END.search(entry)) and not entry.startswith(" "):
            name, status, message = entry[: match.start()], match.group(1), ""
        else:
            continue
        if name in found or len(found) < MAX_TESTS:
            found[name] = TestResult(name[:500], _OUTCOMES[status], message[:MESSAGE_CHARACTERS])
    return tuple(found.values())


def _collection_errors(text: str) -> Iterable[str]:
    """The text of each "ERROR collecting" block, up to ``MAX_BLOCKS``."""
    for start in islice(_COLLECTION_ERROR.finditer(text), MAX_BLOCKS):
        end = _BLOCK_END.search(text, start.end())
        yield text[start.start(): end.start() if end else len(text)]


def read_junit(content: bytes) -> tuple[TestResult, ...]:
    """The test cases of a JUnit XML file; empty for anything that is not one (hostile XML included)."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    if not content or len(content) > MAX_XML_BYTES:
        return ()
    try:
        root = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, RecursionError):
        return ()
    return tuple(_case(case) for case, _ in zip(root.iter("testcase"), range(MAX_TESTS), strict=False))


def _node_id(classname: str, name: str) -> str:
    """pytest's own name of a test case: ``folder/test_file.py::TestClass::test_name``."""
    if not classname or not name:
        return name or classname
    parts = classname.split(".")
    first_class = next((index for index, part in enumerate(parts) if index and part[:1].isupper()), len(parts))
    return "::".join([f"{'/'.join(parts[:first_class])}.py", *parts[first_class:], name])


def _case(case: Element) -> TestResult:
    """One test case of a JUnit file."""
    full = _node_id(case.get("classname", ""), case.get("name", ""))
    for child in case:
        message = line(child.get("message", ""), MESSAGE_CHARACTERS)
        if child.tag == "failure":
            return TestResult(full[:500], "failed", message)
        if child.tag == "error":
            return TestResult(full[:500], "error", message)
        if child.tag == "skipped":
            return TestResult(full[:500], "xfailed" if child.get("type") == "pytest.xfail" else "skipped", message)
    return TestResult(full[:500], "passed")
