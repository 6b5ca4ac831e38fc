"""Refused references in real sandboxes: each reason is named, and what only looks like one is not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from real_probe_support import real_environment

from river_envs.audit.environment import EnvironmentAudit, History
from river_envs.audit.options import AuditOptions
from river_envs.audit.replay import as_script, replay
from river_envs.environment import Environment, File, Verifier
from river_envs.probes.base import Judgement, ProbeStatus, Result
from river_envs.probes.reference import ReferencePasses
from river_envs.probes.untouched import Untouched
from river_envs.sandbox.base import Base
from river_envs.verifier import grade

pytestmark = pytest.mark.sandbox

ASK = "Read `/app/in.csv` and write the number of rows and the sum of the column amount to `/app/out.json` (rows, sum)."
DATA = {"in.csv": "name,amount\na,4\nb,5\n"}
SOLVE = """python3 - <<'X'
import csv, json
rows = list(csv.DictReader(open("/app/in.csv")))
json.dump({"rows": len(rows), "sum": sum(int(r["amount"]) for r in rows)}, open("/app/out.json", "w"))
X
"""
SCRIPT = b"""mkdir -p /logs/verifier
if python3 -m pytest -q -rA /tests/test_x.py >&2; then echo 1; else echo 0; fi >/logs/verifier/reward.txt
"""
GOOD = """
import json, os, re, socket, stat, subprocess, urllib.request
from pathlib import Path
import pytest
def load():
    return json.loads(Path("/app/out.json").read_text())
def test_rows():
    assert load()["rows"] == 2
