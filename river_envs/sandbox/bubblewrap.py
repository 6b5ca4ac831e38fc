"""The bubblewrap backend: images as overlay layers, sandboxes as namespaces, no daemon and no root needed.

This class only joins two parts: ``namespaces`` runs sandboxes over a given root file system, ``river_envs.images``
makes such root file systems out of recipes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from river_envs.environment import File, ImageRecipe
from river_envs.sandbox import cgroups
from river_envs.sandbox.base import BackendOptions, Check, Delta, Image, SandboxLimits
from river_envs.sandbox.namespace_sandbox import NamespaceSandbox
from river_envs.sandbox.namespaces import Namespaces

if TYPE_CHECKING:
    from river_envs.images.builder import Builder

__all__ = ["BubblewrapBackend", "NamespaceSandbox", "Namespaces"]


class BubblewrapBackend:
    """Implements ``base.Backend`` with namespaces. Safe to use from several threads."""

    name = "bubblewrap"
    required: ClassVar[frozenset[str]] = frozenset({"bubblewrap", "system call filter", "user namespaces", "sandbox"})

    def __init__(self, options: BackendOptions | None = None) -> None:
        self.options = options or BackendOptions()
        self.namespaces = Namespaces()
        self._builder: Builder | None = None

    @property
    def builder(self) -> Builder:
        """The image builder over this backend's namespaces."""
        if self._builder is None:
            from river_envs.images.builder import Builder

            self._builder = Builder(self.namespaces, self.options)
        return self._builder

    def check(self) -> list[Check]:
        """See ``base.Backend.check``: everything is tried, nothing raises."""
        from river_envs.sandbox import doctor

        return doctor.check_namespaces(self.namespaces, self.options)

    def build(self, recipe: ImageRecipe, *, timeout_sec: float = 600.0, network: bool = True) -> Image:
        """See ``base.Backend.build``."""
        return self.builder.build(recipe, timeout_sec=timeout_sec, network=network)

    def layer(
        self, image: Image, files: Sequence[File], command: Sequence[str], *, key: str, network: bool = True,
        timeout_sec: float = 600.0,
    ) -> Image:
        """See ``base.Backend.layer``."""
        return self.builder.layer(image, files, command, key=key, network=network, timeout_sec=timeout_sec)

    def start(
        self, image: Image, *, delta: Delta | None = None,
        limits: SandboxLimits = SandboxLimits(),  # noqa: B008 - frozen
        network: bool = False,
    ) -> NamespaceSandbox:
        """See ``base.Backend.start``."""
        return self.namespaces.start(
            self.builder.rootfs(image), env=image.env, workdir=image.workdir, user=image.user, limits=limits,
            network=network, delta=delta, image=image,
        )

    def sweep(self) -> int:
        """Remove the control groups of runs that were killed; everything else vanishes with the processes."""
        return cgroups.sweep()

    def close(self) -> None:
        """See ``base.Backend.close``. The images may go from the cache from now on."""
        self.namespaces.close()
        if self._builder is not None:
            self._builder.close()
