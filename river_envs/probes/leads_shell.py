"""Leads in the verifier's shell scripts and in the image's recipe, read as bash reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from river_envs.environment import Environment, File
from river_envs.probes.leads import Lead
from river_envs.verify.shell import Command, commands

_INSTALLERS = frozenset(("apt-get", "apt", "apk", "yum", "dnf", "pip", "pip3", "uv", "uvx", "npm", "cargo", "gem"))
_FETCHERS = frozenset(("curl", "wget"))
_FILE_TIMES = re.compile(r"\s-(?:[acm](?:min|time)|newer\w*)\b|%[TAC]")
_OUTSIDE = re.compile(r"https?://(?!localhost|127\.|\[?::1|0\.0\.0\.0)")
_EMBEDDED = (
    ("random", re.compile(r"\brandom\.\w+\(|\$RANDOM|/dev/urandom|uuid4\(|Math\.random\(")),
    ("clock", re.compile(r"\btime\.time\(|datetime\.now\(|date\.today\(|Date\.now\(")),
    ("sleep", re.compile(r"\btime\.sleep\(")),
)
"""Signs in programs of other languages that a script carries in a here document."""
_REWARD = re.compile(r"/logs/verifier/reward\.(?:txt|json)")


def scripts(environment: Environment, *, solution: bool = False) -> Iterator[tuple[str, File]]:
    """The shell scripts of the verifier (and of the reference), with the name a lead shows."""
    for file in environment.verifier.files:
        if file.path.endswith((".sh", ".bash")) or (
            file.path == environment.verifier.entry and environment.verifier.protocol != "pytest"
        ):
            yield f"tests/{file.path}", file
    if solution and environment.reference:
        for file in environment.reference.files:
            if file.path.endswith((".sh", ".bash")) or file.path == environment.reference.entry:
                yield f"solution/{file.path}", file


def programs(environment: Environment, *, solution: bool = True) -> frozenset[str]:
    """The names of the commands in the scripts."""
    return frozenset(
        command.name for _, file in scripts(environment, solution=solution) for command in commands(file.content)
        if command.name
    )


def find(environment: Environment) -> Iterator[Lead]:
    """The leads of scripts and recipe."""
    for name, file in scripts(environment):
        found = commands(file.content)
        text = file.content.decode("utf-8", "replace")
        for command in found:
            kind = _kind(command)
            if kind:
                yield Lead(kind, name, _line(text, command.text), command.text[:160])
        yield from _stops(name, text, found)
        for number, line in enumerate(text.splitlines(), 1):
            for kind, pattern in _EMBEDDED:
                if pattern.search(line):
                    yield Lead(kind, name, number, line.strip()[:160])
    yield from _recipe(environment)


def _kind(command: Command) -> str:
    """The lead that one command is, or ""."""
    words = [word or "" for word in command.words[1:]]
    name = command.name or ""
    if name in _INSTALLERS and ("install" in words or name == "uvx" or (name == "uv" and "run" in words)):
        return "installs"
    if name in _FETCHERS and _OUTSIDE.search(command.text):
        return "network"
    if name == "sleep":
        return "sleep"
    if name == "date" and not any(word.startswith(("-d", "--date", "-r")) for word in words):
        return "clock"
    looks = {"stat": True, "date": words[:1] == ["-r"], "find": _FILE_TIMES.search(command.text) is not None}
    if looks.get(name):
        return "file-times"
    if name in {"shuf", "uuidgen"} or "$RANDOM" in command.text or "/dev/urandom" in command.text:
        return "random"
    if name in {"nproc", "lscpu"}:
        return "processors"
    if name == "free" or re.search(r"/proc/meminfo|SC_(?:AV)?PHYS_PAGES", command.text):
        return "memory"
    if name == "chmod" and any(re.fullmatch(r"[0-7]?777|a\+rwx|o\+w", word) for word in words):
        return "world-writable"
    return ""


def _stops(name: str, text: str, found: list[Command]) -> Iterator[Lead]:
    """``set -e`` while nothing has written a reward yet: a failing test then ends the script without one."""
    for command in found:
        words = [word or "" for word in command.words[1:]]
        if command.name == "set" and any(re.fullmatch(r"-[a-z]*e[a-z]*|errexit", word) for word in words):
            at = text.find(command.text.split("\n")[0])
            reward = _REWARD.search(text)
            trapped = re.search(r"\btrap\b[^\n]*\b(?:EXIT|ERR)\b", text)
            if not trapped and (reward is None or at < reward.start()):
                yield Lead("stops-before-reward", name, _line(text, command.text), command.text[:160])


def _recipe(environment: Environment) -> Iterator[Lead]:
    text = environment.image.text
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r"\bgit\s+(?:-\S+\s+\S+\s+)?(?:clone|init|commit)\b", line):
            yield Lead("git-history", "image", number, line.strip()[:160])
        if re.search(r"\bchmod\b[^&|;]*\b0?777\b", line):
            yield Lead("world-writable", "image", number, line.strip()[:160])
    if any("/.git/" in f"/{file.path}" for file in environment.image.context):
        yield Lead("git-history", "image", 0, ".git in the build context")


def _line(text: str, needle: str) -> int:
    """The line on which a command begins; 0 when it is written over several."""
    at = text.find(needle)
    return text.count("\n", 0, at) + 1 if at >= 0 else 0
