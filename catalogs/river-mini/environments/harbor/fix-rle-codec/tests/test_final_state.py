"""Both directions of the codec on texts that the instruction does not show."""
import itertools
import random
import subprocess

RANDOM = random.Random(8731)
TEXTS = ["", "a", "zzzzzzzzzz", "aAaA", "Q" * 137, "xyz"] + [
    "".join(RANDOM.choice("abAB") * RANDOM.choice([1, 1, 2, 3, 9, 10, 11, 40]) for _ in range(RANDOM.randint(1, 9)))
    for _ in range(150)
]


def code(text):
    groups = ((letter, len(list(run))) for letter, run in itertools.groupby(text))
    return "".join(letter + (str(length) if length > 1 else "") for letter, length in groups)


def run(direction, lines):
    done = subprocess.run(
        ["python3", "/app/rle.py", direction], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=20
    )
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines()]


def test_encode():
    assert run("encode", TEXTS) == [code(text) for text in TEXTS]


def test_decode():
    assert run("decode", [code(text) for text in TEXTS]) == TEXTS
