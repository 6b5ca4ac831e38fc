"""What several leak probes share: what the agent hands in, which files of the image might be it, and when taking one is
simply the task.

Silence is decided here and kept generous: where the instruction speaks of copying, restoring or choosing a file, or the
reference itself reads it, a copy is no leak.
"""

from __future__ import annotations

import csv
import json
import posixpath
import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes.base import Survey
from river_envs.sandbox.base import Listing

LARGEST = 1 << 20
"""Bytes of the largest file that is tried as an answer."""
ANSWER_NAME = re.compile(
    r"(^|[^a-z])(truth|ground_?truth|expected|expectation|golden|gold|label|labels|oracle|solution|solutions|solved|answer"
    r"|answers|answer_?key|reference|ref|target|hidden|secret|key|result|results|correct|fixed|perturbation|annotations?"
    r"|grader|grading|checker)([^a-z]|$)",
    re.IGNORECASE,
)
CODE = frozenset((".py", ".sh", ".bash", ".pl", ".rb", ".js", ".ts", ".c", ".cpp", ".h", ".rs", ".go", ".java", ".awk"))
_SURE = re.compile(r"truth|expected|golden|oracle|solution|answer|grader|correct|label|hidden", re.IGNORECASE)
_COPYING = re.compile(
    r"\b(cop(?:y|ies|ied)|restor\w+|mov(?:e|ed)|renam\w+|recover\w*|backups?|replac\w+|duplicat\w+|mirror\w*|symlink"
    r"|link|sync\w*|replicat\w+|fetch|collect|publish|deploy|install|promot\w+|revert|roll(?:ed)? ?back|archiv\w+"
    r"|merg\w+)\b",
    re.IGNORECASE,
)
_TAKING = re.compile(
    r"\b(restor\w+|recover\w*|undelet\w+|roll(?:ed)? ?back|revert|back(?:ed)?[ -]?ups?|locat\w+|retriev\w+|deleted"
    r"|lost|missing|choose|select|pick|newest|latest|most recent|which (?:\w+ ){0,4}(?:files?|versions?|copy|copies)"
    r"|(?:correct|valid|right|matching|intact|original) (?:\w+ )?(?:file|version|copy|one)\b|version control"
    r"|earlier version|old version)\b",
    re.IGNORECASE,
)
_CHANGING = re.compile(
    r"\b(fix|repair|modify|edit|update|correct|implement|complete|rewrite(?! of)|patch|refactor|clean|in place|in-place"
    r"|adjust|fill in|extend|finish|chang\w+|broken|bug|debug|improve|optimi[sz]e|turn|bring)\b",
    re.IGNORECASE,
)
_CHANGING_IT = re.compile(
    r"\b(fix|repair|modify|edit|update|correct|implement|complete|rewrite|patch|refactor|clean|adjust|extend|finish"
    r"|change|debug|improve|optimi[sz]e|normali[sz]e|migrate|convert|upgrade|replace)\b"
    r" (it|them|this|that"
    r"|the (?:file|script|program|module|code|function|database|table)\b(?! (?:of|in(?! place)|for)\b))",
    re.IGNORECASE,
)
_RUNNING = re.compile(
    r"\b(run|execute|use|using|invoke|call|start|launch)\w* (?:\w+ ){0,3}(scripts?|generators?|tools?|programs?"
    r"|pipeline|commands?|makefile|workflow|jobs?|steps|stages)\b|\bmake (?:all|build|target)|`make\b|\bMakefile\b",
    re.IGNORECASE,
)
_FREELY = re.compile(r"\b(whatever|whichever|any|your own)\b", re.IGNORECASE)
_FORBIDDING = re.compile(r"\b(not|never|without|ignore|off[- ]limits|no need|isn't|don't)\b", re.IGNORECASE)
_SYSTEM = ("/bin/", "/sbin/", "/lib", "/usr/bin/", "/usr/sbin/", "/usr/lib")
_NOISE = re.compile(
    r"/(\.git|node_modules|site-packages|dist-packages|__pycache__|\.venv|venv|\.npm|\.cache/pip|\.cargo|\.rustup|\.ssh"
    r"|\.gnupg|\.mypy_cache|\.pytest_cache)/|/\.(bashrc|profile|bash_logout|bash_history|gitignore|gitattributes|gitconfig"
    r"|gitkeep|wget-hsts|viminfo|lesshst|python_history|dockerignore|editorconfig)$"
)


