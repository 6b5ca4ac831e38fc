"""Strings for regular expressions: they match, they are the same everywhere, dangerous patterns are refused."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from river_envs.synthesis.patterns import Unreadable, fixed, matches, matching

PATTERNS = [
    r"^\d{4}-\d{2}-\d{2}$",
    r"[A-Z]+: \d+\.\d{2}",
    r"(?:INFO|WARN|ERROR) [a-z_]+=\d+",
    r"[0-9a-f]{64}",
    r"[^,\s]+,[^,\s]+",
    r"(\w+)=\1",
    r"user\.?name\s*:\s*\S+@\S+",
    r"a{2,3}b?c*",
    r"(?i)total",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_written_matches(pattern: str):
    for seed in range(20):
        assert re.search(pattern, matching(pattern, str(seed)))


def test_seeds_differ_and_hash_seeds_do_not_matter():
    code = "from river_envs.synthesis.patterns import matching; print(matching(r'[^,]+-[0-9a-f]{8}', 'x'))"
    said = {
        subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
                       capture_output=True, text=True, check=True).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert matching(r"[a-z]{8}", "1") != matching(r"[a-z]{8}", "2")


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"((\w+)\s?)*", "(", "x" * 500, r"([a-z]|\d)*(.*b)*"])
def test_dangerous_patterns_are_refused(pattern: str):
    with pytest.raises(Unreadable):
        matching(pattern, "1")
    assert not matches(pattern, "search", "aaaa")


def test_many_wide_repeats_are_not_tried_on_long_texts():
    assert not matches(".*" * 8 + "x", "search", "a" * 200)


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        (r"^Total: \d+$", ("Total: ",)),
        (r"(low|high)", ()),
        (r"answer\s*=\s*42", ("answer", "=", "42")),
        (r"[A-Z]{3}-17\b", ("-17",)),
    ],
)
def test_literal_text_of_a_pattern(pattern: str, pieces: tuple[str, ...]):
    assert fixed(pattern) == pieces
