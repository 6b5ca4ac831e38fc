"""What an instruction says, as far as it can be read without a model: paths, blocks, and which of them are examples.

Everything here is rollout-visible: an agent reads the same text. Extraction is generous with paths (a probe that writes
one file too many loses nothing) and strict with examples (an example that is really dictated content must not become an
accusation).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from river_envs.sandbox.base import Listing

Role = Literal["example", "dictated", "command", "unclear"]

_PATH = re.compile(r"(?<![\w.:/~$}-])(?:/[A-Za-z0-9_.@%+=-]+)+/?")
_RELATIVE = re.compile(
    r"(?<![\w./:$-])(?:\./)?((?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*\.[A-Za-z][A-Za-z0-9]{0,5})(?![\w/(-])"
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_DIRECTORY = re.compile(
    r"(?:in|inside|under|within|into|from|directory|folder|project|repository|repo|workspace)\s+"
    r"(?:the\s+)?(?:directory\s+|folder\s+)?`?"
    r"(/[A-Za-z0-9_.@%+=/-]+)",
    re.IGNORECASE,
)
_EXTENSIONS = frozenset(
    (  # noqa: SIM905 - a list of seventy names would fill a screen
        "txt json jsonl csv tsv md log yaml yml toml ini cfg conf xml html sql sh py js ts rb pl c h cpp hpp rs go java"
        " out dat bin db sqlite png jpg jpeg gif svg pdf wav mp3 mp4 gz tar tgz zip bz2 xz pem key crt sha256 md5 patch"
        " diff lock service env properties ndjson parquet npy npz pkl"
    ).split()
)
_SYSTEM = ("/bin", "/usr", "/lib", "/lib64", "/sbin", "/proc", "/sys", "/dev", "/boot", "/run")
_EXAMPLE = re.compile(
    r"\b(for example|example|e\.g\.|sample|such as|for instance|looks? like|might look|illustrat\w+|placeholder"
    r"|like this|like so|in this form|this form|in the style|resembl\w+"
    r"|format|form|shape|structure|schema|template|layout)\b",
    re.IGNORECASE,
)
_DICTATED = re.compile(
    r"\b(exactly (?:this|these|the following|as follows)|exact(?:ly)? (?:content|contents|text)"
    r"|the following (?:content|contents|text|lines)"
    r"|(?:with|containing|contains?) (?:exactly )?(?:this|these|the following)|verbatim"
    r"|must (?:contain|read|be) exactly)\b",
    re.IGNORECASE,
)
_FINDS = re.compile(
    r"\b(find|compute|calculat\w+|count|determine|identif\w+|extract|recover|decode|decrypt|derive|sum|total|average"
    r"|mean|median"
    r"|rank|parse|analy[sz]e|measure|solve|estimat\w+|detect|locat\w+|reconstruct|aggregat\w+|summari[sz]e|report"
    r"|how many|which|figure out"
    r"|work out|look up|crack|infer|tally|join|filter|sort|convert|transform|generate|list|group|merge|compare"
    r"|evaluate|fit)\b",
    re.IGNORECASE,
)
_FREE = re.compile(
    r"\b(of your choice|any (?:name|value|text|content|number|string|message|format you)|arbitrary|whatever you"
    r"|random(?:ly)? (?:chosen|generated|value)"
    r"|your own (?:words|choice)|up to you|feel free|does not matter|doesn't matter)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\b(empty (?:file|marker|directory|folder|json|list|array|object)|touch|zero[- ](?:byte|length)"
    r"|placeholder file)\b",
    re.I,
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its text (with a closing newline), language tag, role, and the output path it most likely
    belongs to.
    """

    text: str
    language: str
    role: Role
    path: str | None


@lru_cache(maxsize=256)
def prose(instruction: str) -> str:
    """The instruction without its fenced blocks."""
    return _FENCE.sub("\n", instruction)


def paths(instruction: str, workdir: str = "/") -> tuple[str, ...]:
    """The absolute paths that the instruction names, in order of appearance; a trailing slash marks a directory.

    Relative file names are placed in the one directory that the prose states, or in ``workdir``.
    """
    found: dict[str, None] = {}
    for match in _PATH.finditer(instruction):
        path = match.group().rstrip(".,;:")
        if len(path) > 1 and not path.startswith("//") and _safe(path):
            found.setdefault(path)
    home = stated_directory(instruction) or workdir
    named = {posixpath.basename(path) for path in found}
    for match in _RELATIVE.finditer(prose(instruction)):
        name = match.group(1)
        if name.rsplit(".", 1)[-1].lower() in _EXTENSIONS and posixpath.basename(name) not in named and _safe(name):
            found.setdefault(posixpath.join(home, name))
    return tuple(found)


