"""What failures teach: form is learned, expected values never are."""

from __future__ import annotations

import json

import pytest
from probe_support import environment

from river_envs.outcome import Outcome, Status, TestResult
from river_envs.synthesis.amend import amendment, first_failure
from river_envs.synthesis.draft import Source, draft

FIND = "Compute the total and the list of regions from /app/sales.csv; write total, regions and day to /app/out.json."
TESTS = """
import json
def test_it():
    data = json.load(open("/app/out.json"))
    assert data["total"]
    assert data["day"]
    assert isinstance(data["regions"], list)
    assert all(data["regions"])
"""
ORIGIN = Source(("/app/sales.csv",), "/app")


def out(made) -> dict:
    return json.loads(next(file.content for file in made.files if file.path == "app/out.json"))


def learned(failure: str) -> dict:
    """The answer after one failure; ``{total}``, ``{day}`` stand for what was handed in."""
    env = environment(FIND, tests=TESTS)
    first = draft(env, ORIGIN, 1)
    assert not first.why
    shown = {key: value for key, value in out(first).items() if isinstance(value, str | int | float)}
    change = amendment(first.demands, first.fillings, failure.format(**shown))
    return out(draft(env, ORIGIN, 1, [change])) if change else {}


def test_a_missing_key():
    assert "count" in learned("KeyError: 'count'")


def test_a_kind():
    assert isinstance(learned("assert False\n +  where False = isinstance('{day}', int)")["day"], int)


def test_a_date():
    assert learned("ValueError: time data '{day}' does not match format '%Y/%m/%d'")["day"].count("/") == 2


def test_a_number_in_text():
    float(learned("ValueError: could not convert string to float: '{day}'")["day"])


def test_a_pattern():
    failure = "assert None\n +  where None = <function match at 0x7f>('D-\\\\d{{3}}', '{day}')"
    assert learned(failure)["day"].startswith("D-")


def test_a_bound():
    assert learned("assert {total} <= 5")["total"] <= 5


def test_a_length():
    assert len(learned("assert 3 == 6\n +  where 3 = len(['a', 'b', 'c'])")["regions"]) == 6


@pytest.mark.parametrize("failure", ["assert {total} == 42", "assert '{day}' == 'monday'", "boom", ""])
def test_expected_values_are_not_taken_over(failure: str):
    given = learned(failure)
    assert given.get("total") != 42
    assert given.get("day") != "monday"


def test_a_missing_file():
    env = environment(FIND, tests=TESTS)
    first = draft(env, ORIGIN, 1)
    change = amendment(first.demands, first.fillings, "AssertionError: /app/extra/notes.txt does not exist")
    assert change == ("file", "/app/extra/notes.txt", 0, "")
    assert "app/extra/notes.txt" in {file.path for file in draft(env, ORIGIN, 1, [change]).files}


def test_the_first_failure_is_read_from_the_log_else_from_the_tests():
    log = "test_x.py:3: in test_a\nE   KeyError: 'a'\nE   more\n\ntest_x.py:9: in test_b\nE   KeyError: 'b'\n"
    assert first_failure(Outcome(Status.GRADED, 0.0, False, log=log)) == "KeyError: 'a'\nmore"
    tests = (TestResult("a", "passed"), TestResult("b", "failed", "KeyError: 'c'"))
    assert first_failure(Outcome(Status.GRADED, 0.0, False, tests=tests)) == "KeyError: 'c'"
