"""Recipes as Dockerfiles: what the Harbor writer exports and the Docker backend builds.

An Apptainer definition becomes a Dockerfile with the same steps; its ``%post`` script travels as a file in the context
(``.river/``), readable and without here documents, which Docker's classic builder does not know. For the same reason
:func:`without_heredocs` rewrites a Dockerfile's own here documents into steps that every Docker understands.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence

from river_envs.environment import File, ImageRecipe
from river_envs.images.context import Context
from river_envs.images.dockerfile import json_list, platform_arguments
from river_envs.images.lines import Instruction, parse_heredoc, read_instructions
from river_envs.images.plan import DEFAULT_PATH
from river_envs.images.recipe import Copy, Env, Recipe, RecipeError, Run, Stage, parse
from river_envs.images.words import expand, expand_text, split_words

SCRIPTS = ".river"
"""The folder of the context that holds scripts which a recipe carried in itself."""

LONGEST_LINE = 50_000
"""Docker's classic builder reads lines of at most 65,535 bytes."""

_SCRIPT = "/.post.script"


def to_dockerfile(recipe: ImageRecipe) -> str:
    """The text of :func:`as_dockerfile`; its context may hold files that the text copies."""
    return as_dockerfile(recipe).text


def as_dockerfile(recipe: ImageRecipe) -> ImageRecipe:
    """``recipe`` as a Dockerfile with its context. A Dockerfile is returned as it is.

    Raises RecipeError for a recipe that cannot be parsed or holds what a Dockerfile cannot say (``%setup``, other
    bootstrap agents).
    """
    if recipe.kind == "dockerfile":
        return recipe
    parsed = parse(recipe)
    if parsed.unsupported:
        raise RecipeError(f"this Apptainer definition cannot become a Dockerfile: {', '.join(parsed.unsupported)}")
    scripts: list[File] = []
    lines: list[str] = []
    for index, stage in enumerate(parsed.stages):
        lines += _stage(parsed, stage, index, recipe.context, scripts)
    context = tuple(file for file in recipe.context if file.path != ".dockerignore")
    return ImageRecipe("dockerfile", "\n".join(lines) + "\n", (*context, *scripts), recipe.docker_image)


def _stage(
    recipe: Recipe, stage: Stage, index: int, context: Sequence[File], scripts: list[File]
) -> list[str]:
    last = index == len(recipe.stages) - 1
    lines = [f"FROM {stage.base}" if last else f"FROM {stage.base} AS stage{index}"]
    if recipe.language == "prebuilt":
        return lines
    lines += ["USER root", "WORKDIR /"]
    for step in stage.steps:
        if isinstance(step, Copy):
            lines.append(_copy(step, context))
        elif isinstance(step, Run):
            path = f"{SCRIPTS}/post-{len(scripts) + 1}.sh"
            scripts.append(File(path, step.program.encode(), 0o755))
            argv = [*step.shell[:-1], f"{step.shell[-1]} {_SCRIPT}"] if "-c" in step.shell else [*step.shell, _SCRIPT]
            lines += [f"COPY {path} {_SCRIPT}", f"RUN {json.dumps(argv)}", f"RUN rm -f {_SCRIPT}"]
        elif isinstance(step, Env):
            lines += [f"ENV {name}={word or chr(34) * 2}" for name, word in step.pairs]
    return lines


def _copy(step: Copy, context: Sequence[File]) -> str:
    """``cp -r`` puts a directory into a destination that ends with a slash; COPY would put its content there."""
    target = step.target
    origin = [f"--from=stage{step.origin}"] if step.origin is not None else []
    if step.origin is None and target.endswith("/"):
        found = Context(context, ignore=False).find(step.sources[0], follow=True)
        if len(found) == 1 and found[0].directory and found[0].name:
            target = posixpath.join(target, found[0].name)
    return " ".join(["COPY", *origin, json.dumps([*step.sources, target])])


def without_heredocs(recipe: ImageRecipe) -> ImageRecipe:
    """A Dockerfile recipe in which no here document is left, and which builds the same image."""
    if recipe.kind != "dockerfile":
        return recipe
    instructions, escape = read_instructions(recipe.text)
    if not any(instruction.heredocs for instruction in instructions):
        return recipe
    return _Rewriter(recipe, escape).rewrite(instructions)


