"""Test scripts that an agent's leftovers cannot steer: the same tests, started with care.

``harden_tests`` rewrites a verifier's script: a prologue ends the agent's processes, empties the reward folder, removes
from /tests what the verifier did not put there, and pins the programs that the tests use to the paths they have in the
untouched image; every pytest is started by ``river_pytest``: ``python3 -I -S`` with the package folders named one by
one (no sitecustomize, no .pth file, no module of the working directory), ``-c /dev/null --rootdir=/tests
--noconftest -p no:cacheprovider``.

**What stays open**: an agent that is root can overwrite the interpreter, pytest or bash themselves. Only an image of
the verifier's own closes that.
"""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import dataclass, replace
from shlex import quote

from river_envs.environment import Environment, File, RiverError
from river_envs.formats.writer import harbor_tests
from river_envs.probes import leads
from river_envs.sandbox.base import Sandbox
from river_envs.verify.bootstrap import recognise
from river_envs.verify.log import line
from river_envs.verify.shell import Command, commands

_SETTINGS = ("pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml")
_ASK = """import json, os, sys
print(json.dumps({"python": sys.executable, "path": [entry for entry in sys.path[1:] if os.path.isdir(entry)]}))
"""
_WHERE = 'for tool in "$@"; do command -v -- "$tool" || true; done'
_LAUNCHERS = frozenset(("uv", "uvx", "poetry", "pipx", "timeout", "env", "xvfb-run"))
_BASICS = ("bash", "sh", "env", "cat", "cp", "mv", "rm", "mkdir", "ls", "grep", "sed", "awk", "find", "head", "tail")

PROLOGUE = """#!/bin/bash
# Hardened: what the agent left behind cannot change how these tests run.
river_path=$PATH
PATH=/usr/bin:/bin:/usr/sbin:/sbin
unset BASH_ENV ENV PYTEST_ADDOPTS PYTEST_PLUGINS PYTHONSTARTUP
export PYTHONDONTWRITEBYTECODE=1 PYTHONNOUSERSITE=1
{kill}mkdir -p /logs/verifier
find /logs/verifier -mindepth 1 -delete
find /tests -mindepth 1 ! -type d | while IFS= read -r river_file; do
  case ${{river_file#/tests/}} in
    {own}) ;;
    *) rm -f -- "$river_file" ;;
  esac
done
river_bin=$(mktemp -d)
chmod 755 "$river_bin"
for river_tool in {tools}; do
  printf '#!/bin/sh\\nexec %s "$@"\\n' "$river_tool" >"$river_bin/${{river_tool##*/}}"
  chmod 755 "$river_bin/${{river_tool##*/}}"
done
cat >"$river_bin/river_pytest" <<'RIVER_PYTEST'
#!/bin/sh
exec {python} -I -S -c {code} {options} "$@"
RIVER_PYTEST
chmod 755 "$river_bin/river_pytest"
PATH=$river_bin:$river_path
hash -r
# The tests' own script:
"""
_KILL = """river_keep=" 1 $$ "
river_pid=$$
while [ "$river_pid" -gt 1 ]; do
  while read -r river_key river_value _; do
    if [ "$river_key" = PPid: ]; then river_pid=$river_value; fi
  done <"/proc/$river_pid/status"
  river_keep="$river_keep$river_pid "
done
for river_process in /proc/[0-9]*; do
  case $river_keep in
    *" ${river_process#/proc/} "*) ;;
    *) kill -9 "${river_process#/proc/}" 2>/dev/null ;;
  esac
done
"""
_CODE = "import os, sys; sys.path += {path} + [os.getcwd()]; import pytest; sys.exit(pytest.main(sys.argv[1:]))"


@dataclass(frozen=True)
class Tools:
    """What the untouched image offers: its Python, where that finds packages, and the programs that the tests use."""

    python: str = "/usr/bin/python3"
    path: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


def look(sandbox: Sandbox, environment: Environment) -> Tools:
    """Look for the tools in a sandbox of the untouched image. Raises RiverError where it has no python3."""
    variables = {**dict(environment.env), **dict(environment.verifier.env)}
    asked = sandbox.exec(["python3", "-c", _ASK], timeout_sec=60, env=variables)
    try:
        found = json.loads(asked.text.splitlines()[-1])
        python, path = str(found["python"]), tuple(str(entry) for entry in found["path"])
    except (ValueError, KeyError, IndexError) as error:
        raise RiverError(f"the image of {environment.name} has no python3 to pin: {line(asked.text)}") from error
    wanted = sorted({*leads.programs(environment, solution=False), *_BASICS, "python", "python3"})
    names = [name for name in wanted if re.fullmatch(r"[A-Za-z0-9_.+-]{1,40}", name)]
    answer = sandbox.exec(["/bin/sh", "-c", _WHERE, "sh", *names], timeout_sec=60, env=variables)
    programs = tuple(text for text in answer.text.splitlines() if re.fullmatch(r"/[\w./+-]+", text))
    return Tools(python, path, programs)


