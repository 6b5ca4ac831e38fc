"""Dockerfiles into the intermediate form.

The subset: FROM with build arguments and multi-stage, RUN (shell, exec, heredoc), COPY and ADD of local files (flags,
wildcards, heredocs, stages, other images), ENV, ARG, WORKDIR, USER, SHELL. Instructions that change no file become
notes. Right but outside the subset, and so listed in ``Recipe.unsupported``: ADD of a URL, RUN mounts other than cache
and tmpfs, RUN --security, COPY --parents and --exclude, pattern expansions, another platform than this one.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable, Mapping

from river_envs.images.lines import Heredoc, Instruction, parse_heredoc, read_instructions
from river_envs.images.recipe import (
    Arg,
    Copy,
    Env,
    Inline,
    Note,
    Recipe,
    RecipeError,
    Run,
    Shell,
    Stage,
    Step,
    User,
    Workdir,
)
from river_envs.images.words import UnsupportedExpansion, check, expand, split_words

_NOTES = frozenset(
    {"LABEL", "EXPOSE", "CMD", "ENTRYPOINT", "VOLUME", "HEALTHCHECK", "STOPSIGNAL", "MAINTAINER", "ONBUILD"}
)
_REMOTE = re.compile(r"^(https?|ftp|git|ssh)://|^git@|\.git(#.*)?$", re.IGNORECASE)
_FLAGS = {
    "FROM": {"platform"},
    "RUN": {"mount", "network", "security"},
    "COPY": {"from", "chown", "chmod", "link", "parents", "exclude"},
    "ADD": {"chown", "chmod", "link", "checksum", "keep-git-dir", "unpack", "exclude"},
    "HEALTHCHECK": {"interval", "timeout", "start-period", "start-interval", "retries"},
}


def platform_arguments() -> dict[str, str]:
    """The arguments that BuildKit predefines, for this machine."""
    machine = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm"}.get(platform.machine(), platform.machine())
    values = {"PLATFORM": f"linux/{machine}", "OS": "linux", "ARCH": machine, "VARIANT": ""}
    return {f"{side}{key}": value for side in ("TARGET", "BUILD") for key, value in values.items()}


def parse_dockerfile(text: str, build_args: Mapping[str, str] | None = None) -> Recipe:
    """The stages of a Dockerfile. Raises RecipeError, which names the line."""
    return _Parser(dict(build_args or {})).parse(text)


class _Parser:
    """One pass over the instructions, collecting stages."""

    def __init__(self, build_args: dict[str, str]) -> None:
        self.build_args = build_args
        self.arguments: dict[str, str] = platform_arguments()
        self.stages: list[Stage] = []
        self.names: dict[str, int] = {}
        self.steps: list[Step] = []
        self.unsupported: list[str] = []
        self.notes: list[str] = []
        self.escape = "\\"

    def parse(self, text: str) -> Recipe:
        instructions, self.escape = read_instructions(text)
        for instruction in instructions:
            try:
                self.instruction(instruction)
            except UnsupportedExpansion as error:
                self.unsupported.append(f"{instruction.name} with the expansion {error}")
            except RecipeError as error:
                raise RecipeError(f"Dockerfile line {instruction.line}: {error}") from None
        if not self.stages:
            raise RecipeError("the Dockerfile has no FROM instruction")
        self.close_stage()
        return Recipe(
            "dockerfile", tuple(self.stages), tuple(dict.fromkeys(self.unsupported)),
            tuple(dict.fromkeys(self.notes)),
            tuple(self.arguments.items()), self.escape,
        )

    def instruction(self, instruction: Instruction) -> None:
        name = instruction.name
        for flag, _ in instruction.flags:
            if flag not in _FLAGS.get(name, ()):
                raise RecipeError(f"unknown flag --{flag} of {name}")
        if name == "FROM":
            self.from_(instruction)
        elif not self.stages and name != "ARG":
            if name in _NOTES or name in _STEPS:
                raise RecipeError(f"no build stage: {name} stands before the first FROM")
            raise RecipeError(f"unknown instruction {name[:40]!r}")
        elif name in _NOTES:
            self.steps.append(Note(name, instruction.rest, instruction.line))
            self.notes.append(f"{name} is ignored")
        elif name in _STEPS:
            if not instruction.rest:
                raise RecipeError(f"{name} needs an argument")
            _STEPS[name](self, instruction)
        else:
            raise RecipeError(f"unknown instruction {name[:40]!r}")

    def close_stage(self) -> None:
        last = self.stages[-1]
        self.stages[-1] = Stage(last.base, last.name, tuple(self.steps))
        self.steps = []

    def stage_index(self, name: str) -> int | None:
        """The earlier stage that ``name`` (or number) means."""
        return self.names.get(name.lower())

    def from_(self, instruction: Instruction) -> None:
        words = split_words(instruction.rest, self.escape)
        if len(words) not in (1, 3) or (len(words) == 3 and words[1].lower() != "as"):
            raise RecipeError("FROM takes an image and, optionally, AS and a name")
        base = expand(words[0], self.arguments, self.escape)
        if not base:
            raise RecipeError(f"the base name {words[0]!r} is blank")
        name = words[2].lower() if len(words) == 3 else None
        if name and not re.fullmatch(r"[a-z][a-z0-9_.-]*", name):
            raise RecipeError(f"invalid stage name {words[2]!r}")
        for _, value in instruction.flags:
            wanted = expand(value, self.arguments, self.escape)
            if wanted.partition("/")[2].partition("/")[0] not in ("", self.arguments["TARGETARCH"]):
                self.unsupported.append(f"FROM --platform={wanted}")
        index = self.stage_index(base)
        if self.stages:
            self.close_stage()
        self.stages.append(Stage(base if index is None else index, name))
        if name:
            self.names[name] = len(self.stages) - 1

    def run(self, instruction: Instruction) -> None:
        network = True
        for flag, value in instruction.flags:
            if flag == "network":
                network = value != "none"
            elif flag == "security":
                self.unsupported.append("RUN --security")
            else:
                kind = dict(part.partition("=")[::2] for part in value.split(",")).get("type", "bind")
                if kind in ("cache", "tmpfs"):
                    self.notes.append(f"RUN --mount=type={kind} is run without the mount")
                else:
                    self.unsupported.append(f"RUN --mount=type={kind}")
        rest, line = instruction.rest, instruction.line
        argv = json_list(rest)
        if argv is not None:
            if not argv:
                raise RecipeError("RUN with an empty list")
            self.steps.append(Run(argv=tuple(argv), network=network, line=line))
        elif not instruction.heredocs:
            self.steps.append(Run(script=rest, network=network, line=line))
        elif parse_heredoc(rest):
            body = instruction.heredocs[0].text
            program = body if body.startswith("#!") else ""
            self.steps.append(Run(script="" if program else body, program=program, network=network, line=line))
        else:
            bodies = "".join(f"\n{heredoc.content}{heredoc.name}" for heredoc in instruction.heredocs)
            self.steps.append(Run(script=rest + bodies, network=network, line=line))

    def copy(self, instruction: Instruction) -> None:
        name, flags = instruction.name, dict(instruction.flags)
        for flag in ("parents", "exclude", "checksum", "keep-git-dir", "unpack"):
            if flag in flags:
                self.unsupported.append(f"{name} --{flag}")
        words = json_list(instruction.rest)
        if words is None:
            words = split_words(instruction.rest, self.escape) if instruction.heredocs else instruction.rest.split()
        if len(words) < 2:
            raise RecipeError(f"{name} needs at least a source and a destination")
        inline: list[Inline] = []
        sources: list[str] = []
        by_raw: dict[str, Heredoc] = {heredoc.raw: heredoc for heredoc in instruction.heredocs}
        for word in words[:-1]:
            opened = parse_heredoc(word)
            if opened and opened[1] in by_raw:
                heredoc = by_raw[opened[1]]
                inline.append(Inline(heredoc.name, heredoc.text, heredoc.expand))
                continue
            check(word, self.escape)
            if name == "ADD" and _REMOTE.search(word):
                self.unsupported.append("ADD of a URL")
            sources.append(word)
        for word in (words[-1], flags.get("chown", ""), flags.get("chmod", "")):
            check(word, self.escape)
        self.steps.append(
            Copy(
                tuple(sources), words[-1], self.origin(flags.get("from")), tuple(inline), flags.get("chown", ""),
                flags.get("chmod", ""), unpack=name == "ADD", line=instruction.line,
            )
        )

    def origin(self, name: str | None) -> int | str | None:
        if not name:
            return None
        name = expand(name, self.arguments, self.escape)
        if name.isdigit():
            if int(name) >= len(self.stages) - 1:
                raise RecipeError(f"COPY --from={name}: there is no such earlier stage")
            return int(name)
        index = self.stage_index(name)
        if index is not None and index == len(self.stages) - 1:
            raise RecipeError(f"COPY --from={name}: a stage cannot copy from itself")
        return name if index is None else index

    def env(self, instruction: Instruction) -> None:
        words = split_words(instruction.rest, self.escape)
        if "=" not in words[0]:
            key, _, value = instruction.rest.partition(words[0])[2].strip().partition("\0")
            if not key:
                raise RecipeError("ENV needs a name and a value")
            pairs = [(words[0], key + value)]
        else:
            pairs = []
            for word in words:
                key, equals, value = word.partition("=")
                if not equals or not key:
                    raise RecipeError(f"ENV cannot read {word!r}: NAME=VALUE is needed")
                pairs.append((key, value))
        for pair in pairs:
            check(pair[0], self.escape)
            check(pair[1], self.escape)
        self.steps.append(Env(tuple(pairs), instruction.line))

    def arg(self, instruction: Instruction) -> None:
        for word in split_words(instruction.rest, self.escape):
            name, equals, value = word.partition("=")
            if not name:
                raise RecipeError(f"ARG cannot read {word!r}")
            check(value, self.escape)
            if self.stages:
                self.steps.append(Arg(name, value if equals else None, instruction.line))
            elif name in self.build_args:
                self.arguments[name] = self.build_args[name]
            elif equals:
                self.arguments[name] = expand(value, self.arguments, self.escape)

    def workdir(self, instruction: Instruction) -> None:
        check(instruction.rest, self.escape)
        self.steps.append(Workdir(instruction.rest, instruction.line))

    def user(self, instruction: Instruction) -> None:
        check(instruction.rest, self.escape)
        self.steps.append(User(instruction.rest, instruction.line))

    def shell(self, instruction: Instruction) -> None:
        argv = json_list(instruction.rest)
        if not argv:
            raise RecipeError("SHELL needs a JSON list")
        self.steps.append(Shell(tuple(argv), instruction.line))


_STEPS: dict[str, Callable[[_Parser, Instruction], None]] = {
    "RUN": _Parser.run,
    "COPY": _Parser.copy,
    "ADD": _Parser.copy,
    "ENV": _Parser.env,
    "ARG": _Parser.arg,
    "WORKDIR": _Parser.workdir,
    "USER": _Parser.user,
    "SHELL": _Parser.shell,
}


def json_list(text: str) -> list[str] | None:
    """The list when ``text`` is the exec form: a JSON list of strings. None for anything else, as Docker reads it."""
    if not text.startswith("["):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, list) and all(isinstance(item, str) for item in value) else None
