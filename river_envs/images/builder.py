"""Images without Docker: stages become chains of cached layers.

A layer's id is a hash of the chain below it and of the action that makes it, so that two recipes with an equal
beginning share its layers, whoever builds them first, and a second build only looks up what is there. Nothing of the
caller's configuration (proxies, package indexes) enters an id: it says how things are fetched, not what they are.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from river_envs.environment import File, ImageRecipe, RiverError, digest, fingerprint
from river_envs.images.bases import Bases
from river_envs.images.context import Context
from river_envs.images.plan import Action, Defaults, FilesAction, plan_stage
from river_envs.images.recipe import Copy, Recipe, RecipeError, Stage, parse
from river_envs.images.steps import Namespaced, StepFailed, Steps
from river_envs.images.store import Store
from river_envs.sandbox.base import BackendOptions, Base, BuildFailed, Image, lies_with_the_base
from river_envs.sandbox.rootfs import Rootfs

MAX_LAYERS = 80
"""From here on a step's layer takes the place of the one below it (as a copy that it changes): the kernel takes 500
layers, and a message to the sandbox launcher 250, shared by the images that a COPY step looks at."""

KEPT_IMAGES = 64
"""How many images of this process are protected from removal: the most recently used ones."""


@dataclass(frozen=True)
class Chain:
    """A stage so far: where it starts, its layers from the bottom, and the hash of all that."""

    mark: str
    layers: tuple[str, ...]
    key: str
    defaults: Defaults
    bases: tuple[Base, ...]
    foundation: str | None = None

    @property
    def parent(self) -> str | None:
        """The topmost layer in the store."""
        return self.layers[-1] if self.layers else self.foundation


class Builder:
    """Builds images into the store. Safe for several threads; several processes may share a store."""

    def __init__(
        self, namespaces: Namespaced, options: BackendOptions,
        host: Callable[[], tuple[Rootfs, str]] | None = None,
    ) -> None:
        self.store = Store(options.store, budget_mb=options.store_budget_mb, remove=namespaces.rmtree)
        self.store.claim(namespaces.id_map.uid_lines)
        host = host or _Host(namespaces, self.store.root / "host")
        self.bases = Bases(self.store, namespaces, options.aliases, host)
        self.steps = Steps(namespaces, options, host)
        self._images: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._guard = Lock()
        self.store.sweep()

    def build(self, recipe: ImageRecipe, *, timeout_sec: float = 600.0, network: bool = True) -> Image:
        """The image of ``recipe``. Raises BuildFailed; DiskFull (a RiverError) when there is no room at all."""
        try:
            parsed = parse(recipe)
        except RecipeError as error:
            raise BuildFailed(str(error), blameless=False) from None
        if parsed.unsupported:
            raise BuildFailed(f"the built-in builder does not know: {', '.join(parsed.unsupported)}")
        build = _Build(self, recipe, parsed, time.monotonic() + timeout_sec, network)
        try:
            chain = build.stage(len(parsed.stages) - 1)
            notes = (*parsed.notes, *_substitutions(chain.bases, self.bases))
            image = self._image(chain, notes)
        finally:
            build.release()
        return image

    def layer(
        self, image: Image, files: Sequence[File], command: Sequence[str], *, key: str, network: bool = True,
        timeout_sec: float = 600.0,
    ) -> Image:
        """``image`` with ``files`` at / and ``command`` run on top as root. Raises BuildFailed."""
        full = digest(image.key, "layer", key, fingerprint(files), list(command))
        layer = full[:16]
        rootfs = self.rootfs(image)
        self.store.pin([layer])
        try:
            self.store.layer(
                layer, image.layers[-1] if len(image.layers) > 1 else None, f"test layer {key}",
                lambda directory: self.steps.layer(
                    files, command, rootfs, dict(image.env), directory, network=network, timeout_sec=timeout_sec
                ),
            )
            made = replace(image, key=full, layers=(*image.layers, layer))
            self._keep(made)
        except StepFailed as failed:
            raise self._failure(failed, layer, image.bases, network) from None
        finally:
            self.store.unpin([layer])
        return made

    def rootfs(self, image: Image) -> Rootfs:
        """The root file system of an image, protected from removal while it is among the recently used ones.

        Raises BuildFailed when its layers are gone from the store: build it again.
        """
        self._keep(image)
        gone = [layer for layer in image.layers[1:] if not self.store.ready(layer)]
        if gone:
            raise BuildFailed(f"the image {image.key[:12]} was removed from the cache: build it again")
        return self.stack(image.layers[0], image.layers[1:])

    def stack(self, mark: str, layers: Sequence[str]) -> Rootfs:
        """The root file system of a base with layers on top."""
        rootfs = self.bases.rootfs(mark)
        for layer in layers:
            rootfs = rootfs.stacked(self.store.path(layer))
        return rootfs

    def _image(self, chain: Chain, notes: tuple[str, ...]) -> Image:
        image = Image(
            key=chain.key, layers=(chain.mark, *chain.layers), env=chain.defaults.env, workdir=chain.defaults.workdir,
            user=chain.defaults.user, bases=chain.bases, notes=tuple(dict.fromkeys(notes)),
        )
        self._keep(image)
        return image

    def _keep(self, image: Image) -> None:
        """Pin the image's layers, and let go of the image used longest ago."""
        mark = image.layers[0]
        wanted = [*image.layers[1:], *([mark.removeprefix("import-")] if mark.startswith("import-") else [])]
        with self._guard:
            if image.key in self._images:
                self._images.move_to_end(image.key)
                return
            self.store.pin(wanted)
            self._images[image.key] = tuple(wanted)
            if len(self._images) > KEPT_IMAGES:
                self.store.unpin(self._images.popitem(last=False)[1])

    def _failure(self, failed: StepFailed, name: str, bases: Sequence[Base], network: bool) -> BuildFailed:
        """What a failed step says about the recipe. Raises DiskFull instead when the disk is the reason."""
        if "No space left on device" in failed.log:
            self.store.check_disk()
        self.store.keep_log(name, failed.log)
        blameless = failed.reason in ("timeout", "memory") or failed.network or not network
        blameless = blameless or lies_with_the_base(bases, failed.log)
        last = [line.strip() for line in failed.log.splitlines() if line.strip()][-1:]
        detail = f": {last[0][:200]}" if last and failed.reason == "command" else ""
        return BuildFailed(f"{failed.title}: {failed.message}{detail}", failed.log, blameless=blameless)

    def close(self) -> None:
        """Let go of every image."""
        with self._guard:
            self._images.clear()
            self.store.close()