"""
CASES = {
    "wrong value": ("def test_sum():\n    assert load()['sum'] == 11\n", "wrong-expectation"),
    "wrong value of a whole": ("def test_all():\n    assert load() == {'rows': 2, 'sum': 11}\n", "wrong-expectation"),
    "wrong value near": ("def test_sum():\n    assert load()['sum'] == pytest.approx(11.5)\n", "wrong-expectation"),
    "wrong value with words": (
        "def test_sum():\n    got = load()['sum']\n    assert got == 11, f'sum is {got}, not 11'\n",
        "wrong-expectation",
    ),
    "unnamed key": ("def test_key():\n    assert load()['checksum'] == 'x9'\n", "hidden-requirement"),
    "unnamed keys": ("def test_key():\n    assert 'provenance' in load(), 'incomplete'\n", "hidden-requirement"),
    "unnamed file": (
        "def test_log():\n    assert os.path.exists('/app/audit.trail'), 'no trail'\n",
        "hidden-requirement",
    ),
    "unnamed content": (
        "def test_log():\n    text = Path('/app/audit.trail').read_text()\n    assert 'finished at' in text\n",
        "hidden-requirement",
    ),
    "unnamed mode": (
        "def test_mode():\n    assert stat.S_IMODE(os.stat('/app/out.json').st_mode) == 0o640\n",
        "hidden-requirement",
    ),
    "service": (
        "@pytest.fixture\ndef db():\n    return socket.create_connection(('127.0.0.1', 54329), 1)\n"
        "def test_db(db):\n    assert load()['sum'] == 9\n",
        "needs-service",
    ),
    "service over http": (
        "def test_up():\n    urllib.request.urlopen('http://localhost:8099/health', timeout=2)\n    load()\n",
        "needs-service",
    ),
    "socket": (
        "def test_up():\n    s = socket.socket(socket.AF_UNIX)\n    s.connect('/run/ledger.sock')\n",
        "needs-service",
    ),
    "download": (
        "@pytest.fixture\ndef table():\n    out = subprocess.run(['pip', 'download', 'xyz'], capture_output=True)\n"
        "    return urllib.request.urlopen('https://data.example.org/t.csv').read()\n"
        "def test_table(table):\n    assert str(load()['sum']) in table.decode()\n",
        "needs-network",
    ),
    "install": (
        "@pytest.fixture(scope='session')\ndef tool():\n    subprocess.run(['python3', '-m', 'pip', 'install', '-q',"
        " 'xyzzy-tables'], check=True)\ndef test_table(tool):\n    assert load()['sum'] == 9\n",
        "needs-network",
    ),
}


def task(tests: str, solve: str = SOLVE, ask: str = ASK, **changes: object) -> Environment:
    env = real_environment(ask, "true", DATA, solution=solve)
    files = (File("test.sh", SCRIPT, 0o755), File("test_x.py", (GOOD + tests).encode()))
    return replace(env, verifier=Verifier("harbor", files, "test.sh", timeout_sec=60), **changes)


class Memory(list):
    """A sink that keeps the deltas too."""

    def __init__(self) -> None:
        self.deltas = {}

    def append(self, record, *, delta=None):
        super().append(record)
        if delta is not None:
            self.deltas[delta.digest] = delta


def audited(env, backend, *, network=False):
    """The controls of an environment, as the audit runs them; what each says, and what was recorded."""
    sink = Memory()
    options = AuditOptions(network=network)
    audit = EnvironmentAudit(
        env, History(), backend, sink, options, lambda _: partial(grade, network=network), lambda: None, lambda _: None
    )
    audit._build()
    seen = audit._survey()
    for probe in (Untouched(), ReferencePasses()):
        planned = probe.plan(env, seen)
        if isinstance(planned, list):
            audit._carry_out(probe, planned)
    background = replace(audit.background, left=None, bases=(Base("x", "host", "alias", True),))
    said = []
    for probe in (Untouched(), ReferencePasses()):
        recorded = sorted(audit.results.get(probe.id, ()), key=lambda r: (r.attempt.repeat, r.attempt.arm))
        said += [probe.judge(env, recorded, background)] if recorded else []
    return said, sink


def causes(said: list[Judgement]) -> list[str]:
    return [finding.cause for judgement in said for finding in judgement.findings]


EVERY = ("wrong value", "unnamed key", "unnamed content", "unnamed mode", "service")
"""What the ordinary run asks; the others say the same in other words, or wait for a download, and are marked slow."""


@pytest.mark.parametrize("case", [c if c in EVERY else pytest.param(c, marks=pytest.mark.slow) for c in CASES], ids=str)
def test_the_reason_is_named(case, bubblewrap_backend):
    tests, cause = CASES[case]
    env = task(tests)
    said, sink = audited(env, bubblewrap_backend)
    results = [record for record in sink if isinstance(record, Result)]
    shown = [(r.attempt.arm, r.attempt.facts, r.outcome.status, r.receipt, r.outcome.log[-900:]) for r in results[-3:]]
    assert causes(said) == [cause], shown
    assert len(results) <= 2 + 3 + 4
    finding = said[-1].findings[0]
    again = replay(
        finding, env, results, bubblewrap_backend, AuditOptions(), lambda *_: partial(grade), sink.deltas.__getitem__
    )
    assert again.reproduced
    assert "fresh" in as_script(finding, env, results, sink.deltas.__getitem__)


SERVE = "Start a server on port 8431 that answers every `GET` with `ok`. Leave it running.\n"
UP = "def test_up():\n    assert urllib.request.urlopen('http://127.0.0.1:8431/', timeout=5).read().strip() == b'ok'\n"
SERVER = """cat >/app/s.py <<'X'
from http.server import BaseHTTPRequestHandler, HTTPServer
class H(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"ok\\n")
HTTPServer(("127.0.0.1", 8431), H).serve_forever()
X
setsid nohup python3 /app/s.py >/dev/null 2>&1 </dev/null &
for i in 1 2 3 4 5 6 7 8 9; do python3 -c 'import socket; socket.create_connection(("127.0.0.1", 8431))' 2>&- && break; sleep 0.3; done
"""  # noqa: E501
LOOK_ALIKES = {
    "server": (task(UP, SERVER, SERVE).verifier, SERVER, SERVE, []),
    "server that does not come up": (task(UP).verifier, "true\n", SERVE, ["reference-fails"]),
    "sound": (task("def test_sum():\n    assert load()['sum'] == 9\n").verifier, SOLVE, ASK, []),
    "no output": (task("").verifier, "true\n", ASK, ["reference-fails"]),
    "stated value": (
        task("def test_sum():\n    assert load()['sum'] == 1234\n").verifier,
        SOLVE,
        ASK + " The sum is 1234.",
        ["reference-fails"],
    ),
}


@pytest.mark.parametrize("case", LOOK_ALIKES, ids=str)
def test_what_only_looks_like_a_reason_is_not_named(case, bubblewrap_backend):
    verifier, solve, ask, expected = LOOK_ALIKES[case]
    tests = verifier.files[1].content if "server" not in case else verifier.files[1].content.replace(
        b"def test_rows():\n    assert load()[\"rows\"] == 2\n", b""
    )
    env = replace(task("", solve, ask), verifier=replace(verifier, files=(verifier.files[0], File("test_x.py", tests))))
    said, sink = audited(env, bubblewrap_backend)
    shown = [(r.attempt.arm, r.receipt, r.outcome.log[-900:]) for r in sink if isinstance(r, Result)]
    assert causes(said) == expected, shown[-2:]
    if not expected:
        assert said[-1].status is ProbeStatus.SURVIVED


def test_a_declared_network_that_was_not_allowed_is_asked_for(bubblewrap_backend):
    env = task("def test_sum():\n    assert load()['sum'] == 11\n", network="public")
    said, _ = audited(env, bubblewrap_backend)
    assert (causes(said), said[-1].status) == ([], ProbeStatus.ERROR)
    assert "--network" in said[-1].reason
