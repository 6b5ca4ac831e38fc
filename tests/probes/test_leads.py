"""Static leads: each name is raised by what it describes and not by its healthy look-alike."""

from __future__ import annotations

from dataclasses import replace

import pytest
from probe_support import environment

from river_envs.environment import Environment, File, ImageRecipe, Reference
from river_envs.probes import in_process, leads

PYTHON = [
    ("clock", "import time\nassert time.time() < 9e9", "import time\ntime.monotonic()"),
    ("sleep", "import time\ntime.sleep(1)", "asleep = 1"),
    (
        "random",
        "import random\nx = random.randint(1, 9)",
        "import random\nrng = random.Random(7)\nx = rng.randint(1, 9)",
    ),
    ("random", "import random\nx = random.random()", "import random\nrandom.seed(3)\nx = random.random()"),
    ("hash-order", "x = list({1, 2})", "x = sorted({1, 2})"),
    ("processors", "import os\nassert os.cpu_count() > 1", "cpu_count = 4"),
    ("memory", "import os\nassert os.sysconf('SC_PHYS_PAGES') > 1", "import os\nos.sysconf('SC_PAGE_SIZE')"),
    ("memory", "assert 'MemTotal' in open('/proc/meminfo').read()", "open('/proc/uptime').read()"),
    ("file-times", "import os\nassert os.path.getmtime('/app/x') > 1", "mtime = 3"),
    ("threads", "from threading import Thread\nThread().start()", "Threads = 1"),
    (
        "network",
        "import requests\nrequests.get('https://example.org')",
        "import requests\nrequests.get('http://localhost:1')",
    ),
    (
        "installs",
        "import subprocess\nsubprocess.run(['pip', 'install', 'x'])",
        "import subprocess\nsubprocess.run(['pip', 'list'])",
    ),
    ("skips", "import pytest\npytest.skip('no')", "def skip(): pass"),
    ("always-true", "x = 1\nassert x == 2 or True", "x = 1\nassert x == 2 or x == 1"),
    (
        "swallowed-failure",
        "try:\n    assert 0\nexcept Exception:\n    pass",
        "try:\n    f()\nexcept KeyError:\n    pass",
    ),
    ("fixed-count", "assert len(rows) == 7", "assert len(rows) == total"),
    ("unstated-path", "assert open('/app/hidden/x.txt').read() == '4'", "assert open('/app/total.json').read() == '4'"),
    (
        "reads-source",
        "assert 'x' in open('/app/tool.py').read()",
        "import subprocess\nsubprocess.run(['/app/tool.py'])",
    ),
    (
        "no-content-check",
        "import os\nassert os.path.exists('/app/total.json')",
        "import os\nassert os.path.exists('/app/total.json')\nassert open('/app/total.json').read() == '4'",
    ),
]


def names(tests: str, **changes: object) -> frozenset[str]:
    return leads.names(environment(tests=tests, **changes))


@pytest.mark.parametrize(("name", "raises", "healthy"), PYTHON, ids=lambda value: value if "-" in value else None)
def test_python(name: str, raises: str, healthy: str):
    assert name in names(raises)
    assert name not in names(healthy)


def scripted(script: str) -> Environment:
    made = environment()
    files = (File("test.sh", script.encode(), 0o755), made.verifier.files[1])
    return replace(made, verifier=replace(made.verifier, files=files))


@pytest.mark.parametrize(
    ("name", "raises", "healthy"),
    [
        ("installs", "apt-get update\napt-get install -y curl", "apt-get update"),
        ("network", "curl -s https://example.org/x", "curl -s http://localhost:80/x"),
        ("sleep", "sleep 3", "echo sleep 3"),
        ("clock", "date +%s", "date -d @5 +%s"),
        ("processors", "make -j$(nproc)", "make -j2"),
        ("memory", "free -m", "echo free"),
        ("memory", "awk '/MemTotal/ {print $2}' /proc/meminfo", "cat /proc/uptime"),
        ("world-writable", "chmod 777 /app", "chmod 755 /app"),
        (
            "stops-before-reward",
            "set -e\npytest\necho 1 > /logs/verifier/reward.txt",
            "echo 0 > /logs/verifier/reward.txt\nset -e\npytest",
        ),
        ("random", "python3 - <<'EOF'\nimport random\nprint(random.random())\nEOF", "echo random"),
    ],
)
def test_shell(name: str, raises: str, healthy: str):
    assert name in leads.names(scripted(raises))
    assert name not in leads.names(scripted(healthy))


def test_recipe():
    image = ImageRecipe("dockerfile", "FROM x\nRUN git clone https://example.org/a /app && chmod -R 777 /app\n")
    assert {"git-history", "world-writable"} <= leads.names(replace(environment(), image=image))


def test_every_lead_is_told():
    assert leads.ABOUT.keys() == leads.POINTS_TO.keys()
    (lead,) = leads.leads(environment(tests="import time\n\ntime.sleep(3)\n"))
    assert (lead.file, lead.line, lead.text, lead.about) == (
        "tests/test_state.py",
        3,
        "time.sleep(3)",
        "the tests wait",
    )


@pytest.mark.parametrize("tests", ["def broken(:", "\x00", "(" * 5000, "x = " + "-" * 50_000 + "1"])
def test_what_cannot_be_parsed_gives_none(tests: str):
    assert names(tests) == frozenset()


def test_programs_come_from_scripts_calls_and_the_solution():
    made = environment(tests="import subprocess\nsubprocess.run(['/usr/bin/openssl', 'x509'])\n")
    made = replace(made, reference=Reference("shipped", (File("solve.sh", b"perl -e 1 | awk 1\n", 0o755),)))
    assert {"openssl", "perl", "awk"} <= leads.programs(made)
    assert "perl" not in leads.programs(made, solution=False)


ASKED = "Write the function `total` in /app/sums.py; it adds the column amount of /app/orders.csv."


@pytest.mark.parametrize(
    "tests",
    [
        "import sys\nsys.path.insert(0, '/app')\nfrom sums import total\n",
        "import importlib\nm = importlib.import_module('sums')\n",
        "import importlib.util\ns = importlib.util.spec_from_file_location('sums', '/app/sums.py')\n",
        "from pathlib import Path\nP = Path('/app/sums.py')\nimport runpy\nrunpy.run_path(str(P))\n",
        "exec(open('/app/sums.py').read())\n",
    ],
)
def test_agent_code_in_the_tests_process_is_seen(tests: str):
    (use,) = in_process.found(environment(ASKED, tests=tests))
    assert use.target == "/app/sums.py"
    assert "imports-agent-code" in leads.names(environment(ASKED, tests=tests))


@pytest.mark.parametrize(
    "tests",
    [
        "import subprocess\nsubprocess.run(['python3', '/app/sums.py'])\n",
        "import json, csv\n",
        "from helper import sums\n",
        "assert open('/app/sums.py').read()\n",
    ],
)
def test_code_in_another_process_is_not(tests: str):
    assert in_process.found(environment(ASKED, tests=tests)) == ()
