"""Verifiers: the same checks as pytest functions, a class, unittest, a parametrised suite or a plain script.

A family hands over ``data`` (the constants it computed), ``prelude`` (imports and helpers) and ``checks`` (statements
that assert). Programs of the agent run in processes of their own, never inside the tests.
"""

from __future__ import annotations

import json
import pprint
import random
import re
import textwrap
from collections.abc import Mapping

from river_envs.environment import File, Verifier

SAME = '''
def same(got, want, tolerance=0.0):
    """Equal values of equal kinds; numbers may differ by the tolerance, booleans are no numbers."""
    if isinstance(want, bool) or isinstance(got, bool):
        return got is want
    if isinstance(want, (int, float)):
        return isinstance(got, (int, float)) and abs(got - want) <= tolerance
    if isinstance(want, dict):
        return isinstance(got, dict) and set(got) == set(want) and all(same(got[k], want[k], tolerance) for k in want)
    if isinstance(want, list):
        pairs = zip(got, want) if isinstance(got, list) and len(got) == len(want) else [(None, 0)]
        return all(same(one, other, tolerance) for one, other in pairs)
    return type(got) is type(want) and got == want
'''
READ = (
    '''
def read(path):
    with open(path, encoding="utf-8-sig") as handle:
        return handle.read()
''',
    '''
def read(path):
    return Path(path).read_text(encoding="utf-8-sig")
''',
    '''
def read(path):
    assert os.path.isfile(path), path + " is missing"
    return open(path, "rb").read().decode("utf-8-sig").replace("\\r\\n", "\\n")
''',
)
RUN = (
    '''
def run(command, text="", timeout=30):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout
''',
    '''
def run(command, text="", timeout=30):
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(text.encode(), timeout=timeout)
    if process.returncode:
        raise AssertionError("exit status %d: %s" % (process.returncode, err[-300:]))
    return out.decode().replace("\\r\\n", "\\n")
''',
)
SERVE = '''
def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connect(port, patience=5.0, process=None):
    end = time.monotonic() + patience
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=10)
        except OSError:
            if time.monotonic() > end or (process is not None and process.poll() is not None):
                raise
            time.sleep(0.02)


@contextlib.contextmanager
def serving(command, *ports):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    try:
        for port in ports:
            connect(port, 30.0, process).close()
        yield process
    finally:
        process.kill()
        process.wait()


def talk(port, lines):
    """Send lines over one connection, return as many answers."""
    with connect(port) as sock:
        stream = sock.makefile("rw", encoding="utf-8", newline="\\n")
        answers = []
        for line in lines:
            stream.write(line + "\\n")
            stream.flush()
            answers.append(stream.readline().rstrip("\\r\\n"))
        return answers


def http(port, method, path, body=None):
    """Status and body of one request."""
    link = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        link.request(method, path, body=body)
        answer = link.getresponse()
        return answer.status, answer.read().decode()
    finally:
        link.close()
'''
_MODULES = ("contextlib", "csv", "io", "json", "os", "re", "socket", "sqlite3", "subprocess", "time")
_IMPORTS = (
    *(f"import {name}" for name in _MODULES), "from http.client import HTTPConnection", "from pathlib import Path",
)
_NAMES = ("test_outputs", "test_final_state", "test_state", "test_result", "test_deliverable")


def suite(
    rng: random.Random, checks: Mapping[str, str], *, data: Mapping[str, object] | None = None, prelude: str = "",
    files: Mapping[str, str | bytes] | None = None, timeout: float = 120.0,
) -> Verifier:
    """A verifier in Python. ``data`` must survive JSON; ``files`` are laid beside the tests (``HERE / name``)."""
    style = rng.choice((_functions, _functions, _grouped, _unittest, _parametrised, _script, _tmax))
    used = "\n".join([prelude, *checks.values()])
    extra = [File(name, content.encode() if isinstance(content, str) else content)
             for name, content in (files or {}).items()]
    helpers = _helpers(rng, used)
    constants, more = _constants(rng, data or {}, needed="HERE" in used)
    body = "\n\n".join(part.strip("\n") for part in (constants, helpers, textwrap.dedent(prelude)) if part.strip())
    head = "".join(line + "\n" for line in _IMPORTS if _needs(line, used + body))
    return style(rng, head, body, {name: textwrap.dedent(text).strip("\n") for name, text in checks.items()},
                 [*extra, *more], timeout)


def shell(rng: random.Random, script: str, files: Mapping[str, str | bytes] | None = None) -> Verifier:
    """A verifier in bash alone: ``script`` is a function's body; it fails by ``return 1`` or its last command."""
    body = textwrap.indent(textwrap.dedent(script).strip("\n"), "  ")
    text = f"#!/bin/bash\nmkdir -p /logs/verifier\ncheck() {{\n{body}\n}}\n\n"
    text += f"if check; then\n  {_reward(rng, 1)}\nelse\n"
    text += "  echo 'the final state is not as asked'\n" + f"  {_reward(rng, 0)}\nfi\n"
    made = [File(name, content.encode() if isinstance(content, str) else content)
            for name, content in (files or {}).items()]
    return Verifier("harbor", (File("test.sh", text.encode(), 0o755), *made), "test.sh", 120.0)


def _needs(line: str, used: str) -> bool:
    name = line.split()[-1]
    return re.search(rf"\b{name}[.(]", used) is not None


def _helpers(rng: random.Random, used: str) -> str:
    chosen = []
    if re.search(r"(?<![.\w])read\(", used):
        chosen.append(rng.choice(READ))
    if "serving(" in used or "talk(" in used or "http(" in used:
        chosen.append(SERVE)
    if re.search(r"\brun\(", used.replace("subprocess.run(", "")):
        chosen.append(rng.choice(RUN))
    if "same(" in used:
        chosen.append(SAME)
    return "\n\n".join(part.strip("\n") for part in chosen)


