"""Where an image starts: aliases, imported bases, the Docker daemon, nothing at all, or this machine.

Names are tried in that order. The last resort, ``host``, is always there (``sandbox/host.py``); it and an alias are not
what the recipe's author had, so they are recorded as substituted, and every outcome says so.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from river_envs.environment import RiverError
from river_envs.images.importer import Unpacks, import_base, imported_bases
from river_envs.images.names import normalise
from river_envs.images.plan import Defaults
from river_envs.images.store import Store
from river_envs.sandbox.base import Base
from river_envs.sandbox.rootfs import Mount, Rootfs

MAX_ALIASES = 8
HOST = "host"
SCRATCH = "scratch"


class DockerMiss(Exception):
    """Docker cannot give a base; the next place is tried."""


@dataclass(frozen=True)
class StartingPoint:
    """A resolved base. ``mark`` names it inside an image's layers; ``layer`` is its layer in the store, if it has one.
    """

    base: Base
    mark: str
    defaults: Defaults
    layer: str | None = None


def set_alias(store: Store, name: str, base: str) -> bool:
    """Let ``base`` stand for ``name`` in every later build; a name for itself takes the alias back (and gives False).

    Raises RiverError when the aliases would lead in a circle.
    """
    short = normalise(name)
    target = base if base == HOST else normalise(base)

    def change(table: dict[str, Any]) -> dict[str, Any]:
        rest = {key: value for key, value in table.items() if key != short}
        seen, here = {short}, target
        while here in rest and target != short:
            if here in seen:
                break
            seen.add(here)
            here = rest[here]
        if here == short and target != short:
            raise RiverError(f"the alias {short} → {target} leads back to {short}: choose another base")
        return rest if target == short else {**rest, short: target}

    store.update("aliases", change)
    return target != short


class Bases:
    """Resolves base names for one store. ``host`` gives the host's root file system and its identity."""

    def __init__(
        self, store: Store, namespaces: Unpacks, aliases: Mapping[str, str], host: Callable[[], tuple[Rootfs, str]]
    ) -> None:
        self.store = store
        self.namespaces = namespaces
        self._given = {normalise(name): target for name, target in aliases.items()}
        self._host = host
        self._docker_misses: dict[str, str] = {}
        self._docker_asked: set[str] = set()
        self._guard = Lock()

    def resolve(self, requested: str, *, network: bool = True) -> StartingPoint:
        """The base for ``requested``. Raises RiverError for an alias that leads nowhere."""
        if requested == SCRATCH:
            return StartingPoint(Base(requested, SCRATCH, "scratch", False), SCRATCH, Defaults())
        name = self.follow_aliases(requested)
        aliased = name != normalise(requested)
        if name == HOST or requested == HOST:
            return self.host_base(requested, named=aliased or requested == HOST)
        found = self.imported(requested, name, aliased) or self.from_docker(requested, name, aliased, network)
        found = found or self._stored(requested, name, aliased)  # exported from a Docker that no longer answers
        if found is None and aliased:
            raise RiverError(
                f"the image alias {normalise(requested)!r} leads to {name!r}, which is neither imported nor known to "
                f"Docker: run 'river-envs image import {name} DIR' or set another alias"
            )
        return found or self.host_base(requested)

    def follow_aliases(self, requested: str) -> str:
        """The name at the end of the aliases, normalised, or ``host``."""
        aliases = {**self.store.read("aliases"), **self._given}
        name = normalise(requested)
        for _ in range(MAX_ALIASES):
            target = aliases.get(name)
            if target is None:
                return name
            if target == HOST:
                return HOST
            name = normalise(target)
        raise RiverError(
            f"the image alias {normalise(requested)!r} leads in a circle: set it again with 'river-envs image alias'"
        )

    def host_base(self, requested: str, *, named: bool = False) -> StartingPoint:
        """This machine's own programs. ``named`` when somebody chose them for this base: then that person vouches for
        it.
        """
        _, identity = self._host()
        origin = "alias" if named else "host"
        return StartingPoint(Base(requested, HOST, origin, True), f"{HOST}-{identity}", Defaults())  # type: ignore[arg-type]

    def imported(self, requested: str, name: str, aliased: bool) -> StartingPoint | None:
        """A base that somebody imported, if its layer is still there."""
        base = imported_bases(self.store).get(name)
        return None if base is None or base.docker_id else self._stored(requested, name, aliased)

    def _stored(self, requested: str, name: str, aliased: bool) -> StartingPoint | None:
        base = imported_bases(self.store).get(name)
        if base is None or not self.store.ready(base.layer):
            return None
        origin = "alias" if aliased else ("docker" if base.docker_id else "imported")
        return StartingPoint(
            Base(requested, name, origin, aliased), f"import-{base.layer}", base.defaults, base.layer  # type: ignore[arg-type]
        )

    def from_docker(self, requested: str, name: str, aliased: bool, network: bool) -> StartingPoint | None:
        """The base from a Docker daemon, exported into the store once per image id (asked once per process)."""
        with self._guard:
            if name in self._docker_misses:
                return None
            if name not in self._docker_asked:
                try:
                    self._export(name, network)
                except DockerMiss as miss:
                    self._docker_misses[name] = str(miss)
                    return None
                self._docker_asked.add(name)
        return self._stored(requested, name, aliased)

    def why_not_docker(self, name: str) -> str:
        """Why Docker gave no base for ``name``, for notes and logs."""
        return self._docker_misses.get(normalise(name), "")

    def _export(self, name: str, network: bool) -> None:
        import docker
        from docker.errors import DockerException, ImageNotFound

        try:
            client = docker.from_env(timeout=600)
        except DockerException as error:
            raise DockerMiss(f"no Docker daemon answers ({type(error).__name__})") from None
        try:
            try:
                image = client.images.get(name)
            except ImageNotFound:
                if not network:
                    raise DockerMiss(f"Docker does not have {name}, and builds may not use the network") from None
                image = client.images.pull(name)
            known = imported_bases(self.store).get(name)
            if known is None or known.docker_id != image.id or not self.store.ready(known.layer):
                self._import_container(client, image, name)
        except DockerException as error:
            raise DockerMiss(f"Docker has no image {name}") from error
        finally:
            client.close()

    def _import_container(self, client: Any, image: Any, name: str) -> None:
        container = client.containers.create(image, command=["/bin/true"], labels={"river-envs": "export"})
        try:
            with tempfile.TemporaryDirectory(dir=self.store.root / "tmp") as folder:
                archive = Path(folder) / "export.tar"
                with archive.open("wb") as out:
                    for chunk in container.export():
                        out.write(chunk)
                import_base(
                    self.store, self.namespaces, name, archive, config=image.attrs.get("Config") or {},
                    docker_id=str(image.id), label=f"Docker image {name}",
                )
        finally:
            container.remove(force=True)

    def rootfs(self, mark: str) -> Rootfs:
        """The root file system that a mark stands for."""
        if mark == SCRATCH:
            return Rootfs((Mount("/", (str(self.store.empty),)),))
        if mark.startswith("import-"):
            return Rootfs((Mount("/", (str(self.store.path(mark.removeprefix("import-")) / "root"),)),))
        return self._host()[0]
