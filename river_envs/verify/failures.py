"""What the failing tests of one grading say: the test, where it broke, the statement, and the words of the error.

Read from the verifier's log (pytest's tracebacks, long and short) and from the per-test messages. A log is written by
code under test: what is read here directs attempts and explains a refusal that was executed; it is never the refusal.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from river_envs.outcome import Outcome, TestResult
from river_envs.verify.log import plain

Phase = Literal["setup", "call", "script"]

_HEAD: Final = re.compile(r"^_{3,} (ERROR at setup of |ERROR at teardown of |ERROR collecting )?(\S.*?) _{3,}$")
_END: Final = re.compile(r"^={3,} .* ={3,}$")
_ERROR: Final = re.compile(r"^E\s{1,7}(.*)$")
_CODE: Final = re.compile(r"^>\s+(\S.*)$")
_COMPLAINT: Final = re.compile(
    r"\b(?:FAIL(?:ED)?|not ok|expected|mismatch|refused|missing|assert\w*|\w+(?:Error|Exception))\b", re.IGNORECASE
)
_TRACEBACK: Final = "Traceback (most recent call last):\n"
_CHAINED: Final = re.compile(r"(?:During handling of the above exception|was the direct cause of).*\n\s*$")
_MOST: Final = 200
_BLOCK: Final = 20_000


@dataclass(frozen=True)
class Failure:
    """One failing test. ``errors`` are the lines of its error, ``statement`` the code that raised it, ``text`` the
    whole section of the log; ``phase`` is ``script`` where no test has a name.
    """

    test: str
    phase: Phase
    errors: tuple[str, ...]
    statement: str = ""
    text: str = ""

    @property
    def words(self) -> str:
        """The lines of the error as one text."""
        return "\n".join(self.errors)


def failures(outcome: Outcome) -> tuple[Failure, ...]:
    """The failing tests of one grading, in the order of the report; for a verifier that names no tests its last
    complaints as one.
    """
    return reported(outcome.log, outcome.tests) or (() if outcome.tests else _script(outcome))


def reported(log: str, tests: Sequence[TestResult]) -> tuple[Failure, ...]:
    """The failing tests among ``tests``, with what pytest's report in ``log`` says of them; without ``tests`` all
    that it reports.
    """
    failed = [test for test in tests if test.outcome in {"failed", "error"}][:_MOST]
    found = _sections(plain(log))
    if not failed:
        return () if tests else tuple(failure for _, failure in found)
    left = list(found)
    told = []
    for test in failed:
        name = re.split(r"::", test.name)[-1]
        match = next((pair for pair in left if _same(pair[0], name, test.name)), None)
        if match:
            left.remove(match)
        told.append(_joined(test, match[1] if match else None))
    return tuple(told)


def _same(title: str, name: str, full: str) -> bool:
    return title == name or title.endswith("." + name) or full.endswith(title) or title in full.split("::")[0]


def _joined(test: TestResult, section: Failure | None) -> Failure:
    """A test of the report with its section of the log."""
    if section is not None and section.errors:
        return Failure(test.name, section.phase, section.errors, section.statement, section.text)
    phase: Phase = "setup" if test.outcome == "error" else "call"
    return Failure(test.name, phase, (test.message,) if test.message else (), "", test.message)


def _sections(text: str) -> list[tuple[str, Failure]]:
    """The sections of pytest's report: title and what it says."""
    found: list[tuple[str, Failure]] = []
    title, phase, lines = "", "call", list[str]()
    for line in [*text.splitlines(), "=== end ==="]:
        head = _HEAD.match(line)
        if not head and not (_END.match(line) and title):
            lines.append(line)
            continue
        if title and len(found) < _MOST:
            found.append((title, _section(title, "setup" if phase == "setup" else "call", lines)))
        title, phase, lines = "", "call", []
        if head and "teardown" not in (head.group(1) or ""):
            title, phase = head.group(2), "setup" if head.group(1) else "call"
    return found


def _section(title: str, phase: Phase, lines: Sequence[str]) -> Failure:
    errors: list[str] = []
    statement = ""
    for number, line in enumerate(lines):
        if match := _ERROR.match(line):
            before = lines[number - 1] if number else ""
            if not _ERROR.match(before):  # the last error of a chain is the one that the test ended with
                errors = []
                code = next((m for back in reversed(lines[:number]) if (m := _CODE.match(back))), None)
                statement = before.strip() if before[:4] == "    " and not _CODE.match(before) else ""
                statement = code.group(1) if code else statement
            errors.append(match.group(1).rstrip())
    return Failure(title, phase, tuple(errors[:60]), statement, "\n".join(lines)[-_BLOCK:])


def _script(outcome: Outcome) -> tuple[Failure, ...]:
    """What a script that names no tests complains of: its tracebacks, one failure for each, else its last words."""
    log = plain(outcome.log)
    if found := tracebacks(log):
        return tuple(found[:_MOST])
    lines = [line.strip() for line in log.splitlines() if _COMPLAINT.search(line)][-12:]
    return (Failure("", "script", tuple(lines), "", "\n".join(lines)),) if lines else ()


def tracebacks(log: str) -> list[Failure]:
    """The tracebacks of Python in a log; of a chain the one that it ended with."""
    found: list[Failure] = []
    before, *blocks = log.split(_TRACEBACK)
    for block in blocks:
        lines = block.splitlines()
        end = next((n for n, line in enumerate(lines) if line.strip() and not line.startswith(" ")), len(lines))
        last = next((n for n in range(end, len(lines)) if not lines[n].strip()), len(lines))
        errors = tuple(line.rstrip() for line in lines[end:last][:60])
        code = next((n for n in reversed(range(end)) if lines[n].lstrip().startswith("File ")), None)
        statement = lines[code + 1].strip() if code is not None and code + 1 < end else ""
        if _CHAINED.search(before) and found:
            found.pop()
        found.append(Failure("", "script", errors, statement, "\n".join(lines[:last])[-_BLOCK:]))
        before = block
    return [failure for failure in found if failure.errors]


def passed_tests(outcome: Outcome) -> int:
    """How many tests passed in one grading."""
    return sum(test.outcome == "passed" for test in outcome.tests)


def same_each_time(outcomes: Sequence[Outcome]) -> bool:
    """Whether every grading failed in the same tests: else nothing can be said of the reason."""
    return len({tuple(sorted(failure.test for failure in failures(outcome))) for outcome in outcomes}) == 1


def literal(text: str) -> Any:
    """The value that a piece of a message shows; ``NotImplemented`` where it is none that can be read."""
    text = text.strip().rstrip(".")
    wrapped = re.fullmatch(r"(?:np\.\w+|numpy\.\w+|Decimal|approx|PosixPath|Path)\((.*)\)", text)
    text = wrapped.group(1) if wrapped else text
    text = re.sub(r"^approx\((.*)\)$|\s*±\s*\S+$", r"\1", text).strip()
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return NotImplemented
