"""Old and new program agree on random codes."""
import random
import string
import subprocess


def run(program, codes):
    done = subprocess.run(["python3", program], input="\n".join(codes) + "\n", capture_output=True, text=True, timeout=20)
    return done.stdout.split()


def test_equivalence():
    source = random.Random(555)
    letters = string.ascii_uppercase + string.digits + "-"
    codes = ["".join(source.choice(letters) for _ in range(source.randint(1, 20))) for _ in range(300)]
    wanted = run("/app/legacy/tracknum", codes)
    assert len(wanted) == len(codes)
    assert run("/home/user/tracknum.py", codes) == wanted
