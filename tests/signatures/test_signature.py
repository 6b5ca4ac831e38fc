"""Signatures: what changes them and what does not, and the promise of winnowing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from river_envs.environment import Environment, File, ImageRecipe, Verifier
from river_envs.signatures.signature import fixture, minhash, signature, words
from river_envs.signatures.trees import digest_of_tests
from river_envs.signatures.winnow import RUN, fingerprints, shared_run

TESTS = b'''"""About."""
def test_it():
    """Say."""
    # a remark
    assert open("/out").read() == "3"
'''


def environment(text="count the lines of /srv/a.log and write the number to /out", tests=TESTS):
    verifier = Verifier("harbor", (File("test.py", tests), File("test.sh", b"pytest /tests/test.py # go\n")), "test.sh")
    return Environment("n", "s", "harbor", text, ImageRecipe("dockerfile", "FROM x"), verifier)


def test_layout_comments_and_docstrings_of_tests_do_not_count():
    other = b"def test_it():\n\n        assert (open('/out')\n          .read() == '3')\n"
    assert digest_of_tests(environment().verifier) == digest_of_tests(environment(tests=other).verifier)
    changed = environment(tests=TESTS.replace(b"3", b"4"))
    assert digest_of_tests(environment().verifier) != digest_of_tests(changed.verifier)


def test_comments_of_shell_do_not_count_and_words_do():
    def shell(text):
        return digest_of_tests(Verifier("harbor", (File("test.sh", text),), "test.sh"))

    assert shell(b"# why\nset -e\n\ncat  a | wc -l # so\n") == shell(b"set -e\ncat a | wc -l\n")
    assert shell(b"cat a") != shell(b"cat b")


def test_what_does_not_parse_counts_by_its_bytes():
    nested = b"x = " + b"(" * 5000 + b")" * 5000
    for content in (b"def (", b"\xff\xfe", b"\0", nested):
        one = environment(tests=content).verifier
        assert digest_of_tests(one) == digest_of_tests(one)


def test_fixture_is_what_the_task_brings():
    assert fixture(ImageRecipe("dockerfile", "FROM x\nRUN apt-get install -y jq 2>/dev/null")) is None
    written = fixture(ImageRecipe("dockerfile", "FROM x\nRUN echo 1 > /srv/a"))
    assert written is not None
    assert written == fixture(ImageRecipe("dockerfile", "FROM x\n# data\nRUN echo  1 > /srv/a"))
    assert fixture(ImageRecipe("dockerfile", "FROM x", (File("Dockerfile", b"FROM x"),))) is None
    one, other = File("a", b"1"), File("b", b"2")
    context = fixture(ImageRecipe("dockerfile", "FROM x", (one, other)))
    assert context == fixture(ImageRecipe("dockerfile", "FROM y", (other, one)))
    assert context != fixture(ImageRecipe("dockerfile", "FROM x", (one,)))


def test_name_and_source_do_not_count():
    one = signature(environment())
    assert signature(Environment(**{**vars(environment()), "name": "other"})) == one
    assert len(one.minhash) == 512
    assert len(one.sketch) == 256


def jaccard(one, other):
    a, b = (np.frombuffer(minhash(words(text)), "<u4") for text in (one, other))
    return float((a == b).mean())


def test_minhash_estimates_jaccard():
    base = [f"word{n}" for n in range(400)]
    half = [*base[:200], *(f"other{n}" for n in range(200))]
    grams = [{tuple(text[at : at + 8]) for at in range(len(text) - 7)} for text in (base, half)]
    true = len(grams[0] & grams[1]) / len(grams[0] | grams[1])
    assert abs(jaccard(" ".join(base), " ".join(half)) - true) < 0.15
    assert jaccard("Count the LINES, now", "count the lines now!") == 1.0
    assert jaccard("", "") == 1.0


def test_sketches_of_like_tasks_are_near():
    def sketch(text):
        row = np.frombuffer(signature(environment(text)).sketch, np.int8).astype(float)
        return row / np.linalg.norm(row)

    venv = sketch("make a python venv at /srv/venv and pin flask and gunicorn in requirements")
    other = sketch("a fresh python venv with flask and gunicorn pinned in requirements please")
    backup = sketch("rsync the backup of the database to the archive and verify checksums")
    assert venv @ other > 0.4
    assert venv @ other > venv @ backup + 0.2


texts = st.lists(st.sampled_from([f"w{n}" for n in range(200)]), min_size=0, max_size=60)


@given(texts, texts, texts, st.lists(st.sampled_from([f"p{n}" for n in range(50)]), min_size=RUN, max_size=20))
def test_a_shared_run_shares_a_fingerprint(before, after, other, passage):
    one, two = [*before, *passage], [*other, *passage, *after]
    assert set(fingerprints(one)) & set(fingerprints(two))
    assert shared_run(one, two) is not None


@given(texts)
def test_too_short_for_a_run(text):
    assert (fingerprints(text) == ()) == (len(text) < RUN)
