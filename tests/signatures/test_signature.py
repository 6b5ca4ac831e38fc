"""What signatures must see, and what they must not."""

import ast
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_envs.environment import Environment, File, ImageRecipe, Verifier
from river_envs.signatures import VERSION, signature
from river_envs.signatures.base import RENSA_ALGORITHM
from river_envs.signatures.fixture import fixture_digest
from river_envs.signatures.trees import python_tree, shell_tree, trees_digest
from river_envs.signatures.words import SHARED_WORDS, hashed, minhashes, winnowed, words

TEST = b"def test_total():\n    assert open('/app/total.txt').read() == '42'\n"
FILES = (File("test_state.py", TEST),)
TOPICS = {
    "networks": "Configure the nginx reverse proxy so that requests for the api subdomain reach the upstream server "
                "and terminate TLS with the certificate stored beside the proxy configuration.",
    "networks again": "The nginx server must act as reverse proxy: terminate TLS with the given certificate and send "
                      "api requests to the upstream server named in the proxy configuration.",
    "statistics": "Compute the median and the standard deviation of every numeric column in the sensor table, and "
                  "write a summary with one row per column to a comma separated file.",
}


def environment(instruction="Write 42 into the total.", *, files=FILES, **image):
    recipe = ImageRecipe("dockerfile", **({"text": "FROM ubuntu:22.04\n"} | image))
    return Environment("task", "corpus", "harbor", instruction, recipe, Verifier("harbor", tuple(files), "test.sh"))


def likeness(first, second):
    one, other = (np.frombuffer(signature(found).minhash, "<u4") for found in (first, second))
    return (one == other).mean()


def cosine(first, second):
    one, other = (np.frombuffer(signature(found).sketch, np.int8).astype(float) for found in (first, second))
    return one @ other / np.sqrt((one @ one) * (other @ other))


def test_digests_are_the_same_everywhere():
    """Computed once and written down: another machine, Python or library must give these, or VERSION has to rise."""
    import rensa

    assert rensa.RMinHash.ALGORITHM_VERSION == RENSA_ALGORITHM == VERSION % 100
    found = signature(environment(TOPICS["networks"], files=[File("test.sh", b"true\n"), File("test_a.py", TEST)],
                                  context=(File("data.csv", b"1,2\n"),)))
    assert np.frombuffer(found.minhash, "<u4")[:3].tolist() == GOLDEN["minhash"]
    assert np.frombuffer(found.sketch, np.int8)[:6].tolist() == GOLDEN["sketch"]
    assert found.grams[:2] == GOLDEN["grams"]
    assert (found.tests, found.fixture) == (GOLDEN["tests"], GOLDEN["fixture"])


GOLDEN = {
    "minhash": [424749758, 3221523493, 3306344171],
    "sketch": [0, 18, -81, 36, 63, 0],
    "grams": (83175045610429642, 102864960012934513),
    "tests": "5f55b0ff7237738389d47544b1bfc7db",
    "fixture": "73d696e76f39faef96ceee8f6338d6e3",
}


def test_the_name_of_a_task_changes_nothing():
    task = environment()
    assert signature(task) == signature(replace(task, name="other", source="elsewhere"))


@pytest.mark.parametrize("other", [
    b"# a comment\ndef test_total( ):\n    '''What it is about.'''\n"
    b"    assert (open(\"/app/total.txt\").read()=='42')\n",
    b'"""A module."""\n\n\ndef test_total():\n\n    assert open("/app/total.txt").read() == \'42\'  # yes\n',
])
def test_layout_and_words_about_tests_do_not_count(other):
    assert python_tree(other) == python_tree(TEST)


@pytest.mark.parametrize("other", [
    TEST.replace(b"'42'", b"'43'"), TEST.replace(b"'42'", b"b'42'"), TEST.replace(b"'42'", b"42"),
    TEST.replace(b"==", b"!="), TEST.replace(b"total.txt", b"sum.txt"), TEST + b"    assert None\n", b"",
    TEST.replace(b"'42'", b"None"),
])
def test_constants_and_code_count(other):
    assert python_tree(other) != python_tree(TEST)


def test_shell_scripts():
    plain = b"set -e\npytest /tests/test_state.py\necho 1 > reward\n"
    assert shell_tree(b"#!/bin/bash\n# why\nset  -e\npytest   /tests/test_state.py # run\necho 1 > reward\n") == (
        shell_tree(plain)
    )
    assert shell_tree(plain.replace(b"1", b"0")) != shell_tree(plain)
    assert shell_tree(b"# nothing\n") is None


def test_data_and_variables_of_a_verifier_count_and_names_do_not():
    verifier = environment(files=[File("test_state.py", TEST), File("expected.json", b"1")]).verifier
    assert trees_digest(verifier) != trees_digest(replace(verifier, env=(("EXPECTED", "7"),)))
    other = replace(verifier, files=(File("test_state.py", TEST), File("expected.json", b"2")))
    assert trees_digest(other) != trees_digest(verifier)
    renamed = replace(verifier, files=(File("test_other.py", TEST), File("expected.json", b"1")))
    assert trees_digest(renamed) == trees_digest(verifier)
    assert trees_digest(replace(verifier, files=(File("test.py", b"def ("),))) is None


