"""Apptainer definitions into the intermediate form.

Order and shell are Apptainer's: ``%files`` first (``cp -fLr``), then all ``%post`` sections as one ``/bin/sh -ex``
script run as root in ``/``; ``%environment`` holds for later processes only. The other sections change no file and
become notes, except ``%setup`` and ``%pre``, which run on the host: those are unsupported by name.

``%files`` sources are paths of the machine that generated the task. They are mapped to the recipe's context by the
longest suffix of the path that exists there (``/build/out/task_1/fixtures/a.txt`` is ``fixtures/a.txt``).

**Sharing.** Thousands of definitions install the same packages first and differ afterwards. The leading lines of
``%post`` that only install packages are split off into a step of their own (see :func:`split_post`), so that they
become one cached layer; it goes before ``%files`` where those files cannot matter to it. A script that does anything
else first is left whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from river_envs.environment import File
from river_envs.images.definition import Definition, Section, read_definition
from river_envs.images.recipe import Copy, Env, Note, Recipe, RecipeError, Run, Stage, Step
from river_envs.images.words import check

SHELL = ("/bin/sh", "-ex")
_DOCKER_AGENTS = frozenset({"docker", "docker-archive", "oci", "docker-daemon", "localimage", "scratch"})
_EXPORT = re.compile(r"^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$")
_FILE_WORD = re.compile(r"(?:[^\s\"']*\{\{\s*\w+\s*\}\}[^\s{}\"']*)+|[^\s\"']+|\"[^\"]*\"|'[^']*'")
_STATE = re.compile(r"^(?:export\s+[A-Za-z_][A-Za-z0-9_]*=[A-Za-z0-9_./:@%+,-]*|set\s+[-+][a-z]+)$")
_INSTALL = re.compile(
    r"^(?:[A-Z_]+=[a-z0-9]+\s+)?(?:apt-get|apt|pip3?|python3?\s+-m\s+pip)\s+(?:-[\w=:.-]+\s+)*"
    r"(?:update|upgrade|install|clean|autoremove)\b"
)
_CLEANUP = re.compile(r"^rm\s+-rf\s+/var/lib/apt/lists/?\*?$|^apt-get\s+clean$")
_TASK_PLACES = ("/app/", "/home/", "/srv/", "/data/", "/workspace/", "/work/", "/task/", "/mnt/")
_PLAIN = re.compile(r"^[A-Za-z0-9_./:=@%+,~<>!*\[\]\s-]*$")


def parse_apptainer(text: str, context: Sequence[File] = (), build_args: Mapping[str, str] | None = None) -> Recipe:
    """The stages of an Apptainer definition. Raises RecipeError where Apptainer would refuse it."""
    definitions = read_definition(_template(text, build_args or {}))
    stages: list[Stage] = []
    unsupported: list[str] = []
    notes: list[str] = []
    for definition in definitions:
        notes += definition.notes
        base, base_notes, refused = _base(definition.headers)
        notes += base_notes
        unsupported += refused
        copies = [
            copy
            for section in definition.sections if section.name == "files"
            for copy in _files(section, context, stages)
        ]
        runs = _post(definition)
        first = runs[:1] if len(runs) > 1 and _independent(runs[0], copies) else []
        steps: list[Step] = [*first, *copies, *runs[len(first) :]]
        steps += _environment(definition, notes)
        for section in definition.sections:
            if section.name in ("setup", "pre") and section.body.strip():
                unsupported.append(f"%{section.name} (it runs on the host)")
            elif section.name.startswith("app"):
                unsupported.append(f"%{section.name}")
            elif section.name in ("runscript", "startscript", "labels", "help", "test", "arguments"):
                steps.append(Note(f"%{section.name}", section.body, section.line))
                notes.append(f"%{section.name} is ignored")
        if re.search(r"\$\{?(APPTAINER|SINGULARITY)_ENVIRONMENT\b", definition.body("post")):
            notes.append("%post writes to $APPTAINER_ENVIRONMENT; variables set that way are not read back")
        stages.append(Stage(base, definition.headers.get("stage"), tuple(steps)))
    return Recipe(
        "apptainer", tuple(stages), tuple(dict.fromkeys(unsupported)), tuple(dict.fromkeys(notes))
    )


def _template(text: str, build_args: Mapping[str, str]) -> str:
    """``{{ NAME }}`` replaced by a build argument or by its default in %arguments; anything else stays as it is."""
    defaults = dict(re.findall(r"^\s*([A-Za-z_]\w*)=(.*?)\s*$", _arguments_section(text), re.MULTILINE))
    values = {**defaults, **build_args}
    return re.sub(r"\{\{\s*(\w+)\s*\}\}", lambda match: values.get(match.group(1), match.group(0)), text)


def _arguments_section(text: str) -> str:
    match = re.search(r"(?ms)^%arguments\b[^\n]*\n(.*?)(?=^\s*%|\Z)", text)
    return match.group(1) if match else ""


def _base(headers: Mapping[str, str]) -> tuple[str, list[str], list[str]]:
    """(image name, notes, unsupported) of a header."""
    agent = headers.get("bootstrap", "").lower()
    name = headers.get("from", "")
    if agent == "scratch":
        return "scratch", [], []
    if agent not in _DOCKER_AGENTS:
        return name or agent, [], [f"Bootstrap: {agent or '(none)'}"]
    if not name:
        raise RecipeError(f"the Apptainer definition has 'Bootstrap: {agent}' without 'From:'")
    if agent == "localimage":
        match = re.fullmatch(r"([a-z0-9-]+)[_-](\d[\w.]*)", PurePosixPath(name).stem)
        if not name.endswith(".sif") or not match:
            return name, [], [f"Bootstrap: localimage, From: {name[:60]}"]
        return ":".join(match.groups()), [f"the local image {name} is read as {':'.join(match.groups())}"], []
    if agent in ("docker", "docker-daemon") and headers.get("registry"):
        space = headers.get("namespace")
        name = "/".join(part for part in (headers["registry"], space, name) if part)
    return name.removeprefix("//"), [], [] if agent in ("docker", "docker-daemon") else [f"Bootstrap: {agent}"]


def _files(section: Section, context: Sequence[File], stages: Sequence[Stage]) -> list[Copy]:
    origin: int | None = None
    words = section.arguments.split()
    if words:
        names = [stage.name for stage in stages]
        if len(words) != 2 or words[0] != "from" or words[1] not in names:
            raise RecipeError(f"line {section.line}: %files {section.arguments!r} names no earlier stage")
        origin = names.index(words[1])
    steps: list[Copy] = []
    for offset, line in enumerate(section.body.split("\n")):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        found = [word.strip("\"'") for word in _FILE_WORD.findall(line)]
        if not found:
            raise RecipeError(f"line {section.line + offset + 1}: %files cannot read {line[:60]!r}")
        source, target = found[0], (found[1] if len(found) > 1 else found[0])
        mapped = source if origin is not None else map_to_context(source, context)
        steps.append(
            Copy((mapped,), target, origin, nest=True, follow=True, line=section.line + offset + 1)
        )
    return steps


def map_to_context(source: str, context: Sequence[File]) -> str:
    """The longest suffix of ``source`` that names a file or directory of the context; ``source`` itself when none does.
    """
    parts = [part for part in source.split("/") if part not in ("", ".")]
    known = {file.path for file in context}
    known |= {str(parent) for file in context for parent in PurePosixPath(file.path).parents}
    for start in range(len(parts)):
        suffix = "/".join(parts[start:])
        if suffix in known or ("*" in suffix and any(fnmatchcase(path, suffix) for path in known)):
            return suffix + ("/" if source.endswith("/") else "")
    if parts[-1:] == ["."] or not parts:
        return "."
    return source


def _post(definition: Definition) -> list[Run]:
    body = definition.body("post")
    if not body.strip():
        return []
    line = next(section.line for section in definition.sections if section.name == "post")
    words = definition.arguments("post").split()
    if "-c" in words:
        command = " ".join(words[words.index("-c") + 1 :])
        if not command:
            raise RecipeError(f"line {line}: %post -c needs a shell")
        return [Run(program=body, shell=(*SHELL, *words[: words.index("-c")], "-c", command), line=line)]
    if words:
        return [Run(program=body, shell=(*SHELL, *words), line=line)]
    return [Run(program=part, shell=SHELL, line=line) for part in split_post(body)]


def _independent(install: Run, copies: Sequence[Copy]) -> bool:
    """Whether installing packages before copying comes to the same as after it: neither touches the other's places."""
    if not all(copy.target.startswith(_TASK_PLACES) for copy in copies):
        return False
    words = re.sub(r"/var/lib/apt/lists/?\*?", "", install.program).split()
    return not any(word.startswith(("/", "./", "-r", "--requirement", "-c", "--constraint", "file:")) for word in words)