def harden_tests(environment: Environment, tools: Tools, *, kill: bool = True) -> Environment:
    """``environment`` as a Harbor task with a hardened script. ``kill`` ends the agent's processes first: leave it out
    where the tests need them (a server). Raises RiverError where the verifier has no script to harden.
    """
    verifier = environment.verifier
    files = harbor_tests(environment)
    entry = verifier.entry if verifier.protocol == "harbor" else "test.sh"
    script = next((file for file in files if file.path == entry), None)
    if script is None:
        raise RiverError(f"the verifier of {environment.name} has no {entry} to harden")
    answered = set(recognise(replace(verifier, files=tuple(files), entry=entry)).tools)
    tools = replace(tools, programs=tuple(p for p in tools.programs if _answerable(p, answered)))
    body = rewritten(script.content, pytest_options(files), own_python=not answered)
    text = prologue(files, tools, kill=kill).encode() + body
    hardened = File(entry, text, 0o755)
    kept = tuple(hardened if file is script else _further(file, files, answered) for file in files)
    made = replace(verifier, protocol="harbor", files=kept, entry=entry, parser=None)
    return replace(environment, verifier=made)


def _further(file: File, files: list[File], answered: set[str]) -> File:
    """Another script of the verifier: it is started by the hardened one, which hands ``river_pytest`` on to it."""
    if not file.path.endswith((".sh", ".bash")) or file.link is not None:
        return file
    return replace(file, content=rewritten(file.content, pytest_options(files), own_python=not answered))


def _answerable(program: str, answered: set[str]) -> bool:
    """Whether a program may be pinned: a script that installs its own tools must find those, not the image's."""
    name = posixpath.basename(program)
    return not answered or (name not in answered and not re.match(r"python|pip|pytest|uv", name))


def prologue(files: list[File], tools: Tools, *, kill: bool) -> str:
    """What runs before the tests' own script."""
    own = " | ".join(quote(file.path) for file in files) or "''"
    return PROLOGUE.format(
        kill=_KILL if kill else "",
        own=own,
        tools=" ".join(quote(program) for program in tools.programs) or quote(tools.python),
        python=quote(tools.python),
        code=quote(_CODE.format(path=json.dumps(list(tools.path)))),
        options=" ".join(pytest_options(files)),
    )


def pytest_options(files: list[File]) -> list[str]:
    """The options that keep pytest to the verifier's own files: its settings and conftest.py count, no others."""
    own = {file.path for file in files}
    settings = next((f"/tests/{name}" for name in _SETTINGS if name in own), "/dev/null")
    conftest = any(posixpath.basename(path) == "conftest.py" for path in own)
    alone = "--confcutdir=/tests" if conftest else "--noconftest"
    return ["-c", quote(settings), "--rootdir=/tests", alone, "-p", "no:cacheprovider"]


def rewritten(script: bytes, options: list[str], *, own_python: bool = True) -> bytes:
    """``script`` with every pytest started by ``river_pytest`` (where a launcher such as uvx starts it, or the script
    installs a pytest of its own: with the options that pytest itself understands).
    """
    edits: list[tuple[int, int, bytes]] = []
    for command in commands(script):
        edit = _edit(command, options, own_python)
        if edit:
            edits.append(edit)
    for start, end, text in sorted(edits, reverse=True):
        script = script[:start] + text + script[end:]
    return script


def _edit(command: Command, options: list[str], own_python: bool) -> tuple[int, int, bytes] | None:
    """(from, to, text) for one command, or None when it is left as it is."""
    words = list(command.words)
    name = command.name or ""
    if "pytest" not in {name, *words} and name != "py.test":
        return None
    first = 0
    if re.fullmatch(r"python3?(?:\.\d+)?", name):
        first = next((at + 1 for at in range(len(words) - 1) if words[at : at + 2] == ["-m", "pytest"]), 0)
        if not first:
            return None
    elif name in _LAUNCHERS:
        first = len(words) - 1 - words[::-1].index("pytest")
    elif name not in {"pytest", "py.test"}:
        return None
    if own_python and name not in _LAUNCHERS:
        return command.spans[0][0], command.spans[first][1], b"river_pytest"
    return command.spans[first][1], command.spans[first][1], (" " + " ".join(options)).encode()
