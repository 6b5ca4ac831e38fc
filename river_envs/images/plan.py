"""What a stage comes to: the few actions that change files, and the defaults that it ends with.

A pure function of the parsed stage, the context and the base's own defaults. Steps that only change defaults (ENV,
USER, CMD, ...) leave no action, and neighbouring COPY and WORKDIR steps share one. Every action has a ``key``:
everything that decides about its result apart from the layers below it, and nothing else, so that equal prefixes of
different recipes have equal keys.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from river_envs.environment import File, digest
from river_envs.images.context import Context, Source
from river_envs.images.recipe import (
    Arg,
    Copy,
    Env,
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
from river_envs.images.words import expand, expand_text

PROGRAM = "/.river-program"
"""Where a step's own program is found while it runs; nothing of it stays in the image."""

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Defaults:
    """What every process of an image starts with."""

    env: tuple[tuple[str, str], ...] = ()
    workdir: str = "/"
    user: str = "root"


@dataclass(frozen=True)
class RunAction:
    """Run a command on top of the layers. ``program`` is a file's content that the command finds at ``PROGRAM``."""

    title: str
    argv: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    workdir: str
    user: str
    network: bool = True
    program: str = ""

    @property
    def key(self) -> str:
        """Identity of the action."""
        return digest("run", self.argv, self.env, self.workdir, self.user, self.network, self.program)


@dataclass(frozen=True)
class Placement:
    """One COPY or WORKDIR with its values expanded. ``origin`` None: ``sources`` hold the files; else ``patterns`` name
    them.

    ``make`` only makes the directory ``target``.
    """

    target: str
    make: bool = False
    sources: tuple[Source, ...] = ()
    patterns: tuple[str, ...] = ()
    origin: int | str | None = None
    owner: str = ""
    mode: str = ""
    unpack: bool = False
    nest: bool = False
    follow: bool = False


@dataclass(frozen=True)
class FilesAction:
    """Put files into the image: several placements, one layer."""

    title: str
    placements: tuple[Placement, ...]

    @property
    def key(self) -> str:
        """Identity of the action; what comes from another stage enters through that stage's own layers."""
        return digest("files", [
            [p.target, p.make, [source.fingerprint() for source in p.sources], p.patterns, p.owner, p.mode, p.unpack,
             p.nest, p.follow]
            for p in self.placements
        ])


Action = RunAction | FilesAction


@dataclass(frozen=True)
class Plan:
    """The actions of one stage in order, and the defaults it ends with."""

    actions: tuple[Action, ...]
    defaults: Defaults


@dataclass
class _State:
    env: dict[str, str]
    workdir: str
    user: str
    arguments: dict[str, str] = field(default_factory=dict)
    shell: tuple[str, ...] = ("/bin/sh", "-c")

    def values(self) -> dict[str, str]:
        return {"PATH": DEFAULT_PATH, **self.arguments, **self.env}


def plan_stage(
    recipe: Recipe, stage: Stage, base: Defaults, context: Context, build_args: Mapping[str, str]
) -> Plan:
    """The actions of ``stage`` on a base with the defaults ``base``. Raises RecipeError (missing file, bad expansion).
    """
    if recipe.language == "apptainer":
        base = replace(base, workdir="/", user="root")
    planner = _Planner(recipe, context, build_args, _State(dict(base.env), base.workdir, base.user))
    for step in stage.steps:
        try:
            planner.step(step)
        except RecipeError as error:
            raise RecipeError(f"line {step.line}: {error}") from None
    state = planner.state
    return Plan(tuple(planner.actions), Defaults(tuple(state.env.items()), state.workdir, state.user))


class _Planner:
    """Walks the steps of one stage."""

    def __init__(self, recipe: Recipe, context: Context, build_args: Mapping[str, str], state: _State) -> None:
        self.recipe = recipe
        self.context = context
        self.build_args = build_args
        self.state = state
        self.actions: list[Action] = []

    def expand(self, word: str) -> str:
        return expand(word, self.state.values(), self.recipe.escape)

    def step(self, step: Step) -> None:
        state = self.state
        match step:
            case Run():
                self.actions.append(self.run(step))
            case Copy():
                self.place(f"COPY {' '.join(step.sources)} {step.target}", self.copy(step))
            case Workdir(path):
                state.workdir = posixpath.normpath(posixpath.join(state.workdir, self.expand(path)))
                if state.workdir != "/":
                    made = Placement(state.workdir, make=True, owner=_owner(state.user))
                    self.place(f"WORKDIR {state.workdir}", made)
            case Env(pairs):
                values = state.values()  # all names of one ENV see the values from before it
                for name, word in pairs:
                    state.env[expand(name, values, self.recipe.escape)] = expand(word, values, self.recipe.escape)
            case Arg(name, default):
                if name in self.build_args:
                    state.arguments[name] = self.build_args[name]
                elif default is not None:
                    state.arguments[name] = self.expand(default)
                elif name in dict(self.recipe.arguments):
                    state.arguments[name] = dict(self.recipe.arguments)[name]
            case User(name):
                state.user = self.expand(name) or "root"
            case Shell(argv):
                state.shell = argv
            case Note():
                pass  # changes no file

    def run(self, step: Run) -> RunAction:
        state = self.state
        shell = step.shell or state.shell
        if step.argv:
            argv = step.argv
        elif not step.program:
            argv = (*shell, step.script)
        elif not step.shell:
            argv = (PROGRAM,)
        elif "-c" in shell:
            argv = (*shell[:-1], f"{shell[-1]} {PROGRAM}")
        else:
            argv = (*shell, PROGRAM)
        text = step.script or " ".join(step.argv) or step.program
        title = f"RUN {' '.join(text.split())[:120]}"
        env = {**state.arguments, **state.env}
        return RunAction(
            title, argv, tuple(env.items()), state.workdir, state.user, step.network, step.program
        )

    def copy(self, step: Copy) -> Placement:
        words = step.sources if self.recipe.language == "apptainer" else [self.expand(word) for word in step.sources]
        target = step.target if self.recipe.language == "apptainer" else self.expand(step.target)
        sources: list[Source] = []
        if step.origin is None:
            for word in words:
                sources += self.context.find(word, follow=step.follow)
        for inline in step.inline:
            text = expand_text(inline.content, self.state.values()) if inline.expand else inline.content
            sources.append(Source(inline.name, False, (File(inline.name, text.encode()),)))
        directory = target.endswith(("/", "/.")) or target in (".", "") or (len(words) + len(step.inline) > 1)
        if len(sources) > 1 and not directory:
            directory = True
        path = posixpath.normpath(posixpath.join("/", self.state.workdir, target))
        return Placement(
            path.rstrip("/") + "/" if directory else path,
            sources=tuple(sources),
            patterns=() if step.origin is None else tuple(words),
            origin=step.origin,
            owner=self.expand(step.owner),
            mode=self.expand(step.mode),
            unpack=step.unpack,
            nest=step.nest,
            follow=step.follow,
        )

    def place(self, title: str, placement: Placement) -> None:
        """Join the placement to the action before it, when that one places files too."""
        if self.actions and isinstance(last := self.actions[-1], FilesAction):
            self.actions[-1] = FilesAction(f"{last.title}; {title}"[:200], (*last.placements, placement))
        else:
            self.actions.append(FilesAction(title[:200], (placement,)))


def _owner(user: str) -> str:
    return "" if user in ("root", "0") else user