@pytest.mark.parametrize("hostile", [
    b"(" * 50_000, b"x = " + b"-" * 50_000 + b"1", b"1" * 60_000, b"a" + b".a" * 50_000, b"\x00", b"\xff\xfe",
    b"x = 0x" + b"f" * 9999,
    b"x = '\\ud800'", b"# -*- coding: nonsense -*-\n", b"if x:\n" * 3000, b"a=[" + b"[1]," * 20_000 + b"]",
    b"x = " + b"+".join([b"1"] * 20_000), b"a" * (1 << 20),
])
def test_hostile_tests_never_raise(hostile):
    for name in ("test_state.py", "test.sh"):
        task = environment(files=[File(name, hostile)])
        assert signature(task) == signature(task)


def test_hostile_text_never_raises():
    for text in ("", " \n", "\ud800 " * 20, "a " * 200_000, "x" * 300_000, "***", "\x00" * 20):
        found = signature(environment(text))
        assert (len(found.minhash), len(found.sketch)) == (512, 256)
    assert set(signature(environment("** !!")).minhash) == {255}


def test_fixtures():
    data = (File("data/rows.csv", b"1,2\n"), File("Dockerfile", b"FROM a"))
    found = fixture_digest(ImageRecipe("dockerfile", "FROM a", data))
    assert found is not None
    moved = (File("rows.csv", b"1,2\n", 0o755), File("Dockerfile", b"FROM another"))
    assert fixture_digest(ImageRecipe("dockerfile", "FROM another", moved)) == found
    assert fixture_digest(ImageRecipe("dockerfile", "FROM a", (File("rows.csv", b"1,3\n"),))) != found


@pytest.mark.parametrize(("recipe", "writes"), [
    ("FROM ubuntu\nRUN apt-get install -y git >/dev/null 2>&1", False),
    ("FROM ubuntu\nRUN pip install 'numpy>=1.0' pandas>2", False),
    ("FROM ubuntu\nRUN apt-get update && rm -rf /var/lib/apt/lists/*", False),
    ("FROM ubuntu\nRUN echo hello > /app/in.txt", True),
    ("FROM ubuntu\nRUN cat <<'EOF' > /app/in.txt\nhello\nEOF", True),
    ("FROM ubuntu\nRUN echo hello >>$HOME/in.txt", True),
    ("Bootstrap: docker\nFrom: ubuntu\n%files\n  a.txt /app/a.txt", True),
    ("", False),
])
def test_recipes_that_write_files(recipe, writes):
    assert (fixture_digest(ImageRecipe("dockerfile", recipe)) is not None) == writes


def test_the_layout_of_a_recipe_does_not_count():
    one = "FROM ubuntu\n# the input\nRUN echo hello  > /app/in.txt\n"
    assert fixture_digest(ImageRecipe("dockerfile", one)) == (
        fixture_digest(ImageRecipe("dockerfile", "FROM ubuntu\n\n  RUN echo hello > /app/in.txt"))
    )


def test_likeness_is_the_share_of_common_runs():
    assert likeness(environment(TOPICS["networks"]), environment(TOPICS["networks"].upper() + "\n\n")) == 1
    assert likeness(environment(TOPICS["networks"]), environment(TOPICS["statistics"])) == 0
    rng = np.random.default_rng(0)
    sets = [rng.integers(0, 1 << 63, 507, dtype=np.uint64) for _ in range(2)]
    sets[1][:250] = sets[0][:250]  # 243 of 757 different runs of eight words
    found = minhashes(sets)
    assert (found[0] == found[1]).mean() == pytest.approx(243 / 757, abs=0.13)  # three standard errors


def test_sketches_follow_topics():
    one, again, other = (environment(TOPICS[name]) for name in TOPICS)
    assert cosine(one, again) > cosine(one, other) + 0.2
    assert abs(cosine(one, other)) < 0.5


@given(st.integers(0, 1 << 30), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_a_shared_run_of_thirteen_words_shares_a_fingerprint(seed, before, after, before_other, after_other):
    rng = np.random.default_rng(seed)
    shared = rng.integers(0, 1 << 63, SHARED_WORDS, dtype=np.uint64)

    def text(head, tail):
        return np.concatenate([rng.integers(0, 4, head, dtype=np.uint64), shared,
                               rng.integers(0, 4, tail, dtype=np.uint64)])

    assert set(winnowed(text(before, after))) & set(winnowed(text(before_other, after_other)))


def test_texts_that_share_no_run_of_ten_words_share_no_fingerprint():
    first, second = (hashed(words(TOPICS[name])) for name in ("networks", "statistics"))
    assert not set(winnowed(first)) & set(winnowed(second))
    assert len(winnowed(first[:SHARED_WORDS - 1])) == 0


def test_new_fields_of_a_newer_python_would_leave_no_trace(monkeypatch):
    before = python_tree.__wrapped__(TEST)
    monkeypatch.setattr(ast.FunctionDef, "_fields", (*ast.FunctionDef._fields, "later"), raising=True)
    monkeypatch.setattr(ast.FunctionDef, "later", [], raising=False)
    assert python_tree.__wrapped__(TEST) == before
