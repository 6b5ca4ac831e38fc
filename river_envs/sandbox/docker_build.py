"""Building an image with the daemon, from any recipe.

The classic builder (``/build`` without BuildKit) is what every daemon has and the SDK speaks. It knows no heredocs:
such Dockerfiles, and Apptainer definitions, are written anew by ``images`` first. What only builds may see (proxies,
package index settings, a CA bundle) is declared as build arguments after every FROM, so that it never becomes part of
the image's environment; the bundle is taken out again at the end.
"""

from __future__ import annotations

import io
import re
import socket
import tarfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from river_envs.environment import File, ImageRecipe
from river_envs.images.lines import Instruction, read_instructions
from river_envs.images.recipe import RecipeError
from river_envs.images.steps import downloads_quietly
from river_envs.images.writer import as_dockerfile, without_heredocs
from river_envs.sandbox.base import BuildFailed
from river_envs.sandbox.docker_client import Client, failures, plain_socket, short

CA_FILE = "/etc/river-envs-ca.pem"
CA_VARIABLES = (
    "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS",
)
RECIPE_FILE = ".river-envs.dockerfile"

_OPTIONAL = re.compile(r"--mount=type=(?:cache|tmpfs)\S*\s+|--link(?:=\w+)?\s+")
"""Flags that only make a build faster, and that the classic builder does not know."""

