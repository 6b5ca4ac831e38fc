"""Root mean square error of the fitted oscillation."""
import json
import math
from pathlib import Path

TIMES = [0.03 + 0.16 * k for k in range(50)]


def curve(amplitude, damping, omega, t):
    return amplitude * math.exp(-2 * damping * t) * math.cos(omega * t)


def test_fit():
    fit = json.loads(Path("/app/spring.json").read_text())
    errors = []
    for t in TIMES:
        wanted = 2.5 * math.exp(-0.31 * t) * math.cos(4.1 * t)
        errors.append((curve(fit["amplitude"], fit["damping"], fit["omega"], t) - wanted) ** 2)
    assert min(fit.values()) > 0
    assert fit["damping"] >= 0.25
    assert math.sqrt(sum(errors) / len(errors)) < 0.05
