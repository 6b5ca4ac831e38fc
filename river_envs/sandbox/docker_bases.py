"""Which image a name in a recipe stands for: an alias, an image that the daemon has, or one that it can pull."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from river_envs.environment import ImageRecipe
from river_envs.images.names import normalise
from river_envs.images.recipe import RecipeError, parse
from river_envs.images.store import DEFAULT_STORE, Store
from river_envs.sandbox.base import BackendOptions, Base, BuildFailed
from river_envs.sandbox.docker_client import Client, daemon_errors, failures, short


class Bases:
    """Resolves base names; pulls what is missing."""

    def __init__(self, client: Client, options: BackendOptions) -> None:
        self._client = client
        self._options = options

    def follow_aliases(self, name: str) -> str:
        """The name at the end of the user's aliases (configured ones above those of the store), or ``name`` itself."""
        root = Path(self._options.store or DEFAULT_STORE).expanduser()
        aliases = Store(root).read("aliases") if (root / "aliases.json").exists() else {}
        aliases.update((normalise(given), target) for given, target in self._options.aliases.items())
        seen: list[str] = []
        while (short := normalise(name)) in aliases:
            if short in seen:
                raise BuildFailed(f"the image alias {short!r} leads in a circle: set it again", blameless=False)
            seen.append(short)
            name = str(aliases[short])
        return name

    def of(self, recipe: ImageRecipe, *, network: bool = True) -> tuple[Base, ...]:
        """Every image that the recipe starts from or copies from. Raises BuildFailed."""
        try:
            names = parse(recipe).bases
        except RecipeError as error:
            raise BuildFailed(str(error), blameless=False) from error
        return tuple(self.resolve(name, network=network) for name in names)

    def resolve(self, name: str, *, network: bool = True) -> Base:
        """The image's id in the daemon. Raises BuildFailed when the daemon neither has it nor gets it."""
        if name == "scratch":
            return Base(name, name, "scratch", False)
        target = self.follow_aliases(name)
        if target == "host":
            raise BuildFailed(f"the base {name!r} stands for this machine's own files, which only bubblewrap can lend")
        if target == "scratch":
            return Base(name, target, "alias", True)
        identity = self._local(target)
        if identity is None and not network:
            raise BuildFailed(f"Docker does not have the image {target!r}, and builds may not use the network")
        identity = identity or self._pulled(target)
        return Base(name, identity, "alias" if target != name else "docker", target != name)

    def _local(self, name: str) -> str | None:
        import docker.errors

        with daemon_errors("looking for an image"):
            try:
                return str(self._client.api.inspect_image(name)["Id"])
            except docker.errors.ImageNotFound:
                return None
            except docker.errors.APIError as error:
                if "invalid reference" in short(error):
                    raise BuildFailed(f"{name!r} is no image name", blameless=False) from error
                raise

    def _pulled(self, name: str) -> str:
        repository, tag = _split(name)
        api = self._client.api
        log: list[str] = []
        failed = f"the image {name!r} is not here and cannot be fetched"
        try:
            for message in api.pull(repository, tag=tag, stream=True, decode=True):
                _note(log, message)
                if "error" in message:
                    raise BuildFailed(f"{failed}: {message['error']}", "\n".join(log))
        except failures() as error:
            raise BuildFailed(f"{failed}: {short(error)}", "\n".join(log)) from error
        identity = self._local(name)
        if identity is None:
            raise BuildFailed(f"the image {name!r} was fetched and is not there", "\n".join(log))
        return identity


def _note(log: list[str], message: dict[str, Any]) -> None:
    if "progressDetail" not in message or not message["progressDetail"]:
        log.append(str(message.get("status") or message.get("error") or ""))


def _split(name: str) -> tuple[str, str]:
    """Repository, and tag or digest (``latest`` where neither is named)."""
    if "@" in name:
        repository, _, identity = name.partition("@")
        return repository, identity
    repository, _, tag = name.rpartition(":")
    return (repository, tag) if repository and "/" not in tag else (name, "latest")
