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

from river_envs.probes.wording import FENCE, READ
from river_envs.probes.wording import asks_for_empty as asks_for_empty
from river_envs.probes.wording import asks_to_find as asks_to_find
from river_envs.probes.wording import leaves_free as leaves_free
from river_envs.probes.wording import prose as prose
from river_envs.probes.wording import sentences_naming as sentences_naming
from river_envs.sandbox.base import Listing

Role = Literal["example", "dictated", "command", "unclear"]

_PATH = re.compile(
    r"(?<![\w.:/~$}>-])(?<!`\*)(?<!`\*\*)"
    r"(?<!GET )(?<!PUT )(?<!POST )(?<!HEAD )(?<!PATCH )(?<!DELETE )(?:/[A-Za-z0-9_.@%+=-]+)+/?"
)
_RELATIVE = re.compile(
    r"(?<![\w./:$-])(?:\./)?((?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*\.[A-Za-z][A-Za-z0-9]{0,5})(?![\w/(-])"
)
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
    r"\b(for example|example|e\.g\.|sample|such as|for instance|looks? (?:like|as follows)|might look"
    r"|illustrat\w+|placeholder|like this|like so|in this form|this form|in the style|resembl\w+"
    r"|format|form|shape|structure|schema|template|layout)\b",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"\b(examples?|sample|invented|made[- ]up|placeholders?|to show|illustrat\w+|unrelated|fictional|dummy|not real)\b",
    re.IGNORECASE,
)
_DICTATED = re.compile(
    r"\b(exactly (?:this|these|the following|as follows)|exact(?:ly)? (?:content|contents|text)"
    r"|the following (?:content|contents|text|lines)"
    r"|(?:with|containing|contains?) (?:exactly )?(?:this|these|the following)|verbatim"
    r"|must (?:contain|read|be) exactly)\b",
    re.IGNORECASE,
)
_OVERWRITES = re.compile(
    r"\b(?:write|save|put|place|store (?:it|them|the|this)"
    r"|(?:dump|export|output) (?:it|them|the|this|those|to|into|your)"
    r"|should land)\b(?:(?!\b(?:reads?|from|append)\b)[^.!?\n]){0,60}?"
    r"\b(?:to|in|into|as)\s+(?:the (?:file|path) )?[`\"'*]{0,3}$",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\b(?:do not|don't|must not|mustn't|never|should not|shouldn't|without)\s+(?:\w+\s+){0,3}?"
    r"(?:create|creating|write|writing|make|making|leave|leaving|add|adding|produce|use|using|rely)\b[^.!?\n]{0,40}$",
    re.IGNORECASE,
)
_ROUTE = re.compile(
    r"\b(?:serv\w+|end ?points?|routes?|requests?|urls?|https?|hits?|curl|GET|POST|PUT|DELETE|polls?"
    r"|localhost\S*|queries)\b"
    r"\W{0,3}(?:(?:to|for|at|on|of|the|is|like)\W{1,3}){0,2}$",
    re.IGNORECASE,
)
_PATTERN = re.compile(r"[<>{}*\[\]$]|YYYY|MMDD|(?<![A-Za-z])N{1,3}(?![A-Za-z])|(?<![A-Za-z])X{2,}(?![A-Za-z])")
_RUNS = re.compile(
    r"\b(?:executable|shebang|chmod (?:a?\+x|7)|standard input|stdin)\b", re.IGNORECASE
)
"""Said of something that is run: where a name has no suffix, it is taken for that."""
MOST_PATHS = 200
"""Paths of one instruction that are looked at."""
PROGRAMS = frozenset("py sh bash js ts rb pl c cc cpp rs go java lua php awk".split())  # noqa: SIM905
"""Suffixes of files that are run or compiled."""


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
def paths(instruction: str, workdir: str = "/") -> tuple[str, ...]:
    """The absolute paths that the instruction names, in order of appearance; a trailing slash marks a directory.

    Relative file names are placed in the one directory that the prose states, or in ``workdir``.
    """
    found: dict[str, None] = {}
    for match in _PATH.finditer(instruction[:READ]):
        path = match.group().rstrip(".,;:")
        if len(path) > 2 and not path.startswith("//") and _safe(path):
            found.setdefault(path)
    home = stated_directory(instruction) or workdir
    named = {posixpath.basename(path) for path in found}
    for match in _RELATIVE.finditer(prose(instruction)):
        name = match.group(1)
        if name.rsplit(".", 1)[-1].lower() in _EXTENSIONS and posixpath.basename(name) not in named and _safe(name):
            found.setdefault(posixpath.join(_placed(instruction, match.end()) or home, name))
    return tuple(found)[:MOST_PATHS]


def _safe(path: str) -> bool:
    return ".." not in path.split("/") and len(path) < 256


def _placed(instruction: str, end: int) -> str | None:
    """The directory that the words right behind a file name put it in ("called x.txt in /app")."""
    after = re.match(
        r"[`\"'*]{0,3},?\s*(?:file\s+)?(?:in|into|inside|under|within|below)\s+(?:the\s+)?(?:directory\s+|folder\s+)?"
        r"[`\"'*]{0,3}(/[A-Za-z0-9_.@%+=/-]+)",
        prose(instruction)[end : end + 120],
    )
    directory = after.group(1).rstrip("/.,") if after else ""
    return directory if directory and _safe(directory) else None


def stated_directory(instruction: str) -> str | None:
    """The one directory in which the prose says that work happens, or None when there are several or none."""
    directories = {
        path.rstrip("/.")
        for path in _DIRECTORY.findall(prose(instruction))
        if "." not in posixpath.basename(path.rstrip("/.")) and not path.startswith(_SYSTEM)
    }
    return directories.pop() if len(directories) == 1 else None


def outputs(instruction: str, listing: Sequence[Listing], workdir: str = "/") -> tuple[str, ...]:
    """What the agent is asked to make: the named paths that the image does not hold, and those that it holds but that
    are to be written ("save it to ...").

    Paths in system directories, parents of other named paths, patterns (``YYYY-MM.tsv``) and what must not be made are
    left out.
    """
    present = {entry.path: entry.kind for entry in listing}
    named = paths(instruction, workdir)
    found: list[str] = []
    for path in named:
        bare = path.rstrip("/")
        inside = any(other.rstrip("/").startswith(bare + "/") for other in named)
        system = path.startswith(tuple(root + "/" for root in _SYSTEM)) and not path.startswith("/usr/local/")
        wanted = bare not in present or (present[bare] == "file" and _said_before(instruction, bare, _OVERWRITES))
        if not bare or not wanted or system or inside or bare in found or _is_root_like(bare):
            continue
        if _is_route(instruction, bare):
            continue
        if not _is_pattern(instruction, path) and not _said_before(instruction, bare, _FORBIDS, every=True):
            found.append(path)
    return tuple(found)


def data_outputs(instruction: str, listing: Sequence[Listing], workdir: str = "/") -> tuple[str, ...]:
    """The outputs that hold data: no directories, no programs."""
    return tuple(
        path
        for path in outputs(instruction, listing, workdir)
        if not path.endswith("/") and not is_program(instruction, path)
    )


def is_program(instruction: str, path: str) -> bool:
    """Whether the output at ``path`` is a program, by its suffix or by the words next to its name."""
    name = posixpath.basename(path.rstrip("/"))
    if "." in name.lstrip("."):
        return name.rsplit(".", 1)[-1].lower() in PROGRAMS
    noun = r"(?:script|program|executable|binary|command|tool)"
    near = rf"\b{noun}\b[^.\n]{{0,30}}{re.escape(name)}|{re.escape(name)}[`\"']?\s+(?:\w+\s+){{0,2}}{noun}\b"
    if "/bin/" in path or re.search(near, prose(instruction), re.IGNORECASE):
        return True
    return _RUNS.search(prose(instruction)) is not None and not path.startswith("/etc/")


def _said_before(instruction: str, path: str, words: re.Pattern[str], *, every: bool = False) -> bool:
    """Whether ``words`` lead up to a mention of ``path`` (with ``every``: to all of its mentions)."""
    text = _short(re.sub(r"\n(?=[^\n])", " ", prose(instruction)), path)
    hits = [
        words.search(text[max(0, match.start() - 160) : match.start()]) is not None
        for match in re.finditer(rf"{re.escape(posixpath.basename(path))}(?![\w-])", text)
    ]
    return bool(hits) and (all(hits) if every else any(hits))


def _short(text: str, path: str) -> str:
    """``text`` with the path's directory left out before its name, padded so that positions stay."""
    directory = posixpath.dirname(path)
    return text.replace(path, " " * (len(directory) + 1) + posixpath.basename(path)) if len(directory) > 1 else text


def _is_route(instruction: str, path: str) -> bool:
    """Whether ``path`` is spoken of as an address of a server, wherever it is named."""
    if "." in posixpath.basename(path):
        return False
    spoken = re.finditer(rf"(.{{0,24}}){re.escape(path)}(?![\w/-]|\.\w)(.{{0,16}})", instruction[:READ])
    routes = [
        _ROUTE.search(match.group(1)) or re.match(r"\W{0,3}(?:end ?points?|routes?|handler)\b", match.group(2))
        for match in spoken
    ]
    return bool(routes) and all(routes)


def _is_pattern(instruction: str, path: str) -> bool:
    """Whether ``path`` stands for many names (dates, numbers or other placeholders in it or right behind it)."""
    cut = re.search(rf"{re.escape(path.rstrip('/'))}/?(?=[<{{*\[$])", instruction[:READ])
    return cut is not None or _PATTERN.search(posixpath.basename(path.rstrip("/"))) is not None


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
    for match in FENCE.finditer(instruction[:READ]):
        before = instruction[: match.start()]
        language, text = match.group(2).lower(), _dedent(match.group(3))
        if text.strip():
            found.append(
                Block(
                    text,
                    language,
                    _role(before, instruction[match.end() :], language, text),
                    _owner(before, candidates),
                )
            )
    return tuple(found)


def _dedent(text: str) -> str:
    lines = text.split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines).rstrip() + "\n"


