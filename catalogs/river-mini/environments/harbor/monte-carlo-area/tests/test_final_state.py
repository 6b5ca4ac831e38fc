"""The estimate is close to the true area, for a seed drawn afresh."""
import math
import random
import subprocess

GRID = [3 * (k + 0.5) / 400 for k in range(400)]


def area():
    squares = [math.sin(x) ** 2 for x in GRID]
    return 9 * sum(a + b >= 1 for a in squares for b in squares) / len(GRID) ** 2


def test_estimate():
    seed = random.randrange(10**6)
    done = subprocess.run(["python3", "/app/area.py", str(seed)], capture_output=True, text=True, timeout=20)
    assert abs(float(done.stdout) - area()) < 0.067
