"""The Docker backend: the same sandboxes where namespaces cannot be used, or where a team runs Docker anyway.

It needs the socket of a daemon (20.10 or newer) and nothing else on this machine. Images are built by the daemon, found
again by labels, and removed oldest first above the budget. Every container carries the name of the process that made
it, so that ``sweep`` removes exactly what dead processes left. No network is ever created: a container has none, or the
daemon's default one.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from river_envs.environment import File, ImageRecipe, digest, fingerprint
from river_envs.sandbox import docker_build, docker_sandbox
from river_envs.sandbox.base import (
    BackendOptions,
    Base,
    BuildFailed,
    Check,
    Delta,
    Image,
    SandboxError,
    SandboxLimits,
    lies_with_the_base,
)
from river_envs.sandbox.docker_bases import Bases
from river_envs.sandbox.docker_client import OWNER_LABEL, Client, daemon_errors, orphaned, owner
from river_envs.sandbox.docker_sandbox import DockerSandbox, Options

RECIPE_LABEL = "river-envs.recipe"
"""On every image: the key under which it is found again."""

_REPOSITORY = "river-envs"
_VERSION = 1
"""Counted up when the same recipe would give another image."""


class DockerBackend:
    """See the module docstring; the methods' contracts are in ``base.py``."""

    name = "docker"
    required: ClassVar[frozenset[str]] = frozenset({"docker daemon", "memory limit", "process limit"})

    def __init__(self, options: BackendOptions | None = None) -> None:
        self.options = options or BackendOptions()
        self._client = Client()
        self._bases = Bases(self._client, self.options)
        self._lock = threading.Lock()
        self._building: dict[str, threading.Lock] = {}
        self._images: dict[str, Image] = {}
        self._running: dict[str, DockerSandbox] = {}

    def connect(self) -> None:
        """Raises BackendUnavailable when no daemon answers; every other method would, too, but later."""
        _ = self._client.api

    def check(self) -> list[Check]:
        """What the daemon offers; see ``base.py``."""
        from river_envs.sandbox.docker_check import checks

        return checks(self._client)

    def build(self, recipe: ImageRecipe, *, timeout_sec: float = 600.0, network: bool = True) -> Image:
        """Build or fetch the image, once per ``recipe.digest``; see ``base.py``."""
        with self._one_at_a_time(recipe.digest):
            if recipe.digest not in self._images:
                self._images[recipe.digest] = self._build(recipe, timeout_sec, network)
            return self._images[recipe.digest]

    def _build(self, recipe: ImageRecipe, timeout_sec: float, network: bool) -> Image:
        if recipe.kind == "prebuilt":
            base = self._bases.resolve(recipe.docker_image or "", network=network)
            return self._image(base.resolved, (base,))
        plain = docker_build.classic(recipe)
        bases = self._bases.of(plain, network=network)
        key = digest(_VERSION, recipe.digest, [base.resolved for base in bases])
        found = self._find(key)
        if found is None:
            options = self.options
            variables = docker_build.build_variables(options.build_env, options.ca_bundle)
            arguments = {**dict(recipe.build_args), **variables}
            text = docker_build.rewrite(
                plain.text, {base.requested: base.resolved for base in bases}, dict(recipe.build_args), variables,
                bool(options.ca_bundle),
            )
            job = docker_build.Job(
                text, plain.context, arguments, {RECIPE_LABEL: key}, f"{_REPOSITORY}:{key[:24]}", timeout_sec, network,
                options.ca_bundle,
            )
            try:
                found = docker_build.run(self._client, job)
            except BuildFailed as error:
                error.blameless = error.blameless or lies_with_the_base(bases, error.log)
                raise
            self._make_room(keep=found)
        return self._image(found, bases)

    def layer(self, image: Image, files: Sequence[File], command: Sequence[str], *, key: str, network: bool = True,
              timeout_sec: float = 600.0) -> Image:
        """``image`` with ``files`` and the effect of ``command`` on top; see ``base.py``."""
        label = digest("layer", _VERSION, image.key, key, fingerprint(files), list(command))
        with self._one_at_a_time(label):
            if label not in self._images:
                found = self._find(label) or self._layer(image, files, command, label, network, timeout_sec)
                self._images[label] = self._image(found, image.bases, image.notes)
            return self._images[label]

    def _layer(self, image: Image, files: Sequence[File], command: Sequence[str], label: str, network: bool,
               timeout_sec: float) -> str:
        limits = SandboxLimits(memory_mb=4096, disk_mb=8192, processes=4096, cpus=2.0)
        options = self.options
        with self.start(image, limits=limits, network=network) as sandbox:
            sandbox.put(files)
            if options.ca_bundle:
                sandbox.put([docker_build.ca_file(options.ca_bundle)])
            variables = docker_build.build_variables(options.build_env, options.ca_bundle)
            result = sandbox.exec(command, timeout_sec=timeout_sec, env=variables, user="root", cwd="/")
            if result.exit_code != 0:
                ending = "took too long" if result.timed_out else f"ended with {result.exit_code}"
                raise BuildFailed(f"the command of a layer {ending}: {' '.join(command)[:200]}", result.text)
            if options.ca_bundle:
                sandbox.remove(docker_build.CA_FILE)
            with daemon_errors("keeping a layer"):
                return str(self._client.api.commit(
                    sandbox.container, repository=_REPOSITORY, tag=label[:24], pause=False,
                    conf={"Labels": {RECIPE_LABEL: label, OWNER_LABEL: ""}, "User": image.user,
                          "WorkingDir": image.workdir, "Entrypoint": ["/bin/sh"]},
                )["Id"])

    def _find(self, key: str) -> str | None:
        with daemon_errors("looking for an image"):
            found = self._client.api.images(filters={"label": f"{RECIPE_LABEL}={key}"})
        return str(found[0]["Id"]) if found else None

    def _image(self, reference: str, bases: tuple[Base, ...], notes: tuple[str, ...] = ()) -> Image:
        with daemon_errors("inspecting an image"):
            inspected: dict[str, Any] = self._client.api.inspect_image(reference)
        config = inspected.get("Config") or {}
        pairs = (pair.partition("=") for pair in config.get("Env") or ())
        volumes = sorted(config.get("Volumes") or ())
        if volumes and not notes:
            notes = (f"changes in volumes are not part of a delta: {', '.join(volumes)}",)
        return Image(
            key=inspected["Id"], env=tuple((name, value) for name, _, value in pairs), bases=bases, notes=notes,
            workdir=config.get("WorkingDir") or "/", user=config.get("User") or "root",
        )

    def _make_room(self, keep: str) -> None:
        """Remove the oldest images of this tool while all together are above the budget."""
        with daemon_errors("measuring images"):
            images = self._client.api.images(filters={"label": RECIPE_LABEL})
        used = {keep} | {image.key for image in self._images.values()}
        total = sum(int(image["Size"]) for image in images)
        for image in sorted(images, key=lambda image: int(image["Created"])):
            if total <= self.options.store_budget_mb * 1_000_000:
                return
            if image["Id"] not in used:
                with suppress(SandboxError), daemon_errors("removing an image"):  # in use by another process: it stays
                    self._client.api.remove_image(image["Id"], noprune=False)
                    total -= int(image["Size"])

    def _one_at_a_time(self, key: str) -> threading.Lock:
        with self._lock:
            return self._building.setdefault(key, threading.Lock())

    def start(
        self,
        image: Image,
        *,
        delta: Delta | None = None,
        limits: SandboxLimits = SandboxLimits(),  # noqa: B008 - frozen
        network: bool = False,
    ) -> DockerSandbox:
        """A fresh sandbox from image + delta; see ``base.py``."""
        labels: Mapping[str, str] = {OWNER_LABEL: owner()}
        container = docker_sandbox.create(self._client, image, limits, Options(network, labels))
        sandbox = DockerSandbox(self._client, image, container, limits, self._forget)
        with self._lock:
            self._running[container] = sandbox
        sandbox.begin(delta)
        return sandbox

    def _forget(self, container: str) -> None:
        with self._lock:
            self._running.pop(container, None)

    def sweep(self) -> int:
        """Remove the containers of processes that are gone; see ``base.py``."""
        with daemon_errors("listing containers"):
            found = self._client.api.containers(all=True, filters={"label": OWNER_LABEL})
        left = [item["Id"] for item in found if orphaned(item["Labels"].get(OWNER_LABEL, ""))]
        return sum(docker_sandbox.remove(self._client, container) for container in left)

    def close(self) -> None:
        """Destroy what still runs."""
        with self._lock:
            running = list(self._running.values())
        for sandbox in running:
            sandbox.destroy()