def _role(before: str, after: str, language: str, text: str) -> Role:
    """What the words just before a block, or in brackets just behind it, make of it. Words of dictation win: they
    forbid an accusation.
    """
    if language in {"bash", "sh", "shell", "console"} or text.lstrip().startswith(("$ ", "./", "python3 ", "bash ")):
        return "command"
    lead = _lead(before)
    if _DICTATED.search(lead) and not re.search(
        r"\b(example|sample|e\.g\.|format|form|structure|schema|shape|layout|template|for instance)\b",
        lead,
        re.IGNORECASE,
    ):
        return "dictated"
    bracket = re.match(r"\s*\(([^)]{0,160})\)", after)
    return "example" if _EXAMPLE.search(lead) or (bracket and _SHOWN.search(bracket.group(1))) else "unclear"


def _lead(before: str) -> str:
    """The paragraph before a block, at most its last 300 characters."""
    paragraphs = re.split(r"\n[ \t]*\n", FENCE.sub("\n\n", before).rstrip())
    return paragraphs[-1][-300:] if paragraphs else ""


def _owner(before: str, candidates: Sequence[str]) -> str | None:
    """The candidate that was named last before the block; the only candidate when none was."""
    position, owner = -1, None
    for path in candidates:
        at = max(before.rfind(path), before.rfind(posixpath.basename(path.rstrip("/"))))
        if at > position:
            position, owner = at, path
    return owner or (candidates[0] if len(candidates) == 1 else None)
