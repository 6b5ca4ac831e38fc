"""What builds may take from the caller: an explicit list of variables, the CA bundle, and a configuration file.

Only the command line calls this. The library itself never looks at the environment: what is not in the
:class:`BackendOptions` does not reach a build, and nothing of it ever reaches an attempt.

``~/.config/river-envs/config.toml``::

    [build]
    env = { HTTPS_PROXY = "http://proxy.example:3128" }
    ca_bundle = "/etc/ssl/certs/company.pem"
    store = "/data/river-envs"
    store_budget_mb = 50000
    pass_env = ["PIP_INDEX_URL"]        # further variables to take from the caller

    [build.aliases]
    "ubuntu:22.04" = "my-base"
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from river_envs.environment import RiverError
from river_envs.sandbox.base import BackendOptions

CONFIG = "~/.config/river-envs/config.toml"

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY")
INDEXES = (
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "PIP_DEFAULT_TIMEOUT", "PIP_RETRIES",
    "PIP_DISABLE_PIP_VERSION_CHECK", "PIP_FIND_LINKS", "PIP_NO_INDEX", "UV_INDEX_URL", "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL", "UV_INDEX", "NPM_CONFIG_REGISTRY", "GOPROXY", "GOSUMDB", "CARGO_HTTP_PROXY",
)
CA_BUNDLES = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO")
"""Variables whose value is a CA bundle; the first that names a file is used for all of them."""


def default_build_options(
    *,
    store: str | None = None,
    aliases: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    config: str | Path = CONFIG,
) -> BackendOptions:
    """The caller's settings for builds; arguments win over the configuration file, that over the environment.

    Raises RiverError for a configuration file that cannot be read.
    """
    environ = os.environ if environ is None else environ
    settings = _read(Path(config).expanduser())
    names = [*(name for proxy in PROXIES for name in (proxy, proxy.lower())), *INDEXES, *_strings(settings, "pass_env")]
    build_env = {name: environ[name] for name in names if environ.get(name) and _portable(name, environ[name])}
    build_env.update({str(name): str(value) for name, value in _table(settings, "env").items()})
    named = [settings.get("ca_bundle"), *(environ.get(name) for name in CA_BUNDLES)]
    bundles = [Path(name).expanduser() for name in named if name]
    return BackendOptions(
        store=store or settings.get("store") or environ.get("RIVER_STORE"),
        store_budget_mb=int(settings.get("store_budget_mb", BackendOptions.store_budget_mb)),
        build_env=build_env,
        ca_bundle=next((str(path) for path in bundles if path.is_file()), None),
        aliases={**{str(k): str(v) for k, v in _table(settings, "aliases").items()}, **(aliases or {})},
    )


def _portable(name: str, value: str) -> bool:
    """A path of this machine means nothing inside a build."""
    return name != "PIP_FIND_LINKS" or "://" in value


def _read(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RiverError(f"{path} cannot be read: {error}") from None
    build = content.get("build", {})
    if not isinstance(build, dict):
        raise RiverError(f"{path}: [build] must be a table")
    return build


def _table(settings: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = settings.get(key, {})
    if not isinstance(value, dict):
        raise RiverError(f"{CONFIG}: build.{key} must be a table")
    return value


def _strings(settings: Mapping[str, Any], key: str) -> list[str]:
    value = settings.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RiverError(f"{CONFIG}: build.{key} must be a list of names")
    return value