class _Host:
    """The host base of this store, made when first asked for."""

    def __init__(self, namespaces: Any, folder: Path) -> None:
        self._namespaces = namespaces
        self._folder = folder
        self._guard = Lock()
        self._made: tuple[Rootfs, str] | None = None

    def __call__(self) -> tuple[Rootfs, str]:
        from river_envs.sandbox.host import host_base

        with self._guard:
            if self._made is None:
                self._made = host_base(self._namespaces, self._folder)
            return self._made


class _Build:
    """One build: its deadline, its pins, and the stages done so far."""

    def __init__(self, builder: Builder, recipe: ImageRecipe, parsed: Recipe, deadline: float, network: bool) -> None:
        self.builder = builder
        self.recipe = recipe
        self.parsed = parsed
        self.deadline = deadline
        self.network = network
        self.context = Context(_context_files(recipe), ignore=recipe.kind == "dockerfile")
        self.chains: dict[int, Chain] = {}
        self.others: dict[str, Chain] = {}
        self.pinned: list[str] = []

    def release(self) -> None:
        self.builder.store.unpin(self.pinned)
        self.pinned = []

    def pin(self, layer: str | None) -> None:
        if layer:
            self.builder.store.pin([layer])
            self.pinned.append(layer)

    def stage(self, index: int) -> Chain:
        """The chain of a stage, building the stages that it needs first."""
        if index not in self.chains:
            stage = self.parsed.stages[index]
            chain = self.stage(stage.base) if isinstance(stage.base, int) else self.base(stage.base)
            self.chains[index] = self.climb(chain, stage)
        return self.chains[index]

    def base(self, name: str) -> Chain:
        """The chain of an image that is not built here."""
        if name not in self.others:
            try:
                start = self.builder.bases.resolve(name, network=self.network)
            except BuildFailed:
                raise
            except RiverError as error:
                raise BuildFailed(str(error)) from None
            self.pin(start.layer)
            self.others[name] = Chain(
                start.mark, (), digest("base", start.mark), start.defaults, (start.base,), start.layer
            )
        return self.others[name]

    def climb(self, chain: Chain, stage: Stage) -> Chain:
        try:
            plan = plan_stage(self.parsed, stage, chain.defaults, self.context, dict(self.recipe.build_args))
        except RecipeError as error:
            blameless = lies_with_the_base(chain.bases, str(error)) and "build context" not in str(error)
            raise BuildFailed(str(error), blameless=blameless) from None
        for action in plan.actions:
            chain = self.add(chain, action)
        for step in stage.steps:  # bases that only lent files are part of the record too
            if isinstance(step, Copy) and step.origin is not None:
                chain = replace(chain, bases=tuple(dict.fromkeys((*chain.bases, *self.origin(step.origin).bases))))
        return replace(chain, defaults=plan.defaults)

    def origin(self, name: int | str) -> Chain:
        return self.stage(name) if isinstance(name, int) else self.base(name)

    def add(self, chain: Chain, action: Action) -> Chain:
        """One more layer."""
        origins = {}
        if isinstance(action, FilesAction):
            names = dict.fromkeys(p.origin for p in action.placements if p.origin is not None)
            origins = {name: self.origin(name) for name in names}
        key = digest(chain.key, action.key, [other.key for other in origins.values()])
        layer = key[:16]
        self.pin(layer)
        below, replaced = chain, None
        if len(chain.layers) >= MAX_LAYERS:
            below, replaced = replace(chain, layers=chain.layers[:-1]), chain.layers[-1]
        try:
            self.builder.store.layer(
                layer, below.parent, action.title, lambda made: self.make(below, replaced, action, origins, made)
            )
        except StepFailed as failed:
            bases = [base for part in (chain, *origins.values()) for base in part.bases]
            raise self.builder._failure(failed, layer, bases, self.network) from None
        return replace(below, layers=(*below.layers, layer), key=key)

    def make(
        self, chain: Chain, replaced: str | None, action: Action, origins: dict[int | str, Chain], directory: Path
    ) -> str:
        builder = self.builder
        started = builder.store.path(replaced) if replaced else None
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise StepFailed(action.title, "the time for this build is over", "", "timeout")
        rootfs = builder.stack(chain.mark, chain.layers)
        if isinstance(action, FilesAction):
            others = {name: builder.stack(other.mark, other.layers) for name, other in origins.items()}
            return builder.steps.place(action, rootfs, others, directory, started=started, timeout_sec=left)
        return builder.steps.run(
            action, rootfs, directory, started=started, network=self.network, timeout_sec=left
        )


def _context_files(recipe: ImageRecipe) -> tuple[File, ...]:
    """The context, with the Dockerfile itself in it, which lies there when Docker builds."""
    if recipe.kind != "dockerfile" or any(file.path == "Dockerfile" for file in recipe.context):
        return recipe.context
    return (*recipe.context, File("Dockerfile", recipe.text.encode()))


def _substitutions(bases: Sequence[Base], resolver: Bases) -> list[str]:
    notes = []
    for base in bases:
        if base.substituted:
            why = resolver.why_not_docker(base.requested)
            notes.append(f"base {base.requested} is substituted by {base.resolved}" + (f" ({why})" if why else ""))
    return notes
