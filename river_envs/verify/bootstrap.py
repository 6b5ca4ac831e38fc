"""What a verifier downloads before its first test: its bootstrap, read from its scripts.

Most public Harbor tasks install curl with apt, uv with its installer, and pytest with uvx, uv or pip, each time
they grade. Those are the forms recognised here. What is recognised can be answered from a test layer
(``test_layer.py``); what is not stays as it is and, without a network, ends as ``needs-network``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from river_envs.environment import Verifier
from river_envs.verify.shell import Command, commands

UV_INSTALLER = re.compile(
    r"^https?://(?:astral\.sh/uv(?:/[\w.]+)?/install\.sh"
    r"|github\.com/astral-sh/uv/releases/(?:latest/download|download/[\w.]+)/uv-installer\.sh)$"
)
HELPERS = frozenset({"curl", "wget", "ca-certificates", "python3-pip", "python3-venv"})
"""Packages that a script installs only to run its bootstrap, when nothing else in the verifier uses them."""

_VALUE_OPTIONS = frozenset((
    "-p", "--python", "-w", "--with", "--from", "-i", "--index", "--index-url", "--default-index", "--extra-index-url",
    "-f", "--find-links", "--timeout", "--retries", "--cache-dir", "--root-user-action", "--index-strategy",
    "--link-mode", "-t", "--target-release", "-o", "--option", "--trusted-host",
))
_REFUSED_OPTIONS = frozenset((
    "-r", "--requirement", "--requirements", "-e", "--editable", "--with-requirements", "--with-editable",
    "--target", "--prefix", "--root", "-c", "--constraint", "--constraints", "--project", "--directory",
    "--script", "-m", "--module",
))
_DOWNLOADERS: dict[str, re.Pattern[str]] = {
    "git": re.compile(r"(?:\S+ )*?(?:clone .*(?:://|@)|fetch|pull|submodule)"),
    "npm": re.compile(r"(?:\S+ )*?(?:install|ci|i|add)\b"), "yarn": re.compile(r"(?:$|install|add)"),
    "pnpm": re.compile(r"(?:install|i|add)\b"), "npx": re.compile(""), "gem": re.compile("install"),
    "go": re.compile(r"(?:get|install|mod (?:download|tidy))\b"), "cargo": re.compile(r"(?:install|fetch|add)\b"),
    "bundle": re.compile("install"), "conda": re.compile("(?:install|create)"),
    "mamba": re.compile("(?:install|create)"), "docker": re.compile("(?:pull|run|build)"),
    "pipx": re.compile(""), "poetry": re.compile("(?:install|add)"),
    "huggingface-cli": re.compile("download"), "add-apt-repository": re.compile(""),
}
"""What else downloads, by command and what follows it; none of it can be answered."""
_INSTALLER_UPGRADES = frozenset({"pip", "setuptools", "wheel", "uv"})


@dataclass(frozen=True)
class Bootstrap:
    """What the scripts of a verifier install.

    ``apt`` are system packages that the image must have; ``helpers`` those that only the bootstrap itself needs.
    ``pip`` are requirements, as written. ``python`` is the version asked of uv. ``tools`` are the programs to be
    answered. ``commands`` are the recognised commands, ``unknown`` the downloads that nothing here can answer.
    """

    apt: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    pip: tuple[str, ...] = ()
    python: str | None = None
    tools: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tools)


def recognise(verifier: Verifier) -> Bootstrap:
    """The bootstrap of ``verifier``; false when it has none."""
    found = _Found()
    scripts = [file for file in verifier.files if file.path == verifier.entry or file.path.endswith((".sh", ".bash"))]
    if verifier.protocol != "pytest":
        for file in scripts:
            for command in commands(file.content):
                found.read(command)
    text = "\n".join(
        line for file in verifier.files for line in file.content.decode("utf-8", "replace").splitlines()
        if not UV_INSTALLER.search(next((word for word in line.split() if "://" in word), "").strip("'\"|;"))
        and not re.search(r"\bapt(?:-get)? .*install\b|\bcommand -v\b|\bwhich\b|^\s*#", line)
    )
    helpers = {name for name in found.apt if name in HELPERS and not re.search(rf"\b{re.escape(name)}\b", text)}
    return Bootstrap(
        apt=_unique(name for name in found.apt if name not in helpers), helpers=_unique(sorted(helpers)),
        pip=_unique(found.pip), python=found.python, tools=_unique(found.tools), commands=_unique(found.commands),
        unknown=_unique([*found.unknown, *(found.venvs if "pip" in found.tools else ())]),
    )


def requirement_name(text: str) -> str | None:
    """The package that ``text`` asks for when it is a plain requirement (name, extras, versions), else None.

    Whatever could make pip read a file, an address or an option is refused: these texts come from environments.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None
    return requirement.name if requirement.url is None and requirement.marker is None else None


