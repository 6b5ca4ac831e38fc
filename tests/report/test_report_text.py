import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from river_envs.report.text import excerpt, one_line, percent, percent_below, plural, visible

HIDDEN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}


@given(st.text(st.characters()))
def test_nothing_that_acts_gets_through(text):
    shown = visible(text)
    shown.encode()
    assert {unicodedata.category(character) for character in shown if character not in "\n\t"} & HIDDEN == set()
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_what_acts_is_written_out():
    assert visible("a\x1b[31mb\r\nc\u202ed\ud800\x9b") == "a\\x1b[31mb\nc\\u202ed\\ud800\\x9b"
    assert visible("naïve 漢字 🙂\t") == "naïve 漢字 🙂\t"
    assert visible("\U000e0041") == "\\U000e0041"


@given(st.text(), st.integers(2, 50))
def test_one_line_is_one_line(text, limit):
    line = one_line(text, limit)
    assert len(line.splitlines()) <= 1
    assert len(line) <= limit


def test_excerpt_says_what_it_cut():
    assert excerpt("short") == "short"
    cut = excerpt("a" * 5000 + "b" * 5000, 100)
    assert cut.startswith("a" * 50)
    assert cut.endswith("b" * 50)
    assert "9,900 characters left out" in cut


def test_numbers():
    assert percent(1, 3) == "33.3 %"
    assert percent(0, 0) == percent_below(0, 0) == "–"
    assert percent_below(4500, 15002) == "29.99 %"
    assert plural(1, "environment") == "1 environment"
    assert plural(1234, "environment") == "1,234 environments"