class _Rewriter:
    """Walks a Dockerfile and replaces the instructions that carry here documents."""

    def __init__(self, recipe: ImageRecipe, escape: str) -> None:
        self.recipe = recipe
        self.escape = escape
        self.shell = ["/bin/sh", "-c"]
        self.values: dict[str, str] = {"PATH": DEFAULT_PATH, **platform_arguments()}
        self.files: list[File] = []

    def rewrite(self, instructions: Sequence[Instruction]) -> ImageRecipe:
        lines = self.recipe.text.replace("\r\n", "\n").split("\n")
        out: list[str] = []
        position = 0
        for instruction in instructions:
            self.follow(instruction)
            if instruction.heredocs:
                out += [*lines[position : instruction.line - 1], *self.replacement(instruction)]
                position = instruction.end
        text = "\n".join([*out, *lines[position:]])
        return ImageRecipe(
            "dockerfile", text, (*self.recipe.context, *self.files), self.recipe.docker_image, self.recipe.build_args
        )

    def follow(self, instruction: Instruction) -> None:
        """Keep track of what decides about a replacement: the shell, and the variables in a COPY."""
        if instruction.name == "FROM":
            self.shell = ["/bin/sh", "-c"]
        elif instruction.name == "SHELL":
            self.shell = json_list(instruction.rest) or self.shell
        elif instruction.name in ("ENV", "ARG"):
            overrides: Mapping[str, str] = dict(self.recipe.build_args) if instruction.name == "ARG" else {}
            for word in split_words(instruction.rest, self.escape):
                name, equals, value = word.partition("=")
                if name in overrides:
                    self.values[name] = overrides[name]
                elif equals:
                    self.values[name] = expand(value, self.values, self.escape)

    def replacement(self, instruction: Instruction) -> list[str]:
        flags = [f"--{name}={value}" if value else f"--{name}" for name, value in instruction.flags]
        if instruction.name == "RUN":
            return self.run(instruction, flags)
        words: list[str] = []
        folder = f"{SCRIPTS}/line-{instruction.line}"
        by_raw = {heredoc.raw: heredoc for heredoc in instruction.heredocs}
        for word in split_words(instruction.rest, self.escape):
            opened = parse_heredoc(word)
            if opened and opened[1] in by_raw:
                heredoc = by_raw[opened[1]]
                text = expand_text(heredoc.text, self.values) if heredoc.expand else heredoc.text
                self.files.append(File(f"{folder}/{heredoc.name}", text.encode()))
                word = f"{folder}/{heredoc.name}"
            words.append(word)
        return [" ".join([instruction.name, *flags, *words])]

    def run(self, instruction: Instruction, flags: Sequence[str]) -> list[str]:
        """In the exec form; a script too long for one line of Docker's classic builder becomes a file."""
        command = self.command(instruction)
        line = " ".join(["RUN", *flags, json.dumps(command)])
        if len(line) < LONGEST_LINE:
            return [line]
        path = f"{SCRIPTS}/line-{instruction.line}.sh"
        self.files.append(File(path, command[-1].encode(), 0o755))
        call = [*command[:-1], f'eval "$(cat {_SCRIPT})"']
        return [f"COPY {path} {_SCRIPT}", " ".join(["RUN", *flags, json.dumps(call)]), f"RUN rm -f {_SCRIPT}"]

    def command(self, instruction: Instruction) -> list[str]:
        """The exec form of a RUN with here documents."""
        body = instruction.heredocs[0].text
        if not parse_heredoc(instruction.rest):
            bodies = "".join(f"\n{heredoc.content}{heredoc.name}" for heredoc in instruction.heredocs)
            return [*self.shell, instruction.rest + bodies]
        return _here(self.shell, body) if body.startswith("#!") else [*self.shell, body]


def _here(shell: Sequence[str], body: str) -> list[str]:
    """A shell command that writes ``body`` to a file, runs it and removes it."""
    delimiter = "RIVER_STEP"
    while f"\n{delimiter}\n" in f"\n{body}\n":
        delimiter += "_"
    end = "" if body.endswith("\n") else "\n"
    return [*shell, (
        f"cat > /tmp/.river-step <<'{delimiter}'\n{body}{end}{delimiter}\n"
        "chmod 755 /tmp/.river-step && /tmp/.river-step; status=$?; rm -f /tmp/.river-step; exit $status"
    )]
