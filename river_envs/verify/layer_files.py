"""The tree of a test layer: a virtual environment, the shims of the tools that a bootstrap calls, and what they may
answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from shlex import quote

from river_envs.environment import File
from river_envs.verify.bootstrap import Bootstrap
from river_envs.verify.interpreter import Interpreter
from river_envs.verify.packages import console_scripts

PREFIX = "/opt/river-tests"

_SCRIPTS = {
    "apt-get": "apt.sh", "apt": "apt.sh", "curl": "fetch.sh", "wget": "fetch.sh", "uv": "uv.sh", "uvx": "uvx.sh",
    "pip": "pip.sh", "pip3": "pip.sh", "python": "python.sh", "python3": "python.sh",
}


def shim_files(
    bootstrap: Bootstrap, provided: Iterable[str], interpreter: Interpreter | None, *, own: bool
) -> list[File]:
    """The shims, relative to ``PREFIX``.

    ``provided`` are system packages that count as installed; ``own`` says whether the layer holds packages of its own.
    """
    folder = files("river_envs.verify") / "shims"
    tools = set(bootstrap.tools)
    if tools & {"uv", "python", "python3", "pip3"}:
        tools |= {"pip", "uvx"} if "uv" in tools else {"pip"}
    found = [File(f"shims/{tool}", (folder / _SCRIPTS[tool]).read_bytes(), 0o755) for tool in sorted(tools)]
    found += [File(name, (folder / name).read_bytes(), 0o755) for name in ("lib.sh", "installer.sh")]
    answers = _answers(bootstrap, provided, interpreter, own=own)
    return [*found, File("answers.sh", answers.encode()), File("log", b"", 0o666)]


def _answers(bootstrap: Bootstrap, provided: Iterable[str], interpreter: Interpreter | None, *, own: bool) -> str:
    """Shell functions and variables that tell the shims what the layer holds."""
    short = interpreter.short if interpreter else ""
    site = f"{PREFIX}/{site_path(interpreter)}" if interpreter and own else ""
    return "\n".join((
        f"RIVER_PYTHON={quote(short)}", f"RIVER_SITE={quote(site)}",
        _case("known", bootstrap.pip), _case("provided", provided), "",
    ))


def _case(name: str, values: Iterable[str]) -> str:
    """A shell function that succeeds for the given words only."""
    pattern = " | ".join(quote(value) for value in values) or "''"
    return f"{name}() {{ case $1 in {pattern}) [ -n \"$1\" ] ;; *) return 1 ;; esac; }}"


def site_path(interpreter: Interpreter) -> str:
    """Where the packages lie, relative to ``PREFIX``."""
    return f"venv/lib/python{interpreter.short}/site-packages"


def venv_files(site: Path, interpreter: Interpreter) -> list[File]:
    """A virtual environment on the image's own Python that holds the packages of ``site`` and nothing of the
    image's.
    """
    home = interpreter.base.rsplit("/", 1)[0]
    config = f"home = {home}\ninclude-system-site-packages = false\nversion = {interpreter.full}\n"
    found = [File("venv/pyvenv.cfg", config.encode())]
    found += [File(f"venv/bin/{name}", link=interpreter.base) for name in _python_names(interpreter)]
    found += [
        File(f"{site_path(interpreter)}/{path.relative_to(site).as_posix()}", path.read_bytes())
        for path in sorted(site.rglob("*")) if path.is_file() and not path.is_symlink()
    ]
    return found + [_command(name, module, function) for name, (module, function) in console_scripts(site).items()]


def image_files(interpreter: Interpreter) -> list[File]:
    """Stand-ins that run the image's own Python, for an image that has the packages itself."""
    run = f'#!/bin/sh\nexec {quote(interpreter.executable)} "$@"\n'.encode()
    found = [File(f"venv/bin/{name}", run, 0o755) for name in _python_names(interpreter)]
    if interpreter.installed.get("pytest"):
        found.append(_command("pytest", "pytest", "console_main"))
    return found


def _python_names(interpreter: Interpreter) -> tuple[str, ...]:
    return ("python", "python3", f"python{interpreter.short}")


def _command(name: str, module: str, function: str) -> File:
    """A console script of a package, as a shell script (so that the Python in front of it can be exchanged)."""
    top = function.split(".")[0]
    code = f"import sys; from {module} import {top}; sys.argv[0] = {name!r}; sys.exit({function}())"
    script = f'#!/bin/sh\nexec {PREFIX}/venv/bin/python3 -c {quote(code)} "$@"\n'
    return File(f"venv/bin/{name}", script.encode(), 0o755)