def _constants(rng: random.Random, data: Mapping[str, object], *, needed: bool) -> tuple[str, list[File]]:
    """The constants as literals, or loaded from a file beside the tests."""
    size = len(json.dumps(data))
    here = "HERE = Path(__file__).resolve().parent\n"
    if data and (size > 1500 or rng.random() < 0.4):
        name = rng.choice(("truth", "expected", "cases", "data")) + ".json"
        loads = "\n".join(f"{key} = DATA[{key!r}]" for key in data)
        content = json.dumps(data, indent=1, ensure_ascii=False).encode()
        return f'{here}DATA = json.loads((HERE / "{name}").read_text(encoding="utf-8"))\n{loads}\n', [File(name,
            content)]
    literals = "\n".join(f"{key} = {pprint.pformat(value, width=110, sort_dicts=False)}" for key, value in data.items())
    return (here if needed else "") + literals, []


def _define(checks: Mapping[str, str], prefix: str, argument: str = "", indent: str = "") -> str:
    parts = [f"def {prefix}{name}({argument}):\n{textwrap.indent(body, '    ')}" for name, body in checks.items()]
    return textwrap.indent("\n\n\n".join(parts) if not indent else "\n\n".join(parts), indent)


def _functions(rng, head, body, checks, files, timeout) -> Verifier:
    return _pytest(rng, f"{head}\n{body}\n\n\n{_define(checks, 'test_')}\n", files, timeout)


def _grouped(rng, head, body, checks, files, timeout) -> Verifier:
    name = rng.choice(("TestResult", "TestFinalState", "TestOutputs"))
    return _pytest(rng, f"{head}\n{body}\n\n\nclass {name}:\n{_define(checks, 'test_', 'self', '    ')}\n", files,
        timeout)


def _parametrised(rng, head, body, checks, files, timeout) -> Verifier:
    text = f"{head}\nimport pytest\n\n{body}\n\n\n{_define(checks, '')}\n\n\n"
    text += f"@pytest.mark.parametrize('check', [{', '.join(checks)}], ids=lambda item: item.__name__)\n"
    return _pytest(rng, text + "def test_state(check):\n    check()\n", files, timeout)


def _unittest(rng, head, body, checks, files, timeout) -> Verifier:
    module = rng.choice(_NAMES)
    text = f"{head}import unittest\n\n{body}\n\n\nclass Final(unittest.TestCase):\n"
    text += f"{_define(checks, 'test_', 'self', '    ')}\n\n\nif __name__ == '__main__':\n    unittest.main()\n"
    script = f"#!/bin/bash\nmkdir -p /logs/verifier\ncd /tests\nif python3 -m unittest -v {module}; then\n"
    script += f"  {_reward(rng, 1)}\nelse\n  {_reward(rng, 0)}\nfi\n"
    return _harbor(script, [File(f"{module}.py", text.encode()), *files], timeout)


def _script(rng, head, body, checks, files, timeout) -> Verifier:
    text = f"{head}import sys\nimport traceback\n\n{body}\n\n\n{_define(checks, 'check_')}\n\n\nfailed = 0\n"
    text += f"for check in ({', '.join('check_' + name for name in checks)},):\n    try:\n        check()\n"
    text += "    except Exception:\n        failed += 1\n        traceback.print_exc()\n"
    text += "    print(check.__name__, 'failed' if failed else 'ok')\nsys.exit(1 if failed else 0)\n"
    name = rng.choice(("check.py", "verify.py", "grade.py"))
    script = f"#!/bin/bash\nmkdir -p /logs/verifier\npython3 /tests/{name}\nstatus=$?\n"
    script += f"if [ $status -eq 0 ]; then {_reward(rng, 1)}; else {_reward(rng, 0)}; fi\n"
    return _harbor(script, [File(name, text.encode()), *files], timeout)


def _tmax(rng, head, body, checks, files, timeout) -> Verifier:
    text = f"{head}\n{body}\n\n\n{_define(checks, 'test_')}\n"
    return Verifier("pytest", (File("test_final_state.py", text.encode()), *files), "test_final_state.py", timeout)


def _pytest(rng: random.Random, text: str, files: list[File], timeout: float) -> Verifier:
    name = rng.choice(_NAMES) + ".py"
    command = rng.choice((
        f"cd /tests && python3 -m pytest {name} -v",
        f"python3 -m pytest -q -rA -p no:cacheprovider /tests/{name}",
        f"python3 -I -m pytest -c /dev/null --rootdir=/tests --noconftest -p no:cacheprovider -rA /tests/{name}",
    ))
    script = rng.choice((
        f"#!/bin/bash\nmkdir -p /logs/verifier\n{command}\nif [ $? -eq 0 ]; then\n  {_reward(rng, 1)}\nelse\n  "
        f"{_reward(rng, 0)}\nfi\n",
        f"#!/usr/bin/env bash\nreward=0\nif ( {command} ); then reward=1; fi\nmkdir -p /logs/verifier\n"
        'echo "$reward" > /logs/verifier/reward.txt\n',
    ))
    return _harbor(script, [File(name, text.encode()), *files], timeout)


def _harbor(script: str, files: list[File], timeout: float) -> Verifier:
    return Verifier("harbor", (File("test.sh", script.encode(), 0o755), *files), "test.sh", timeout)


def _reward(rng: random.Random, value: int) -> str:
    if rng.random() < 0.2:
        return f"echo '{{\"reward\": {value}}}' > /logs/verifier/reward.json"
    return f"echo {value} > /logs/verifier/reward.txt"
