"""An Apptainer definition cut into stages, headers and sections, exactly as Apptainer cuts it.

Apptainer knows nothing of shell quoting: **any** line whose first word starts with ``%`` begins a new section, also in
the middle of a heredoc of ``%post``. A known section name there silently ends the script and diverts its rest (an RPM
spec with ``%files`` does that); an unknown one makes Apptainer refuse the file. Both are kept as they are and pointed
out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from river_envs.images.recipe import RecipeError

SECTIONS = frozenset(
    {"help", "setup", "files", "labels", "environment", "pre", "post", "runscript", "test", "startscript", "arguments"}
)
APP_SECTIONS = frozenset(
    {"appinstall", "applabels", "appfiles", "appenv", "apptest", "apphelp", "apprun", "appstart"}
)
HEADERS = frozenset(
    {"bootstrap", "from", "includecmd", "mirrorurl", "updateurl", "osversion", "include", "library", "registry",
     "namespace", "stage", "product", "user", "regcode", "productpgp", "registerurl", "modules", "fingerprints",
     "confurl", "setopt"}
)
_OPENS = re.compile(r"(?<!<)<<-?\s*\\?(['\"]?)([A-Za-z0-9_.-]+)\1")


@dataclass
class Section:
    """One section: ``arguments`` stand on its own line, the ``lines`` below; ``line`` is where it starts."""

    name: str
    arguments: str
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def body(self) -> str:
        """The lines as one text."""
        return "".join(self.lines)


@dataclass
class Definition:
    """One stage of a definition file."""

    headers: dict[str, str] = field(default_factory=dict)
    sections: list[Section] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def body(self, name: str) -> str:
        """The bodies of all sections called ``name``, one after the other, as Apptainer joins them."""
        return "".join(section.body for section in self.sections if section.name == name)

    def arguments(self, name: str) -> str:
        """The arguments of the last section called ``name`` that has any."""
        return next((s.arguments for s in reversed(self.sections) if s.name == name and s.arguments), "")


def read_definition(text: str) -> list[Definition]:
    """The stages of a definition file. Raises RecipeError where Apptainer would refuse the file."""
    text = text.replace("\r\n", "\n")
    starts = [match.start() for match in re.finditer(r"(?mi)^bootstrap:", text)]
    if not starts:
        raise RecipeError("the Apptainer definition has no 'Bootstrap:' header")
    edges = [*starts, len(text)]
    before = text[: starts[0]]
    if any(line.strip() and not line.strip().startswith("#") for line in before.split("\n")):
        starts[0] = 0  # other headers, or a section, stand before the first Bootstrap line
        edges[0] = 0
    return [
        _stage(text[start:end], text.count("\n", 0, start))
        for start, end in pairwise(edges)
    ]


def _stage(text: str, first_line: int) -> Definition:
    stage = Definition()
    lines = text.split("\n")
    header: list[str] = []
    current: Section | None = None
    heredoc: str | None = None
    for offset, line in enumerate(lines):
        number = first_line + offset + 1
        if line.lstrip().startswith("%"):
            if heredoc and current:
                stage.notes.append(
                    f"line {number}: {line.strip()[:60]!r} inside the heredoc {heredoc!r} of %{current.name} starts a "
                    f"new section: Apptainer cuts the script there"
                )
            current = _open_section(line, number, heredoc)
            stage.sections.append(current)
            heredoc = None
            continue
        if current is None:
            header.append(line)
            continue
        current.lines.append(line + ("\n" if offset + 1 < len(lines) else ""))
        heredoc = _heredoc_after(line, heredoc)
    stage.headers = _headers(header)
    return stage


def _open_section(line: str, number: int, heredoc: str | None) -> Section:
    name, _, arguments = line.lstrip("%").partition(" ")
    name = name.strip().lower()
    if line[0] != "%":
        name = ""  # Apptainer finds the section by its first word but names it by its first character
    if name not in SECTIONS and name not in APP_SECTIONS:
        inside = f", inside the heredoc {heredoc!r}" if heredoc else ""
        raise RecipeError(f"line {number}: invalid section {line.strip()[:60]!r}{inside}: Apptainer refuses the file")
    return Section(name, arguments.partition("#")[0].strip(), number)


def _heredoc_after(line: str, heredoc: str | None) -> str | None:
    """The delimiter of the heredoc that is open after ``line``; a guess good enough for a note."""
    if heredoc:
        return None if line.strip() == heredoc else heredoc
    if line.lstrip().startswith("#"):
        return None
    match = _OPENS.search(line)
    return match.group(2) if match else None


def _headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    pending: tuple[str, str] | None = None
    for line in lines:
        line = line.strip()
        if not line or line.startswith("#"):
            pending = None
            continue
        content = line.partition("#")[0].strip()
        if pending:
            key, value = pending[0], pending[1] + content
        else:
            key, colon, value = content.partition(":")
            key, value = key.strip().lower(), value.strip()
            if not colon:
                raise RecipeError(f"the header {content[:60]!r} of the Apptainer definition has no value")
        pending = (key, value[:-1]) if value.endswith("\\") else None
        if not pending:
            if key not in HEADERS and not re.fullmatch(r"otherurl\d+", key):
                raise RecipeError(f"invalid header {key[:40]!r} in the Apptainer definition")
            headers[key] = value
    return headers