def targets(environment: Environment, survey: Survey) -> tuple[str, ...]:
    """The files that the agent hands in: those it is to make, and present ones that it is to change. Where no such file
    is told, and one present file is named alone, the work can only show in that one.
    """
    instruction = environment.instruction
    missing = [p for p in text.outputs(instruction, survey.listing, survey.workdir) if not p.endswith("/")]
    present = (*text.inputs(instruction, survey.listing, survey.workdir), *_named_inside(instruction, survey))
    changed = [path for path in present if _is_changed(instruction, posixpath.basename(path))]
    in_place = _CHANGING_IT.search(text.prose(instruction)) is not None
    alone = present if not changed and len(present) == 1 and (in_place or not missing) else ()
    return (*alone, *missing, *changed)


def _named_inside(instruction: str, survey: Survey) -> tuple[str, ...]:
    """The files of the image that are named without their directory, which is named too ("`group` in `/srv/etc`")."""
    files = {entry.path for entry in survey.listing if entry.kind == "file"}
    words = dict.fromkeys(re.findall(r"`([A-Za-z][\w-]{0,40})`", instruction))
    places = [path.rstrip("/") for path in text.paths(instruction, survey.workdir)]
    found = (posixpath.join(place, word) for word in words for place in places if place not in files)
    return tuple(path for path in found if path in files)


def _is_changed(instruction: str, name: str) -> bool:
    """Whether a sentence that names a file, or the next one by a pronoun, tells to change it."""
    told = naming(instruction, name)
    behind = (instruction[instruction.find(sentence) + len(sentence) :] for sentence in told)
    following = (re.match(r"\s*([^.!?\n]{0,120})", rest) for rest in behind)
    return any(_CHANGING.search(sentence) for sentence in told) or any(
        _CHANGING_IT.search(found.group(1)) for found in following if found
    )


def inputs(environment: Environment, survey: Survey) -> tuple[str, ...]:
    """The named files of the image that the agent only reads."""
    handed_in = set(targets(environment, survey))
    return tuple(
        path for path in text.inputs(environment.instruction, survey.listing, survey.workdir) if path not in handed_in
    )


def usable(entry: Listing) -> bool:
    """Whether an entry is a file that could be an answer at all."""
    return entry.kind == "file" and 0 < entry.size <= LARGEST and not _NOISE.search(entry.path)


def readable(entry: Listing, environment: Environment, survey: Survey) -> bool:
    """Whether the agent may read a file, as far as modes tell: an agent that is not root needs the right for others."""
    if works_as_root(environment):
        return True
    modes = {folder.path: folder.mode for folder in survey.listing if folder.kind == "directory"}
    above = entry.path.split("/")[1:-1]
    folders = ["/" + "/".join(above[:depth]) for depth in range(1, len(above) + 1)]
    return bool(entry.mode & 0o004) and all(modes.get(folder, 0o755) & 0o001 for folder in folders)


def works_as_root(environment: Environment) -> bool:
    """Whether the agent is root: by the environment's word, else by the last USER of the recipe."""
    told = re.findall(r"^\s*USER\s+(\S+)", environment.image.text, re.MULTILINE | re.IGNORECASE)
    user = environment.user or (told[-1] if told else "root")
    return user.split(":")[0] in {"root", "0"}


def taking_is_the_task(environment: Environment, path: str, target: str) -> bool:
    """Whether handing in ``path`` of the image as ``target`` may be what the instruction asks for."""
    instruction, name = environment.instruction, posixpath.basename(path)
    told = naming(instruction, name) if name != posixpath.basename(target) else ()
    told += naming(instruction, path)
    if told and not all(_FORBIDDING.search(sentence) for sentence in told):
        return True
    folder = posixpath.dirname(path)
    about = naming(instruction, posixpath.basename(target))
    if folder.count("/") >= 2:
        about += text.sentences_naming(instruction, folder)
    copying = [part for part in about if not _FORBIDDING.search(part) and _COPYING.search(part)]
    taking = [part for part in re.split(r"(?<=[.!?])\s+|\n", text.prose(instruction)) if _TAKING.search(part)]
    if any(not _has_another_source(part, path, target) for part in (*copying, *taking)):
        return not _SURE.search(path)
    return reference_reads(environment, path, target)


