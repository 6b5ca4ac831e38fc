"""Root mean square error of the fitted curve against the noise-free one, at times that are not in the samples."""
import json
import math
from pathlib import Path

TIMES = [0.11 + 0.37 * k for k in range(32)]


def truth(t):
    return 8.2 * math.exp(-0.43 * t) + 1.7


def test_fit():
    fit = json.loads(Path("/app/fit.json").read_text())
    amplitude, rate, offset = (float(fit[key]) for key in ("amplitude", "rate", "offset"))
    assert amplitude > 0
    assert rate > 0
    errors = [(amplitude * math.exp(-rate * t) + offset - truth(t)) ** 2 for t in TIMES]
    assert math.sqrt(sum(errors) / len(errors)) < 0.06