def _safe(path: str) -> bool:
    return ".." not in path.split("/") and len(path) < 256


def stated_directory(instruction: str) -> str | None:
    """The one directory in which the prose says that work happens, or None when there are several or none."""
    directories = {
        path.rstrip("/.")
        for path in _DIRECTORY.findall(prose(instruction))
        if "." not in posixpath.basename(path.rstrip("/.")) and not path.startswith(_SYSTEM)
    }
    return directories.pop() if len(directories) == 1 else None


def outputs(instruction: str, listing: Sequence[Listing], workdir: str = "/") -> tuple[str, ...]:
    """The named paths that the image does not hold: what the agent is asked to make.

    Paths in system directories and parents of other named paths are left out.
    """
    present = {entry.path for entry in listing}
    named = paths(instruction, workdir)
    missing = []
    for path in named:
        bare = path.rstrip("/")
        inside = any(other.rstrip("/").startswith(bare + "/") for other in named)
        system = path.startswith(tuple(root + "/" for root in _SYSTEM)) and not path.startswith("/usr/local/")
        if (
            bare
            and bare not in present
            and not system
            and not inside
            and bare not in missing
            and not _is_root_like(bare)
        ):
            missing.append(path)
    return tuple(missing)


def _is_root_like(path: str) -> bool:
    return path in {
        "/app",
        "/home",
        "/root",
        "/tmp",
        "/etc",
        "/var",
        "/opt",
        "/srv",
        "/tests",
        "/logs",
        "/solution",
        "/workspace",
    }


def inputs(instruction: str, listing: Sequence[Listing], workdir: str = "/") -> tuple[str, ...]:
    """The named paths that the image holds as files."""
    present = {entry.path for entry in listing if entry.kind == "file"}
    return tuple(path for path in paths(instruction, workdir) if path.rstrip("/") in present)


def blocks(instruction: str, candidates: Iterable[str] = ()) -> tuple[Block, ...]:
    """The fenced blocks of the instruction with their roles. ``candidates`` are output paths a block may belong to."""
    candidates = tuple(candidates)
    found = []
    for match in _FENCE.finditer(instruction):
        before = instruction[: match.start()]
        language, text = match.group(2).lower(), _dedent(match.group(3))
        if text.strip():
            found.append(Block(text, language, _role(before, language, text), _owner(before, candidates)))
    return tuple(found)


def _dedent(text: str) -> str:
    lines = text.split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines).rstrip() + "\n"


def _role(before: str, language: str, text: str) -> Role:
    """What the words just before a block make of it. Words of dictation win: they forbid an accusation."""
    if language in {"bash", "sh", "shell", "console"} or text.lstrip().startswith(("$ ", "./", "python3 ", "bash ")):
        return "command"
    lead = _lead(before)
    if _DICTATED.search(lead) and not re.search(
        r"\b(example|sample|e\.g\.|format|for instance)\b", lead, re.IGNORECASE
    ):
        return "dictated"
    return "example" if _EXAMPLE.search(lead) else "unclear"


def _lead(before: str) -> str:
    """The paragraph before a block, at most its last 300 characters."""
    paragraphs = re.split(r"\n[ \t]*\n", _FENCE.sub("\n\n", before).rstrip())
    return paragraphs[-1][-300:] if paragraphs else ""


def _owner(before: str, candidates: Sequence[str]) -> str | None:
    """The candidate that was named last before the block; the only candidate when none was."""
    position, owner = -1, None
    for path in candidates:
        at = max(before.rfind(path), before.rfind(posixpath.basename(path.rstrip("/"))))
        if at > position:
            position, owner = at, path
    return owner or (candidates[0] if len(candidates) == 1 else None)


def asks_to_find(instruction: str) -> bool:
    """Whether the instruction asks for a value that has to be found or computed."""
    return bool(_FINDS.search(prose(instruction)))


def leaves_free(instruction: str) -> bool:
    """Whether the instruction lets the agent choose values: then two different answers may both be right."""
    return bool(_FREE.search(instruction))


def asks_for_empty(instruction: str) -> bool:
    """Whether an empty artefact may be what the instruction asks for."""
    return bool(_EMPTY.search(prose(instruction)))


def sentences_naming(instruction: str, name: str) -> tuple[str, ...]:
    """The sentences (or list lines) of the instruction that mention ``name``."""
    pieces = re.split(r"(?<=[.!?])\s+|\n", instruction)
    return tuple(piece for piece in pieces if name in piece)