class _Found:
    """What was read so far."""

    def __init__(self) -> None:
        self.apt: list[str] = []
        self.pip: list[str] = []
        self.python: str | None = None
        self.tools: list[str] = []
        self.commands: list[str] = []
        self.unknown: list[str] = []
        self.venvs: list[str] = []

    def read(self, command: Command) -> None:
        """Take in one command, if it is part of a bootstrap."""
        name, words = command.name, list(command.words[1:])
        if name in ("sudo", "env") and words:
            name, words = (words[0] or "").rsplit("/", 1)[-1], words[1:]
        if name in ("python", "python3") and words[:2] == ["-m", "pip"]:
            name, words = "pip", words[2:]
            self.tools += ["python", "python3"] if words[:1] == ["install"] else []
        understood: bool | None = None
        match name:
            case "apt-get" | "apt":
                understood = self._apt(words)
            case "curl" | "wget":
                understood = self._fetch(name, words)
            case "pip" | "pip3":
                understood = self._pip(words[1:]) if words[:1] == ["install"] else None
            case "uvx":
                understood = self._uvx(words)
            case "uv":
                understood = self._uv(words)
            case "python" | "python3" if words[:2] == ["-m", "venv"]:
                self.venvs.append(command.text)  # its pip comes first on PATH once it is activated: no shim answers it
            case str() if name in _DOWNLOADERS and _DOWNLOADERS[name].match(" ".join(word or "?" for word in words)):
                understood = False
        if understood is None:
            return
        if understood:
            self.tools.append(name or "")
            self.commands.append(command.text)
        else:
            self.unknown.append(command.text)

    def _apt(self, words: Sequence[str | None]) -> bool | None:
        plain = _positional(words)
        if not plain or plain[0] not in ("install", "update"):
            return None
        if None in plain or any("/" in (word or "") for word in plain):
            return False
        self.apt += [str(word).split("=")[0].split(":")[0] for word in plain[1:]] if plain[0] == "install" else []
        return True

    def _fetch(self, name: str, words: Sequence[str | None]) -> bool | None:
        if any(word and UV_INSTALLER.match(word) for word in words):
            self.tools += ["uv", "uvx"]
            return True
        outside = [word for word in words if word and re.match(r"https?://(?!localhost|127\.|\[|0\.0\.0\.0)", word)]
        return False if outside else None

    def _pip(self, words: Sequence[str | None]) -> bool:
        plain = _positional(words)
        if plain is None or any(word is None or requirement_name(word) is None for word in plain):
            return False
        self.pip += [str(word) for word in plain if requirement_name(str(word)) not in _INSTALLER_UPGRADES]
        if any(requirement_name(str(word)) == "uv" for word in plain):
            self.tools += ["uv", "uvx"]
        return True

    def _uvx(self, words: Sequence[str | None]) -> bool:
        asked, rest = _with_options(words)
        if asked is None or not rest or rest[0] is None:
            return False
        tool = rest[0].replace("@", "==") if "@latest" not in rest[0] else rest[0].split("@")[0]
        names = {requirement_name(text) for text in asked.packages}
        wanted = [*asked.packages, *([] if asked.source or requirement_name(tool) in names else [tool])]
        if any(requirement_name(text) is None for text in wanted):
            return False
        self.pip += wanted
        self.python = self.python or asked.python
        return True

    def _uv(self, words: Sequence[str | None]) -> bool | None:
        plain = _positional(words) or [None]
        match plain[0], plain[1] if len(plain) > 1 else None:
            case "tool", "run":
                return self._uvx(words[2:])
            case "pip", "install":
                return self._pip(words[words.index("install") + 1:])
            case "add", _:
                return self._pip(words[words.index("add") + 1:])
            case "run", _:
                asked, rest = _with_options(words[words.index("run") + 1:])
                if asked is None or not rest or any(requirement_name(text) is None for text in asked.packages):
                    return False
                self.pip += asked.packages
                self.python = self.python or asked.python
                return True
            case ("init" | "venv" | "python"), _:
                asked, _ = _with_options(words[1:])
                self.python = self.python or (asked.python if asked else None)
                return True
            case ("self" | "cache" | "help" | None), _:
                return None
            case _:
                return False


@dataclass
class _Asked:
    """What the options of uv ask for."""

    packages: list[str]
    python: str | None = None
    source: str | None = None


def _with_options(words: Sequence[str | None]) -> tuple[_Asked | None, list[str | None]]:
    """uv's options and what follows them; (None, []) when an option cannot be answered."""
    asked, words = _Asked([]), list(words)
    while words and (words[0] is None or words[0].startswith("-")):
        word = words.pop(0)
        if word is None:
            return None, []
        option, _, value = word.partition("=")
        if option in _REFUSED_OPTIONS:
            return None, []
        if re.fullmatch(r"-[pw].+", word):
            option, value = word[:2], word[2:]
        elif option in _VALUE_OPTIONS and not value:
            taken = words.pop(0) if words else None
            if taken is None:
                return None, []
            value = taken
        if option in ("-p", "--python"):
            asked.python = value
        elif option in ("-w", "--with"):
            asked.packages += [part.strip() for part in value.split(",")] if "[" not in value else [value]
        elif option == "--from":
            asked.source = value
            asked.packages.append(value)
    return asked, words


def _positional(words: Sequence[str | None]) -> list[str | None] | None:
    """The words that are no options and no values of options; None when an option cannot be answered."""
    plain: list[str | None] = []
    rest = iter(words)
    for word in rest:
        if word is None or not word.startswith("-"):
            plain.append(word)
        elif word.split("=")[0] in _REFUSED_OPTIONS:
            return None
        elif word in _VALUE_OPTIONS:
            next(rest, None)
    return plain


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    """``values`` without repetition, in order."""
    return tuple(dict.fromkeys(values))