_CONTEXT_CA = ".river-envs-ca.pem"
_LOG_CHARACTERS = 1 << 20
_NETWORK_SIGNS = re.compile(
    r"Temporary failure (?:resolving|in name resolution)|Could not resolve|Name or service not known"
    r"|Network is unreachable|Connection (?:refused|reset|timed out)"
    r"|Failed to (?:connect|fetch)|TLS handshake|certificate verify failed"
    r"|Read timed out|NewConnectionError|getaddrinfo|bad address|i/o timeout|no such host",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Job:
    """One build: the text after all rewriting, and what goes with it."""

    text: str
    context: tuple[File, ...]
    arguments: Mapping[str, str]
    labels: Mapping[str, str]
    tag: str
    timeout_sec: float
    network: bool
    ca_bundle: str | None


def build_variables(build_env: Mapping[str, str], ca_bundle: str | None) -> dict[str, str]:
    """The variables that builds get: the user's, and the places of the CA bundle."""
    return {**(dict.fromkeys(CA_VARIABLES, CA_FILE) if ca_bundle else {}), **build_env}


def ca_file(bundle: str) -> File:
    """The CA bundle as it is put into an image while something is built. Raises BuildFailed."""
    try:
        return File(CA_FILE.lstrip("/"), Path(bundle).read_bytes())
    except OSError as error:
        raise BuildFailed(f"the CA bundle {bundle} cannot be read: {error.strerror}") from error


def classic(recipe: ImageRecipe) -> ImageRecipe:
    """The recipe as a Dockerfile that the classic builder reads. Raises BuildFailed."""
    try:
        return without_heredocs(as_dockerfile(recipe))
    except RecipeError as error:
        raise BuildFailed(str(error), blameless=False) from error


def rewrite(text: str, bases: Mapping[str, str], arguments: Mapping[str, str], variables: Mapping[str, str],
            ca_bundle: bool) -> str:
    """``text`` with other bases and the build-only variables.

    ``bases`` maps the names that FROM and COPY --from use to the ones that the daemon knows.
    """
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    instructions, _ = read_instructions(text)
    known = dict(arguments)
    stages: set[str] = set()
    user = ""
    out: list[str] = []
    ends = [item.line - 1 for item in instructions[1:]] + [len(lines)]
    out += lines[: instructions[0].line - 1] if instructions else lines
    for item, end in zip(instructions, ends, strict=True):
        block = lines[item.line - 1 : end]
        if item.name == "ARG" and not stages and "=" in item.rest:
            name, _, value = item.rest.partition("=")
            known.setdefault(name.strip(), value.strip().strip("\"'"))
        if item.name == "FROM":
            block = _from(item, bases, known, stages) + _build_only(variables, ca_bundle)
            user = ""
        elif item.name == "COPY" and dict(item.flags).get("from") in bases and dict(item.flags)["from"] not in stages:
            source = dict(item.flags)["from"]
            block = [line.replace(f"--from={source}", f"--from={bases[source]}") for line in block]
        elif item.name == "USER":
            user = item.rest
        elif item.name in ("RUN", "COPY", "ADD"):
            block = [_OPTIONAL.sub("", line) for line in block]
        out += block
    if ca_bundle:
        out += ["USER root", f"RUN rm -f {CA_FILE}", f"USER {user or 'root'}"]
    return "\n".join(out) + "\n"


def _from(item: Instruction, bases: Mapping[str, str], known: Mapping[str, str], stages: set[str]) -> list[str]:
    words = item.rest.split()
    name = _substitute(words[0], known) if words else ""
    alias = words[2] if len(words) == 3 and words[1].upper() == "AS" else ""
    flags = "".join(f"--{flag}={value} " for flag, value in item.flags)
    target = words[0] if name in stages else bases.get(name, words[0])
    stages.update((alias and {alias}) or {f"\0{len(stages)}"})
    return [f"FROM {flags}{target}{f' AS {alias}' if alias else ''}"]


def _substitute(word: str, known: Mapping[str, str]) -> str:
    """``$NAME``, ``${NAME}`` and ``${NAME:-default}`` by their values."""
    return re.sub(
        r"\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))",
        lambda match: known.get(match[1] or match[3]) or match[2] or "",
        word.strip("\"'"),
    )


def _build_only(variables: Mapping[str, str], ca_bundle: bool) -> list[str]:
    return [f"ARG {name}" for name in variables] + ([f"COPY {_CONTEXT_CA} {CA_FILE}"] if ca_bundle else [])


def run(client: Client, job: Job) -> str:
    """The id of the image. Raises BuildFailed with the log."""
    log: list[str] = []
    image = ""
    api = client.fresh(job.timeout_sec)
    with _deadline(api, job.timeout_sec) as expired:
        try:
            for message in api.build(
                fileobj=io.BytesIO(_context(job)), custom_context=True, dockerfile=RECIPE_FILE, rm=True, forcerm=True,
                buildargs=dict(job.arguments), labels=dict(job.labels), tag=job.tag, decode=True,
                network_mode=None if job.network else "none",
            ):
                _keep(log, message)
                if "error" in message:
                    raise _failed(str(message["error"]), log)
                image = (message.get("aux") or {}).get("ID", image)
        except failures() as error:
            if expired.is_set():
                raise BuildFailed(f"the build took longer than {job.timeout_sec:g} s", "".join(log)) from error
            raise _failed(short(error), log) from error
        finally:
            api.close()
    if expired.is_set() or not image:
        raise BuildFailed(f"the build took longer than {job.timeout_sec:g} s", "".join(log))
    return image


def _keep(log: list[str], message: Mapping[str, Any]) -> None:
    text = str(message.get("stream") or message.get("error") or "")
    log.append(text)
    while sum(map(len, log)) > _LOG_CHARACTERS:
        del log[len(log) // 2]


def _failed(reason: str, log: list[str]) -> BuildFailed:
    text = "".join(log)
    blameless = bool(_NETWORK_SIGNS.search(text) or _NETWORK_SIGNS.search(reason)) or downloads_quietly(reason)
    return BuildFailed(f"Docker could not build the image: {reason}", text, blameless=blameless)


@contextmanager
def _deadline(api: Any, seconds: float) -> Iterator[threading.Event]:
    """Cuts every connection of ``api`` after ``seconds``: the daemon then gives the build up. Sets the event first."""
    expired = threading.Event()
    responses: list[Any] = []

    def cut() -> None:
        expired.set()
        for response in responses:
            with suppress(OSError):  # it ended by itself
                plain_socket(api._get_raw_response_socket(response)).shutdown(socket.SHUT_RDWR)

    def remember(response: Any, *_: object, **__: object) -> None:
        responses.append(response)

    api.hooks["response"].append(remember)
    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield expired
    finally:
        timer.cancel()


def _context(job: Job) -> bytes:
    """The build context as the daemon wants it."""
    target = io.BytesIO()
    extra = [File(RECIPE_FILE, job.text.encode())]
    if job.ca_bundle:
        extra.append(File(_CONTEXT_CA, ca_file(job.ca_bundle).content))
    now = int(time.time())
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in (*job.context, *extra):
            member = tarfile.TarInfo(file.path)
            member.mode, member.mtime = file.mode, now
            if file.link is not None:
                member.type, member.linkname = tarfile.SYMTYPE, file.link
                archive.addfile(member)
            else:
                member.size = len(file.content)
                archive.addfile(member, io.BytesIO(file.content))
    return target.getvalue()
