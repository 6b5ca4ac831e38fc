"""Rewriting an image recipe: files and commands added where a person would add them, before the user is switched."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from river_envs.environment import Environment, File
from river_envs.plant.base import CannotCarry

_LATE = re.compile(r"^\s*(USER|CMD|ENTRYPOINT|HEALTHCHECK)\b", re.IGNORECASE)
_FROM = re.compile(r"^\s*FROM\b", re.IGNORECASE)


def add_to_image(
    environment: Environment, files: Mapping[str, File], commands: Sequence[str] = ()
) -> Environment | CannotCarry:
    """The environment whose image holds ``files`` (path in the build context without its folder → the file, whose own
    path is where it lands, absolute) and ran ``commands`` afterwards.
    """
    recipe = environment.image
    if recipe.kind != "dockerfile":
        return CannotCarry(f"the image recipe is {recipe.kind}, not a Dockerfile")
    taken = {file.path for file in recipe.context}
    added, lines = [], []
    for name, file in files.items():
        place = name
        while place in taken:
            place = "more/" + place
        taken.add(place)
        added.append(File(place, file.content, file.mode))
        lines.append(f"COPY {place} {file.path}")
    lines += [f"RUN {command}" for command in commands]
    return with_recipe(environment, insert_lines(recipe.text, lines), added)


def with_recipe(environment: Environment, text: str, added: Sequence[File] = ()) -> Environment:
    """The environment with another Dockerfile, also where the context holds a copy of it, and more context files."""
    recipe = environment.image
    context = [replace(file, content=text.encode()) if file.path == "Dockerfile" else file for file in recipe.context]
    ordered = tuple(sorted([*context, *added], key=lambda file: file.path))
    return replace(environment, image=replace(recipe, text=text, context=ordered))


def insert_lines(text: str, lines: Sequence[str]) -> str:
    """A Dockerfile with ``lines`` after its steps, before the user is switched and the command named."""
    old = text.rstrip("\n").split("\n")
    start = max((number for number, line in enumerate(old) if _FROM.match(line)), default=0)
    late = [number for number, line in enumerate(old) if number > start and _LATE.match(line)]
    place = late[0] if late else len(old)
    return "\n".join([*old[:place], *lines, *old[place:]]) + "\n"
