"""Splitting and expanding words by BuildKit's rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_envs.images.recipe import RecipeError
from river_envs.images.words import UnsupportedExpansion, check, expand, expand_text, split_words

VALUES = {"A": "one", "EMPTY": "", "B": "two words"}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("plain", "plain"),
        ("$A", "one"),
        ("${A}x", "onex"),
        ("$Ax", ""),
        ("$B", "two words"),
        ("'$A'", "$A"),
        ('"$A"', "one"),
        (r"\$A", "$A"),
        (r'"\$A \" \n"', r'$A " \n'),
        ("${NONE:-fallback}", "fallback"),
        ("${EMPTY:-fallback}", "fallback"),
        ("${EMPTY-fallback}", ""),
        ("${A:+yes}", "yes"),
        ("${NONE:+yes}", ""),
        ("${EMPTY+yes}", "yes"),
        ("${NONE:-${A}}", "one"),
        ("${NONE:-'a}b'}", "a}b"),
        ("$", "$"),
        ("a$ b", "a$ b"),
        ("$1", ""),
        ("100%", "100%"),
        ("tail\\", "tail"),
        ('a"b"c', "abc"),
    ],
)
def test_expand(word, expected):
    assert expand(word, VALUES) == expected


@pytest.mark.parametrize("word", ["'open", '"open', "${A", "${", "${A!x}", "${A:-x", "${NONE:?gone}"])
def test_broken_words_are_the_recipes_fault(word):
    with pytest.raises(RecipeError):
        expand(word, VALUES)


def test_nesting_has_an_end():
    with pytest.raises(RecipeError, match="inside one another"):
        expand("${A:+" * 3000, VALUES)


def test_a_required_value_is_no_syntax_error():
    check("${NONE:?gone}")


def test_patterns_are_named_not_guessed():
    with pytest.raises(UnsupportedExpansion, match="A#"):
        expand("${A#o}", VALUES)


def test_escape_character_can_be_a_backtick():
    assert expand(r"C:\dir`$A", VALUES, "`") == r"C:\dir$A"


def test_heredoc_text_keeps_quotes_and_backslashes():
    assert expand_text("it's \"$A\" \\$A \\n ${NONE:-x}\n", VALUES) == "it's \"one\" $A \\n x\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a b  c", ["a", "b", "c"]),
        ('a="b c" d', ['a="b c"', "d"]),
        ("a='x y'z w", ["a='x y'z", "w"]),
        (r"a\ b c", [r"a\ b", "c"]),
        ("cat << EOF > f", ["cat", "<< EOF", ">", "f"]),
        ("<<-EOF x", ["<<-EOF", "x"]),
        ("<<<here x", ["<<<here", "x"]),
        ('"a\\" b" c', ['"a\\" b"', "c"]),
        ("", []),
    ],
)
def test_split(line, words):
    assert split_words(line) == words


@given(st.lists(st.text(st.characters(codec="ascii", exclude_categories=("Cc", "Zs"), exclude_characters="'\"\\<"),
                        min_size=1)))
def test_splitting_is_the_inverse_of_joining(words):
    assert split_words(" ".join(words)) == words


@given(st.text(max_size=60))
def test_no_text_breaks_the_tokenizer(text):
    split_words(text)
    try:
        expand(text, VALUES)
    except RecipeError:
        return


@given(st.text(st.characters(exclude_characters="\\$'\"")))
def test_text_without_magic_stays_as_it_is(text):
    assert expand(text, {}) == text
    assert expand(f"'{text}'", {}) == text