def _has_another_source(sentence: str, path: str, target: str) -> bool:
    """Whether a sentence about taking a file says from where, and ``path`` does not lie there."""
    sources = [source for source in text.paths(sentence) if source in sentence and source.rstrip("/") != target]
    return bool(sources) and not any(path == source or path.startswith(source.rstrip("/") + "/") for source in sources)


def of_the_system(path: str, environment: Environment) -> bool:
    """Whether a program came with the operating system, as far as its place and the recipe tell."""
    return path.startswith(_SYSTEM) and posixpath.basename(path) not in environment.image.text


def asks_to_run(instruction: str) -> bool:
    """Whether the instruction may ask to run what the image ships; leave to use any tool is no such thing."""
    return any(not _FREELY.search(found.group()) for found in _RUNNING.finditer(text.prose(instruction)))


def reference_reads(environment: Environment, path: str, target: str = "") -> bool:
    """Whether the reference mentions ``path``: then using it is a way that the author had in mind."""
    if environment.reference is None:
        return False
    name = posixpath.basename(path)
    words = [path, posixpath.join(posixpath.basename(posixpath.dirname(path)), name)]
    if name != posixpath.basename(target):
        words.append(name)
    mention = re.compile("|".join(_whole(word) for word in words).encode())
    return any(mention.search(file.content) for file in environment.reference.files)


def naming(instruction: str, name: str) -> tuple[str, ...]:
    """The sentences that mention a file by this name, not as a part of another name."""
    whole = re.compile(_whole(name))
    return tuple(sentence for sentence in text.sentences_naming(instruction, name) if whole.search(sentence))


def _whole(name: str) -> str:
    return rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)"


def likeness(path: str, target: str) -> float:
    """How much two names have in common, 0 to 1.5."""
    same_suffix = posixpath.splitext(path)[1] == posixpath.splitext(target)[1]
    return SequenceMatcher(None, posixpath.basename(path), posixpath.basename(target)).ratio() + 0.5 * same_suffix


def stem(path: str) -> str:
    """The name up to its first dot, without leading dots."""
    return posixpath.basename(path).lstrip(".").split(".")[0].lower()


def is_code(path: str) -> bool:
    """Whether a name is that of a source file."""
    return posixpath.splitext(path)[1].lower() in CODE


def form(content: str, path: str = "") -> frozenset[str]:
    """The outer form of a JSON object, list of objects, table or list of pairs: its keys or columns. Empty: no form."""
    if path.endswith((".csv", ".tsv")):
        return _header(content, "\t" if path.endswith(".tsv") else ",")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        keys = re.findall(r"^\s*([A-Za-z_][\w .-]{0,40}?)\s*[=:]\s*\S", content, re.MULTILINE)
        lines = [line for line in content.splitlines() if line.strip()]
        return frozenset(keys) if keys and len(keys) == len(lines) else frozenset()
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = value[0]
    return frozenset(value) if isinstance(value, dict) else frozenset()


def _header(content: str, separator: str) -> frozenset[str]:
    lines = content.splitlines()
    rows = list(csv.reader(lines[:1], delimiter=separator))
    return frozenset(cell.strip() for cell in rows[0]) if rows and len(rows[0]) > 1 else frozenset()


def asked_form(instruction: str, target: str, named: Iterable[str]) -> frozenset[str]:
    """The keys or columns that the instruction shows for ``target``, in a block or in inline code."""
    for block in text.blocks(instruction, named):
        if block.path == target and block.role != "command":
            found = form(block.text, target) or form(block.text)
            if found:
                return found
    for sentence in naming(instruction, posixpath.basename(target)):
        for code in re.findall(r"`([^`\n]{3,200})`", sentence):
            if target.endswith((".csv", ".tsv")) and re.fullmatch(r"[\w .-]+([,\t][\w .-]+)+", code):
                return _header(code, "\t" if target.endswith(".tsv") else ",")
            if code.startswith(("{", "[")):
                found = form(code)
                if found:
                    return found
    return frozenset()
