"""From an environment to the files of one attempt: read the tests, amend, fill in, decide what it would prove."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from river_envs.environment import Environment, File
from river_envs.probes import instruction as wording
from river_envs.probes.artefacts import stub
from river_envs.probes.base import Survey
from river_envs.probes.instruction import PROGRAMS
from river_envs.probes.keywords import words_only
from river_envs.probes.leads import modules
from river_envs.synthesis import claims
from river_envs.synthesis.amend import Amendment, apply
from river_envs.synthesis.filling import Filling, filled
from river_envs.synthesis.leaves import word
from river_envs.synthesis.reading import read
from river_envs.synthesis.shapes import Artefact, Demands, Shape
from river_envs.synthesis.shells import read_scripts

_BINARY: Final = frozenset(
    (".png", ".zip", ".gz", ".tgz", ".tar", ".xz", ".bz2", ".jpg", ".pdf", ".db", ".sqlite", ".npy")
)
_PYTHON: Final = "#!/usr/bin/env python3\nprint({text!r}, end='')\n"


@dataclass(frozen=True)
class Draft:
    """One filling of everything that the tests demand. ``places`` are the determined places that another salt fills
    differently; without any an acceptance proves nothing.
    """

    files: tuple[File, ...]
    fillings: tuple[Filling, ...]
    demands: Demands
    places: tuple[str, ...]
    cause: str
    why: str = ""


@dataclass(frozen=True)
class Source:
    """What a draft is made from beside the environment: kept in an attempt's facts, so that a draft can be made again.

    ``present`` are the files of the image that the tests name and that are not asked for, ``asked`` what the
    instruction asks for.
    """

    present: tuple[str, ...]
    workdir: str
    asked: tuple[str, ...] = ()
    language: str = "python"

    def plain(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "present": list(self.present),
            "workdir": self.workdir,
            "asked": list(self.asked),
            "language": self.language,
        }

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Source:
        """From plain values."""
        return cls(tuple(facts["present"]), facts["workdir"], tuple(facts["asked"]), facts["language"])


def source(environment: Environment, survey: Survey, language: str) -> Source:
    """What the image holds that the tests name: those files are none of ours unless the instruction asks for them."""
    tests = b"\n".join(file.content for file in environment.verifier.files if len(file.content) < 1 << 20)
    outputs = wording.outputs(environment.instruction, survey.listing, survey.workdir)
    asked = tuple(dict.fromkeys(path.rstrip("/") for path in outputs))
    present = tuple(
        entry.path
        for entry in survey.listing
        if entry.path not in asked and posixpath.basename(entry.path).encode() in tests
    )
    return Source(present[:500], survey.workdir, asked[:200], language)


def demands(environment: Environment, origin: Source) -> Demands:
    """What the tests demand, freshly read (a demand is changed by amendments)."""

    def asked(path: str) -> bool:
        below = any(path.startswith(other + "/") for other in origin.asked)
        return path in origin.asked or below or posixpath.basename(path) in environment.instruction

    if origin.language == "shell":
        return read_scripts(environment, origin.present, origin.workdir, asked)
    return read([(m.path, m.tree) for m in modules(environment)], origin.present, origin.workdir, asked)


@lru_cache(maxsize=64)
def _drafted(environment: Environment, origin: Source, salt: int, amendments: tuple[Amendment, ...]) -> Draft:
    found = demands(environment, origin)
    for amendment in amendments:
        apply(found, amendment)
    why = claims.silent(environment, found) or ""
    artefacts = [a for a in found.artefacts.values() if not _parent(a, found.artefacts)]

    def options(shape: Shape) -> Sequence[Any]:
        return claims.allowed(shape, environment.instruction)

    files, ours, theirs = [], [], []
    echo = claims.keyword_only(artefacts) and claims.words_alone(artefacts)
    for artefact in artefacts:
        file, fillings = _file(environment, artefact, salt, options, echo)
        _, others = _file(environment, artefact, salt + 1, options, echo)
        files.append(file)
        ours += fillings
        theirs += others
    places = tuple(dict.fromkeys(leaf.place for leaf in claims.proving(environment, found, ours, theirs)))
    unmet = [place for filling in ours for place in filling.unmet]
    if not why and unmet:
        why = f"no value was found for {unmet[0]}"
    if not why and not places:
        why = "no place holds a determined value that the tests leave open"
    if not why and any(_idle(artefact) for artefact in artefacts):
        why = "the tests run a program in a way that could not be followed"
    if not why and any(artefact.exits >= {"zero", "other"} for artefact in artefacts):
        why = "a program must end in different ways"
    return Draft(tuple(files), tuple(ours), found, places, _cause(artefacts), why)


def draft(environment: Environment, origin: Source, salt: int, amendments: Collection[Amendment] = ()) -> Draft:
    """A filling with ``salt``. ``why`` tells where it could prove nothing."""
    return _drafted(environment, origin, salt, tuple(amendments))


def _parent(artefact: Artefact, artefacts: dict[str, Artefact]) -> bool:
    """Whether an artefact is only the folder of others."""
    return any(path.startswith(artefact.path + "/") for path in artefacts)


def _idle(artefact: Artefact) -> bool:
    """Whether an artefact is a program of which nothing is demanded that was read: it is used in some other way."""
    program = posixpath.splitext(artefact.path)[1].lstrip(".") in PROGRAMS
    printed = artefact.printed is not None and artefact.printed.asks
    return (program or artefact.printed is not None) and not printed and not artefact.text.asks


def _cause(artefacts: Sequence[Artefact]) -> str:
    if claims.keyword_only(artefacts):
        return "keyword-only"
    asks = any(root.asks for a in artefacts for root in (a.text, a.printed) if root is not None)
    return "shape-only" if asks else "existence-only"


def _file(
    environment: Environment, artefact: Artefact, salt: int, options: Any, echo: bool
) -> tuple[File, list[Filling]]:
    """One artefact as a file, and how it was filled."""
    relative = artefact.path.strip("/")
    if artefact.kind == "directory":
        return File(f"{relative}/.keep"), []
    mode = artefact.mode or (0o755 if artefact.executable or artefact.printed is not None else 0o644)
    suffix = posixpath.splitext(artefact.path)[1].lower()
    if artefact.printed is not None:
        printed, filling = filled(artefact, artefact.printed, salt, options)
        return File(relative, _program(artefact, suffix, printed).encode(), mode), [filling]
    if suffix in _BINARY:
        return File(relative, stub(artefact.path).content, mode), []
    body, filling = filled(artefact, artefact.text, salt, options)
    if echo:
        body = f"{body}{words_only(environment.instruction)}{word(salt, artefact.path)}\n"
    while len(body) < min(artefact.size, 20_000):
        body += word(salt, len(body)) + "\n"
    return File(relative, body.encode(), mode), [filling]


def _program(artefact: Artefact, suffix: str, printed: str) -> str:
    """A program that prints the same for every input; words that the tests look for in its source are comments."""
    status = 1 if artefact.exits == {"other"} else 0
    comments = "".join(f"# {piece}\n" for piece in artefact.text.contains if "\n" not in piece)
    if suffix == ".py":
        head, _, rest = _PYTHON.format(text=printed).partition("\n")
        return f"{head}\n{comments}{rest}" + ("raise SystemExit(1)\n" if status else "")
    return f"#!/bin/sh\n{comments}printf '%s' {shlex.quote(printed)}\nexit {status}\n"
