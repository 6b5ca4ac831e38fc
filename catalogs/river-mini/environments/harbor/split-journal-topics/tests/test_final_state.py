"""One file per topic, lines in order, from the verifier's own copy of the journal."""
import re
from pathlib import Path


def lines(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_topics():
    wanted, topic = {}, None
    for line in lines(Path("/tests/journal.md").read_text()):
        if heading := re.match(r"## (\w+)", line):
            topic = wanted.setdefault(heading[1].lower() + ".md", [])
        elif topic is not None and not line.endswith("#done"):
            topic.append(line)
    found = {path.name: lines(path.read_text()) for path in Path("/app/topics").iterdir()}
    assert found == wanted


def test_journal_is_unchanged():
    assert Path("/app/journal.md").read_bytes() == Path("/tests/journal.md").read_bytes()
