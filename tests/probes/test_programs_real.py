"""Programs, servers and moved truth in real sandboxes: a verifier that pays for them, and a healthy look-alike."""

# ruff: noqa: E501 - one verifier on one line
from __future__ import annotations

import pytest
from real_probe_support import ask_really, real_environment

from river_envs.probes.base import NotApplicable
from river_envs.probes.inputs_emptied import InputsEmptied
from river_envs.probes.inputs_replaced import InputsReplaced
from river_envs.probes.inputs_shortened import InputsShortened
from river_envs.probes.lookup_table import LookupTable
from river_envs.probes.oracle_wrapper import OracleWrapper
from river_envs.probes.program_accept_all import ProgramAcceptAll
from river_envs.probes.program_constant import ProgramConstant
from river_envs.probes.program_crash_zero import ProgramCrashZero
from river_envs.probes.program_identity import ProgramIdentity
from river_envs.probes.program_reject_all import ProgramRejectAll
from river_envs.probes.recorded_truth import RecordedTruth
from river_envs.probes.static_server import StaticServer
from river_envs.probes.truth_overwritten import TruthOverwritten

pytestmark = pytest.mark.sandbox

SQUARE = """Write `/app/square.py`. It reads numbers from standard input, one per line, and prints the square of each.
It must work for any integer, for example:

```
$ echo "3" | python3 /app/square.py
9
```
"""
RUN = 'r() { echo "$1" | python3 /app/square.py; }; '
CHECK = """Write `/app/guard.py`. It is called with the path of a file and exits with status `1` when the file is
dangerous and `0` when it is harmless. A file is dangerous when it holds a line that starts with `=`.
"""
JUDGE = "g() { printf '%s\\n' \"$1\" >/tmp/f; python3 /app/guard.py /tmp/f; [ $? = $2 ]; }; [ -f /app/guard.py ] && "
FIX = "The script `/app/square.py` is broken. Repair it: it reads a number from standard input and prints its square.\n"
BROKEN = {"square.py": "#!/usr/bin/env python3\nraise SystemExit(5)\n"}
ORACLE = {".ref": "#!/usr/bin/env python3\nprint(int(input()) ** 2)\n", "other.py": "#!/usr/bin/env python3\nprint(5)\n"}
TOTAL = 'Compute the total of the column amount of /app/in.csv. Write it to /app/out.json, for example `{"total": 17}`.'
INPUT = {"in.csv": "item,amount\nx,4800\ny,12\n"}
SERVE = """Write and start an inventory service on port 8123. `POST /items` with `{"name": "nut", "count": 3}` stores an item,
`GET /items/<name>` answers `{"name": "nut", "count": 3}`. Leave it running.
"""
GET = "curl -sf http://127.0.0.1:8123/items/nut"

MASK = """Write `/app/mask`, a filter from standard input to standard output that replaces every digit by `#`. It must be
executable, and it is run on lines that you have not seen.
"""
SEEN_CASES = {
    "session.txt": "$ python3 /app/mask <<'EOF'\na1\nb22\nEOF\na#\nb##\n\n$ echo 'c 3' | /app/mask\nc #\n",
    "cases/1.in": "x9\n",
    "cases/1.out": "x#\n",
}
VISIBLE = "a=$(printf 'a1\\nb22\\n' | python3 /app/mask); b=$(echo x9 | /app/mask); [ \"$a $b\" = \"$(printf 'a#\\nb##') x#\" ]"
DIGEST = "import hashlib, json; d = open('/app/out.csv').read().split(); k = json.load(open('/app/sums.json'))['out.csv']; h = hashlib.sha1(json.dumps(d).encode()).hexdigest(); "
SUMS = {"in.csv": INPUT["in.csv"], "sums.json": '{"out.csv": "%s"}' % ("0" * 40)}
TABLE = "Compute the total per item of /app/in.csv. Write it to /app/out.csv with the columns item and total."

