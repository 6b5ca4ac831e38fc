"""Fetching the Python packages of a test layer, once, outside of any sandbox.

pip runs on this machine with the user's own index settings, for the image's version of Python. It only takes wheels,
so no code of a package runs here, and only requirements that ``bootstrap.requirement_name`` accepts.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from configparser import ConfigParser, Error
from pathlib import Path

from river_envs.environment import RiverError, digest
from river_envs.verify.interpreter import Interpreter
from river_envs.verify.log import line

PIP_SECONDS = 600


class PackagesUnavailable(RiverError):
    """The packages of a test layer could not be fetched; the message says which and why."""


def site_folder(requirements: tuple[str, ...], interpreter: Interpreter, store: Path) -> Path:
    """Where ``fetch_site`` keeps these packages for this version of Python."""
    return store / digest("site-1", requirements, interpreter.short, interpreter.platforms)[:24]


def fetch_site(requirements: tuple[str, ...], interpreter: Interpreter, store: Path, *, network: bool) -> Path:
    """A folder with ``requirements`` and what they depend on, as ``site-packages`` of ``interpreter`` would hold them.

    Cached below ``store``. Raises PackagesUnavailable.
    """
    site = site_folder(requirements, interpreter, store)
    if site.is_dir():
        return site
    names = ", ".join(requirements)
    if not network:
        raise PackagesUnavailable(f"{names} for Python {interpreter.short} not fetched yet, and no network is allowed")
    store.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=store, prefix=".fetching-") as folder:
        target = Path(folder) / "site"
        command = [
            sys.executable, "-m", "pip", "install", "--target", str(target), "--only-binary=:all:", "--no-compile",
            "--disable-pip-version-check", "--no-input", "--quiet", "--python-version", interpreter.short,
            "--implementation", "cp", "--abi", f"cp{interpreter.version[0]}{interpreter.version[1]}", "--abi", "abi3",
            "--abi", "none", *(part for name in interpreter.platforms for part in ("--platform", name)),
            "--platform", "any", "--", *requirements,
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PIP_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise PackagesUnavailable(f"pip did not finish fetching {names} within {PIP_SECONDS} s") from error
        if done.returncode != 0:
            reasons = [entry for entry in done.stderr.splitlines() if entry.startswith("ERROR:")] or [done.stderr]
            raise PackagesUnavailable(f"pip could not fetch {names}: {line(reasons[-1])}")
        shutil.rmtree(target / "bin", ignore_errors=True)
        try:
            target.rename(site)
        except OSError:  # another process was faster: its folder is as good
            if not site.is_dir():
                raise
    return site


def console_scripts(site: Path) -> dict[str, tuple[str, str]]:
    """The commands that the packages in ``site`` provide: name → (module, function)."""
    scripts: dict[str, tuple[str, str]] = {}
    for path in sorted(site.glob("*.dist-info/entry_points.txt")):
        parser = ConfigParser(delimiters=("=",), interpolation=None)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        try:
            parser.read_string(path.read_text(encoding="utf-8"))
        except (Error, UnicodeDecodeError):
            continue  # a package with a broken entry point file still imports
        for name, value in parser["console_scripts"].items() if parser.has_section("console_scripts") else ():
            module, _, function = value.split("[")[0].strip().partition(":")
            if all(part.isidentifier() for part in (*module.split("."), *function.split("."))):
                scripts[name.strip()] = (module, function)
    return scripts
