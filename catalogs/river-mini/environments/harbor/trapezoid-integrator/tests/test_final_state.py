"""The integrals of random tables on uneven grids."""
import math
import random
import subprocess


def test_random_tables():
    source = random.Random(5127)
    tables = []
    for n in range(1, 20):
        x = sorted(source.uniform(0, 50) for _ in range(n))
        tables.append([(a, source.uniform(1, 5)) for a in x])
    text = "".join(" ".join(f"{x!r} {y!r}" for x, y in table) + "\n" for table in tables)
    done = subprocess.run(["python3", "/app/trapez.py"], input=text, capture_output=True, text=True, timeout=20)
    wanted = [sum((c - a) * (b + d) / 2 for (a, b), (c, d) in zip(t, t[1:])) for t in tables]
    given = [float(word) for word in done.stdout.split()]
    assert len(given) == len(wanted)
    assert all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12) for a, b in zip(given, wanted))