CASES = [
    (LookupTable(), MASK, VISIBLE, VISIBLE + " && [ \"$(echo q4 | /app/mask)\" = q# ]", SEEN_CASES, "fixed-inputs"),
    (LookupTable(), MASK, "[ -n \"$(echo c 3 | python3 /app/mask)\" ]", "false", SEEN_CASES, "shape-only"),
    (RecordedTruth(), TABLE, f"python3 -c \"{DIGEST}assert h == k, chr(10) + 'E   - ' + k + chr(10) + 'E   + ' + h\"", "grep -q x,4800 /app/out.csv", SUMS, "movable-truth"),
    (LookupTable(), SQUARE, RUN + '[ "$(r 3)" = 9 ]', RUN + '[ "$(r 3)" = 9 ] && [ "$(r 4)" = 16 ]', {}, "fixed-inputs"),
    (ProgramConstant(), SQUARE, RUN + '[ "$(r 3)" = 9 ]', RUN + '[ "$(r 3)" = 9 ] && [ "$(r 4)" = 16 ]', {}, "fixed-inputs"),
    (ProgramConstant(), SQUARE, RUN + "r 3 | grep -Eq '^[0-9]+$'", RUN + '[ "$(r 5)" = 25 ]', {}, "shape-only"),
    (ProgramIdentity(), SQUARE, RUN + '[ "$(r 1)" = 1 ]', RUN + '[ "$(r 1)" = 1 ] && [ "$(r 4)" = 16 ]', {}, "fixed-inputs"),
    (ProgramCrashZero(), FIX, "echo 3 | python3 /app/square.py", RUN + '[ "$(r 5)" = 25 ]', BROKEN, "existence-only"),
    (ProgramAcceptAll(), CHECK, JUDGE + "g a 0 && g b=c 0", JUDGE + "g a 0 && g =c 1", {}, "fixed-inputs"),
    (ProgramRejectAll(), CHECK, JUDGE + "g =a 1 && g =c 1", JUDGE + "g a 0 && g =c 1", {}, "fixed-inputs"),
    (OracleWrapper(), SQUARE, RUN + '[ "$(r 4)" = 16 ]', "rm /app/.ref; " + RUN + '[ "$(r 4)" = 16 ]', ORACLE, "reachable-oracle"),
    (StaticServer(), SERVE, GET + " | grep -q nut", "c=$$; curl -sf -d '{\"name\": \"nut\", \"count\": '$c'}' http://127.0.0.1:8123/items; " + GET + " | grep -q $c", {}, "fixed-inputs"),
    (StaticServer(), SERVE, GET + " | grep -q name", "false", {}, "shape-only"),
    (InputsEmptied(), TOTAL, "[ -f /app/out.json ] && [ \"$(cat /app/out.json)\" != '{}' ] && python3 -c 'import csv, json; assert json.load(open(\"/app/out.json\"))[\"total\"] == sum(int(r[\"amount\"]) for r in csv.DictReader(open(\"/app/in.csv\")))'", "grep -q 4812 /app/out.json", INPUT, "movable-truth"),
    (InputsReplaced(), TOTAL, "python3 -c 'import csv, json; r = list(csv.DictReader(open(\"/app/in.csv\"))); assert r and json.load(open(\"/app/out.json\"))[\"total\"] == sum(int(x[\"amount\"]) for x in r)'", "grep -q 4812 /app/out.json", INPUT, "movable-truth"),
    (TruthOverwritten(), TOTAL, "cd /app && sha256sum --status -c expected.sha256", "grep -q 4812 /app/out.json", {**INPUT, "expected.sha256": "0" * 64 + "  out.json\n"}, "movable-truth"),
    (TruthOverwritten(), TOTAL, "grep -q total /app/out.json && cmp -s /app/out.json /app/truth.json", "grep -q 4812 /app/out.json", {**INPUT, "truth.json": "{}\n"}, "movable-truth"),
]  # fmt: skip


@pytest.mark.parametrize(("probe", "task", "weak", "sound", "files", "cause"), CASES, ids=[f"{c[0].id}-{i}" for i, c in enumerate(CASES)])
def test_catches_the_weak_verifier_and_passes_the_sound_one(probe, task, weak, sound, files, cause, bubblewrap_backend):
    asked = ask_really(probe, real_environment(task, weak, files), bubblewrap_backend)
    assert asked.causes == [cause], asked.judgement
    healthy = ask_really(probe, real_environment(task, sound, files), bubblewrap_backend)
    assert not isinstance(healthy.judgement, NotApplicable)
    assert healthy.causes == []


SUM = """f=/app/logs/a.txt; n=0; while read -r x; do n=$((n + x)); done <$f; echo "$n" >/app/sum.txt"""
SUMMED = "Add up the numbers of all files in /app/logs and write the sum to /app/sum.txt."


@pytest.mark.parametrize(
    ("check", "found"),
    [
        ("python3 -c 'assert int(open(\"/app/sum.txt\").read()) == sum(map(int, open(\"/app/logs/a.txt\")))'", True),
        ("[ \"$(cat /app/sum.txt)\" = 21 ]", False),
        ("[ -s /app/sum.txt ]", False),
    ],
)
def test_a_reference_on_shortened_inputs(check: str, found: bool, bubblewrap_backend):
    env = real_environment(SUMMED, check, {"logs/a.txt": "1\n2\n3\n4\n5\n6\n"}, solution=SUM)
    asked = ask_really(InputsShortened(), env, bubblewrap_backend)
    assert asked.causes == (["movable-truth"] if found else []), asked.judgement
    assert all(result.effective for result in asked.results)
