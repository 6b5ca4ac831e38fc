"""One intermediate form for both recipe languages, and the door through which everybody parses.

A Dockerfile and an Apptainer definition say the same things: start from a base, copy files, run commands, set defaults.
:func:`parse` turns either into a :class:`Recipe` of stages and steps. Values stay as they were written (``$VAR`` and
quotes included), because what they expand to depends on the base image; ``plan.py`` expands them while it walks a
stage.

Three kinds of trouble are kept apart:

- a **syntax error** is the recipe's fault: :class:`RecipeError`;
- an instruction that is right but outside the built-in subset is listed by name in ``Recipe.unsupported``: somebody
  else (Docker) may still build it;
- something worth knowing that stops nothing (``CMD`` ignored, a heredoc cut by a ``%`` line) is a note.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from river_envs.environment import ImageRecipe, RiverError


class RecipeError(RiverError):
    """A recipe that no builder could accept: unknown instruction, missing argument, unterminated heredoc."""


@dataclass(frozen=True)
class Run:
    """Run a command. Exactly one of three forms.

    ``script`` is handed to ``shell`` (default: the stage's current shell) as its last argument; ``argv`` is executed as
    it is; ``program`` is a file with a ``#!`` line or, with ``shell`` set, one that the shell is given by its path.
    """

    script: str = ""
    argv: tuple[str, ...] = ()
    program: str = ""
    shell: tuple[str, ...] = ()
    network: bool = True
    line: int = 0


@dataclass(frozen=True)
class Inline:
    """A file written in the recipe itself (a heredoc of COPY). ``expand``: variables in it are expanded."""

    name: str
    content: str
    expand: bool


@dataclass(frozen=True)
class Copy:
    """Copy files into the image.

    ``origin`` is None for the context, a stage index, or the name of another image. ``unpack`` unpacks local archives
    (ADD). ``nest`` copies a directory itself into an existing destination, as ``cp -r`` does and Apptainer with it;
    Docker copies its content. ``follow`` copies what links point at. ``missing`` sources stop the build unless
    ``optional``.
    """

    sources: tuple[str, ...]
    target: str
    origin: int | str | None = None
    inline: tuple[Inline, ...] = ()
    owner: str = ""
    mode: str = ""
    unpack: bool = False
    nest: bool = False
    follow: bool = False
    line: int = 0


@dataclass(frozen=True)
class Env:
    """Set variables for every later process."""

    pairs: tuple[tuple[str, str], ...]
    line: int = 0


@dataclass(frozen=True)
class Arg:
    """Declare a build argument; ``default`` is None where the recipe gives none."""

    name: str
    default: str | None = None
    line: int = 0


@dataclass(frozen=True)
class Workdir:
    """Change the working directory, making it where it is missing."""

    path: str
    line: int = 0


@dataclass(frozen=True)
class User:
    """Change the user (``name``, ``uid``, ``name:group``)."""

    name: str
    line: int = 0


@dataclass(frozen=True)
class Shell:
    """Change the shell of the shell form."""

    argv: tuple[str, ...]
    line: int = 0


@dataclass(frozen=True)
class Note:
    """An instruction that changes no file: LABEL, EXPOSE, CMD, ..."""

    instruction: str
    text: str
    line: int = 0


Step = Run | Copy | Env | Arg | Workdir | User | Shell | Note


@dataclass(frozen=True)
class Stage:
    """One FROM and what follows it. ``base`` is an image name, or the index of an earlier stage."""

    base: str | int
    name: str | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """A parsed recipe; the last stage is the image. ``arguments`` are the global build arguments with their values."""

    language: Literal["dockerfile", "apptainer", "prebuilt"]
    stages: tuple[Stage, ...]
    unsupported: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    arguments: tuple[tuple[str, str], ...] = ()
    escape: str = "\\"

    @property
    def bases(self) -> tuple[str, ...]:
        """The images that the recipe starts from or copies from, in order, each once."""
        names = [stage.base for stage in self.stages if isinstance(stage.base, str)]
        for stage in self.stages:
            names += [step.origin for step in stage.steps if isinstance(step, Copy) and isinstance(step.origin, str)]
        return tuple(dict.fromkeys(names))


def parse(recipe: ImageRecipe) -> Recipe:
    """The steps of ``recipe``. Raises RecipeError for what no builder could accept."""
    if recipe.kind == "dockerfile":
        from river_envs.images.dockerfile import parse_dockerfile

        return parse_dockerfile(recipe.text, dict(recipe.build_args))
    if recipe.kind == "apptainer":
        from river_envs.images.apptainer import parse_apptainer

        return parse_apptainer(recipe.text, recipe.context, dict(recipe.build_args))
    if not recipe.docker_image:
        raise RecipeError("the environment names no image: neither a recipe nor docker_image is set")
    return Recipe("prebuilt", (Stage(recipe.docker_image),))
