"""The estimates for several fixed seeds, recomputed with the prescribed generator."""
import random
import subprocess


def estimate(seed, n):
    source = random.Random(seed)
    inside = 0
    for _ in range(n):
        x, y, z = (source.uniform(0, 2) for _ in range(3))
        inside += x * y * z <= 1 and x * x + y * y >= 1
    return 8 * inside / n


def test_estimates():
    given = []
    for seed in (3, 1871, 40404, 7):
        done = subprocess.run(
            ["python3", "/app/volume.py", str(seed), "4000"], capture_output=True, text=True, timeout=20
        )
        given.append(float(done.stdout))
        assert abs(given[-1] - estimate(seed, 4000)) <= 0.01, seed
    assert len(set(given)) > 1
