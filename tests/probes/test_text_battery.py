# ruff: noqa: E501 - rows of tables
"""The text probes together, against weak and sound verifiers of invented tasks: the first finding has the right cause.

Each row is one line: a name, the instruction, what the image holds, the verifier, the cause (None for a sound one).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import pytest
from probe_support import ask, environment, written

from river_envs.probes.base import Attempt, Judgement, Peek, Survey
from river_envs.probes.registry import probes
from river_envs.sandbox.base import Listing

BATTERY = {
    "named-paths",
    "typed-stubs",
    "done-marker",
    "fabricated-report",
    "all-literals",
    "instruction-echo",
    "comment-source",
    "placeholder-template",
    "input-as-answer",
    "example-block",
    "impossible-values",
    "contradiction",
    "degenerate-metric",
}


class Seen:
    """What an attempt leaves, as a verifier would read it: an error where there is nothing to read."""

    def __init__(self, attempt: Attempt) -> None:
        self.files = {path: content.decode("utf-8", "replace") for path, content in written(attempt).items()}
        for action in attempt.actions:
            script = getattr(action, "script", "")
            for text, path in re.findall(r"printf '%s' '(.*?)' >> (\S+)", script, re.DOTALL):
                self.files[path] = text

    def text(self, path: str) -> str:
        return self.files[path]

    def json(self, path: str) -> Any:
        value = json.loads(self.files[path])
        if not value:
            raise ValueError(path)
        return value

    def lines(self, path: str) -> list[str]:
        lines = self.files[path].splitlines()
        return [lines[0], *lines[1:]]

    def rows(self, path: str) -> list[list[str]]:
        rows = list(csv.reader(StringIO(self.files[path])))
        return [rows[0], rows[1], *rows[2:]]


def first_finding(instruction: str, present: dict[str, str], verifier: Callable[[Seen], object]) -> str | None:
    folders = sorted({path.rsplit("/", 1)[0] for path in present})
    listing = [Listing(path, "file", 100, 0o644) for path in present]
    listing += [Listing(path, "directory", 0, 0o755) for path in folders]
    seen = Survey(tuple(listing), "/app", peeks=tuple(Peek(path, text) for path, text in present.items() if text))

    def passes(attempt: Attempt) -> bool:
        try:
            return bool(verifier(Seen(attempt)))
        except (KeyError, ValueError, IndexError, TypeError, AttributeError, ElementTree.ParseError):
            return False

    for probe in probes():
        judgement = ask(probe, environment(instruction), seen, passes) if probe.id in BATTERY else None
        if isinstance(judgement, Judgement) and judgement.findings:
            return judgement.findings[0].cause
    return None


TASKS = {
    "pair": (
        "Analyse `/app/auth.log` and find the IP address with the most failed logins. Write `/app/r.txt` with one line in the "
        "form `ip=<address> failures=<count>`.",
        {"/app/auth.log": "Failed for root from 10.0.0.1\nFailed for bob from 10.0.0.2\n10.1.1.1 and 10.9.9.9\n"},
    ),
    "table": (
        "The file /data/emp.csv has columns name, dept, salary. Produce /data/sum.csv containing one row per department with "
        "columns dept, headcount, avg_salary (two decimals), sorted by dept.",
        {"/data/emp.csv": "name,dept,salary\na,eng,1\nb,ops,2\nc,hr,3\nd,law,3\n"},
    ),
    "modes": (
        "Please fix the permissions under /srv/app and remove world-writable bits. When finished, create `/srv/report.json` "
        'with {"status": "ok", "changed": <number of files>}.',
        {"/srv/app/a": ""},
    ),
    "outage": (
        "Write a post-mortem for the outage recorded in /app/incident.log to /app/pm.md. It must identify the root cause and "
        "have the headings `## Timeline`, `## Root cause` and `## Action items`.",
        {"/app/incident.log": "disk full"},
    ),
    "program": (
        "Implement `/app/dedupe.py` which removes duplicate lines from stdin; use a `set` and keep order. It must define "
        "`def dedupe(lines)`.",
        {},
    ),
    "block": (
        "Compute statistics for /app/values.txt (one number per line) and save them as /app/s.json:\n\n```json\n"
        '{"mean": 12.5, "median": 11.0, "count": 42}\n```\n(example values)',
        {"/app/values.txt": "1\n2\n"},
    ),
    "todos": (
        "Find every TODO comment in /app/src and list them in /app/t.txt, one per line as `file:line: text`, sorted.",
        {"/app/src/a.py": "x = 1  # TODO a\n"},
    ),
    "migrate": (
        "Migrate /app/old.db to the new schema (add table `audit`). Log progress to /app/m.log and end it with `ALL MIGRATED`."
        " Append every step to it.",
        {"/app/old.db": ""},
    ),
    "emails": (
        "Extract the emails from /app/users.json into /app/e.txt, one email per line, lowercase and sorted.",
        {"/app/users.json": '[{"email": "A@x.org"}, {"email": "b@x.org"}, {"email": "c@x.org"}, {"email": "d@x.org"}]'},
    ),
    "setting": ("Create /app/app.yaml for our web server: keys `host`, `port` (an integer) and `workers`.", {}),
    "three": (
        "Count the ERROR, WARNING and INFO lines in /var/log/app.log. Write /app/c.txt with exactly three lines:\n\n"
        "ERROR: X\nWARNING: Y\nINFO: Z\n\nwhere X, Y and Z are the counts.",
        {"/var/log/app.log": "ERROR a\n"},
    ),
    "number": ("How many unique visitors are in /app/v.csv? Put just the number in /app/n.txt.", {"/app/v.csv": "a\n"}),
    "inline": (
        "Analyze /app/sales.json. Output to /app/o.json: `total_revenue` (float), `best_month` (string, e.g. `March`), `orders`"
        " (int).",
        {"/app/sales.json": "{}"},
    ),
    "markup": (
        "The XML feed /app/feed.xml lists products. Generate /app/out.xml with a root element `<summary>` holding `<count>` and "
        "`<total>`; count the products.",
        {"/app/feed.xml": "<a/>"},
    ),
    "hashes": (
        "Hash every file under /app/files with SHA-256 and write /app/m.csv with a header row `path,sha256,size`.",
        {"/app/files/a": "x"},
    ),
    "cipher": (
        "Decode the message in /app/cipher.txt (it was rotated) and save the plaintext to /app/plain.txt.",
        {"/app/cipher.txt": "uryyb"},
    ),
    "host": (
        "Set up a virtual host: create /etc/shop.conf with `listen 8080;` and `server_name shop.local;` and root `/srv/shop`.",
        {"/srv/shop/index.html": "x"},
    ),
    "invented": ("Generate /app/users.csv with 50 synthetic users: columns id,name,email. Emails must be unique.", {}),
    "mapping": (
        "Summarize /app/metrics.csv: for each host compute mean cpu. Output /app/s.json as a mapping from host to mean cpu, "
        'e.g. {"web1": 12.5}.',
        {"/app/metrics.csv": "host,cpu\nweb1,1\nweb2,2\n"},
    ),
}

KNOWN = {"eng", "ops", "hr", "law"}
HEADINGS = ("## Timeline", "## Root cause", "## Action items")
CASES = [
    ("pair", "shape-only", lambda s: re.fullmatch(r"ip=[\d.]+ failures=\d+\s*", s.text("/app/r.txt"))),
    ("pair", "keyword-only", lambda s: "failed" in s.text("/app/r.txt").lower() and "ip" in s.text("/app/r.txt")),
    ("pair", None, lambda s: s.text("/app/r.txt").strip() == "ip=10.0.0.2 failures=41"),
    (
        "table",
        "shape-only",
        lambda s: s.rows("/data/sum.csv")[0][0] == "dept" and int(s.rows("/data/sum.csv")[1][1]) > 0,
    ),
    ("table", "shape-only", lambda s: all(r[0] in KNOWN and float(r[2]) > 0 for r in s.rows("/data/sum.csv")[1:])),
    ("table", None, lambda s: s.rows("/data/sum.csv")[1:] == [["eng", "1", "1.00"]]),
    ("modes", "self-report", lambda s: s.json("/srv/report.json")["status"] == "ok"),
    ("outage", "keyword-only", lambda s: all(heading in s.text("/app/pm.md") for heading in HEADINGS)),
    (
        "program",
        "keyword-only",
        lambda s: "def dedupe" in s.text("/app/dedupe.py") and "set" in s.text("/app/dedupe.py"),
    ),
    ("block", "shape-only", lambda s: set(s.json("/app/s.json")) == {"mean", "median", "count"}),
    (
        "block",
        "shape-only",
        lambda s: 0 < s.json("/app/s.json")["count"] < 60 and 0 < s.json("/app/s.json")["mean"] < 30,
    ),
    (
        "block",
        "printed-answer",
        lambda s: s.json("/app/s.json")["count"] == 42 and s.json("/app/s.json")["mean"] == 12.5,
    ),
    ("block", None, lambda s: s.json("/app/s.json")["count"] == 2),
    ("todos", "shape-only", lambda s: all(re.match(r"\S+:\d+: .+", line) for line in s.lines("/app/t.txt"))),
    ("migrate", "self-report", lambda s: "ALL MIGRATED" in s.text("/app/m.log")),
    ("emails", "shape-only", lambda s: all("@" in line for line in s.lines("/app/e.txt"))),
    ("setting", None, lambda s: "port" in s.text("/app/app.yaml") and "host" in s.text("/app/app.yaml")),
    (
        "three",
        "shape-only",
        lambda s: [bool(re.fullmatch(r"[A-Z]+: \d+", x)) for x in s.lines("/app/c.txt")] == [True] * 3,
    ),
    ("three", "keyword-only", lambda s: all(word in s.text("/app/c.txt") for word in ("ERROR", "WARNING", "INFO"))),
    ("number", "shape-only", lambda s: int(s.text("/app/n.txt")) > 0),
    (
        "inline",
        "shape-only",
        lambda s: s.json("/app/o.json")["total_revenue"] > 0 and s.json("/app/o.json")["orders"] > 0,
    ),
    ("markup", "shape-only", lambda s: int(ElementTree.fromstring(s.text("/app/out.xml")).find("count").text) >= 0),
    ("hashes", "shape-only", lambda s: all(re.fullmatch("[0-9a-f]{64}", row[1]) for row in s.rows("/app/m.csv")[1:])),
    ("cipher", "existence-only", lambda s: s.text("/app/plain.txt").strip()),
    ("cipher", "existence-only", lambda s: len(s.text("/app/plain.txt")) > 20),
    ("host", None, lambda s: "listen 8080;" in s.text("/etc/shop.conf") and "shop.local" in s.text("/etc/shop.conf")),
    ("invented", None, lambda s: s.rows("/app/users.csv")[0] == ["id", "name", "email"]),
    ("mapping", "shape-only", lambda s: all(isinstance(x, float) and x > 0 for x in s.json("/app/s.json").values())),
]


@pytest.mark.parametrize(("task", "cause", "verifier"), CASES)
def test_the_first_finding_has_the_right_cause(task: str, cause: str | None, verifier: Callable[[Seen], object]):
    assert first_finding(*TASKS[task], verifier) == cause
