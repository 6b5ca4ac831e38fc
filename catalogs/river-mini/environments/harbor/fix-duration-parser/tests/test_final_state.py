"""The duration script on the sample durations."""
import subprocess

SAMPLES = {"1h30m": "5400", "2d4h": "187200", "45s": "45"}


def test_samples():
    done = subprocess.run(
        ["python3", "/app/duration.py"], input="\n".join(SAMPLES) + "\n", capture_output=True, text=True, timeout=20
    )
    assert done.stdout.split() == list(SAMPLES.values())