def split_post(body: str) -> tuple[str, ...]:
    """``body`` in one or two scripts that do the same one after the other.

    The first holds the leading package installations, in a normal form. A split is made only where it cannot be
    noticed: before it stand comments, plain ``export NAME=value`` and ``set`` lines (both repeated in the second
    script) and sentences made of apt, pip and cleaning commands without quotes, substitutions, redirections of input or
    here documents.
    """
    lines = body.split("\n")
    state: list[str] = []
    first: list[str] = []
    cut = 0
    position = 0
    while position < len(lines):
        sentence, after = _sentence(lines, position)
        if sentence and _STATE.match(sentence):
            state.append(sentence)
            first.append(sentence)
        elif sentence and _installs(sentence):
            first.append(sentence)
            cut = after
        elif sentence:
            break
        position = after
    if not cut or not any(line.strip() and not line.strip().startswith("#") for line in lines[cut:]):
        return (body,)
    while first and _STATE.match(first[-1]):
        first.pop()
    kept = [line for line in first if _STATE.match(line)]
    return "\n".join(first) + "\n", "\n".join([*kept, *lines[cut:]])


def _sentence(lines: list[str], position: int) -> tuple[str, int]:
    """One command with its continuation lines in a normal form (empty for comments and blanks), and the next position.
    """
    words: list[str] = []
    while position < len(lines):
        line = lines[position].strip()
        position += 1
        if line.startswith("#") or not line:
            if words:
                return "\0", position  # a comment in a continuation: leave it to the shell
            return "", position
        goes_on = line.endswith(("\\", "&&"))
        words += line.removesuffix("\\").split()
        if not goes_on:
            break
    return " ".join(words), position


def _installs(sentence: str) -> bool:
    commands = re.split(r"\s*&&\s*", sentence.removesuffix("|| true").strip())
    return all(
        _PLAIN.match(command) and "<" not in command.replace(">=", "").replace("<=", "")
        and (_INSTALL.match(command) or _CLEANUP.match(command))
        for command in commands
    )


def _environment(definition: Definition, notes: list[str]) -> list[Step]:
    """The variables of %environment; a line that is no assignment is a note."""
    pairs: list[tuple[str, str]] = []
    for line in definition.body("environment").split("\n"):
        line = line.strip().rstrip(";")
        match = _EXPORT.match(line)
        if match and not re.search(r"[`;&|]|\$\(", match.group(2)) and _expands(match.group(2)):
            pairs.append((match.group(1), match.group(2)))
        elif line and not line.startswith("#") and not re.fullmatch(r"export(\s+[A-Za-z_]\w*)+", line):
            notes.append(f"%environment: {line[:60]!r} is not a plain assignment and is ignored")
    return [Env((pair,)) for pair in pairs]


def _expands(word: str) -> bool:
    try:
        check(word)
    except RecipeError:
        return False
    return True
