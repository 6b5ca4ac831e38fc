"""The validator against the downloaded corpus: every line is {"entry": text, "good": bool}."""
import json
import subprocess
from pathlib import Path


def test_corpus():
    cases = [json.loads(line) for line in Path("/tests/corpus.jsonl").read_text().splitlines()]
    done = subprocess.run(
        ["python3", "/app/check_feed.py"], input="\n".join(case["entry"] for case in cases) + "\n",
        capture_output=True, text=True, timeout=20,
    )
    assert done.stdout.split() == ["good" if case["good"] else "bad" for case in cases]
