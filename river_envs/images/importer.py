"""Bases from outside: a docker-save or docker-export archive, a root file system as a tar, or a directory.

Each becomes one flat layer of the store and an entry in its table of bases. Environment, working directory and user
come from the archive's own configuration where it has one.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Protocol, cast

from river_envs.environment import RiverError, digest
from river_envs.images.names import normalise
from river_envs.images.plan import Defaults
from river_envs.images.store import Store
from river_envs.images.tree import BadArchive, Tree, add_layer, read_directory, tree_of, write_flat

MAX_CONFIG_BYTES = 4_000_000


class Unpacks(Protocol):
    """What importing needs of the namespaces: unpacking with the owners that sandboxes will see."""

    def untar(self, archive: str, directory: str) -> None:
        """Unpack ``archive`` into ``directory``."""


@dataclass(frozen=True)
class ImportedBase:
    """A base in the store. ``source`` says where it came from, ``docker_id`` the id of the Docker image it was."""

    name: str
    layer: str
    env: tuple[tuple[str, str], ...] = ()
    workdir: str = "/"
    user: str = "root"
    source: str = ""
    docker_id: str | None = None

    @property
    def defaults(self) -> Defaults:
        """What the base sets for every process."""
        return Defaults(self.env, self.workdir, self.user)


def imported_bases(store: Store) -> dict[str, ImportedBase]:
    """Every imported base by its normalised name."""
    return {name: _load(name, value) for name, value in store.read("bases").items()}


def _load(name: str, value: Mapping[str, Any]) -> ImportedBase:
    env = tuple((str(key), str(item)) for key, item in value.get("env", ()))
    return ImportedBase(
        name, value["layer"], env, value.get("workdir") or "/", value.get("user") or "root", value.get("source", ""),
        value.get("docker_id"),
    )


def import_base(
    store: Store, namespaces: Unpacks, name: str, source: Path, *, config: Mapping[str, Any] | None = None,
    docker_id: str | None = None, label: str | None = None,
) -> ImportedBase:
    """Make ``source`` (a directory or an archive) the base called ``name``; an older base of that name is replaced.

    ``config`` is a Docker image configuration (``Env``, ``WorkingDir``, ``User``). Raises RiverError (unreadable,
    hostile).
    """
    name = normalise(name)
    if not source.exists():
        raise RiverError(f"{source} does not exist: give a directory or a tar archive to import")
    with ExitStack() as stack, store.workspace() as work:
        if source.is_dir():
            tree = tree_of(read_directory(source))
        else:
            tree, found = _read_archive(stack, source, name)
            config = config or found
        if not tree:
            raise BadArchive(f"{source} holds no files")
        flat = work / "flat.tar"
        try:
            content = write_flat(tree, flat)
        except tarfile.TarError as error:
            raise BadArchive(f"{source} is damaged: {error}") from None
        # What a container exports is never twice the same to the byte; the id of its image is.
        layer = (digest("docker", docker_id) if docker_id else content)[:16]
        store.pin([layer])
        try:
            store.layer(layer, None, f"import {name}", lambda directory: _unpack(namespaces, flat, directory))
            base = _describe(name, layer, config or {}, label or source.name, docker_id)
            store.update("bases", lambda table: {**table, name: asdict(base)})
        finally:
            store.unpin([layer])
    return base


def _unpack(namespaces: Unpacks, archive: Path, directory: Path) -> str:
    root = directory / "root"
    root.mkdir()
    namespaces.untar(str(archive), str(root))
    return ""


def _describe(
    name: str, layer: str, config: Mapping[str, Any], source: str, docker_id: str | None
) -> ImportedBase:
    pairs = [str(item).partition("=")[::2] for item in config.get("Env") or ()]
    workdir = str(config.get("WorkingDir") or "/")
    return ImportedBase(name, layer, tuple(pairs), workdir, str(config.get("User") or "root"), source, docker_id)


def _read_archive(stack: ExitStack, source: Path, name: str) -> tuple[Tree, Mapping[str, Any] | None]:
    try:
        archive = stack.enter_context(tarfile.open(source, "r:*"))  # noqa: SIM115 - the stack closes it
        names = set(archive.getnames())
    except (tarfile.TarError, OSError, EOFError) as error:
        raise BadArchive(f"{source} cannot be read as a tar archive: {error}") from None
    tree: Tree = {}
    if "manifest.json" not in names:
        if "oci-layout" in names:
            raise BadArchive(f"{source} is an OCI layout without manifest.json: make it with 'docker save' instead")
        add_layer(tree, archive, 0, whiteouts=False)
        return tree, None
    manifest = _choose(json.loads(_small(archive, "manifest.json")), name, source)
    config = json.loads(_small(archive, manifest["Config"]))
    for index, layer in enumerate(manifest["Layers"]):
        opened = _member(archive, layer)
        try:
            inner = stack.enter_context(tarfile.open(fileobj=opened, mode="r:*"))  # noqa: SIM115
        except tarfile.TarError as error:
            raise BadArchive(f"{source}: the layer {layer[:80]!r} cannot be read: {error}") from None
        add_layer(tree, inner, index, whiteouts=True)
    return tree, cast(Mapping[str, Any], config.get("config") or {})


def _choose(manifests: Any, name: str, source: Path) -> dict[str, Any]:
    """The image of a docker-save archive that is meant: the only one, or the one with the wanted name."""
    images = [item for item in manifests if isinstance(item, dict)] if isinstance(manifests, list) else []
    named = [item for item in images if name in {normalise(tag) for tag in item.get("RepoTags") or ()}]
    chosen = named[:1] or (images if len(images) == 1 else [])
    if not chosen or not {"Config", "Layers"} <= chosen[0].keys():
        tags = sorted(tag for item in images for tag in item.get("RepoTags") or ())
        raise BadArchive(
            f"{source} holds {len(images)} images ({', '.join(tags)[:200]}): import it under one of their names"
        )
    return chosen[0]


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    try:
        opened = archive.extractfile(name)  # follows links inside the archive only
    except KeyError:
        opened = None
    if opened is None:
        raise BadArchive(f"the archive lacks {name[:80]!r}")
    return opened


def _small(archive: tarfile.TarFile, name: str) -> bytes:
    with _member(archive, name) as opened:
        content = opened.read(MAX_CONFIG_BYTES + 1)
    if len(content) > MAX_CONFIG_BYTES:
        raise BadArchive(f"the archive's {name[:80]!r} is larger than {MAX_CONFIG_BYTES} bytes")
    return content
