"""What a task is: the models that every other room shares.

An :class:`Environment` is everything a published task consists of, held in memory and free of any format. Readers in
``formats/`` produce it, the catalog stores it, the audit runs it, the Harbor writer exports it. Nothing else in the
project defines what a task is.

**Identity.** ``Environment.id`` is a hash of what can change a reward: instruction, image recipe, verifier, reference,
limits, network, user, working directory and variables. Name, source and descriptive metadata are left out, so that the
same task under two names is one environment (the second is a duplicate), and correcting a label costs no new audit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

ImageKind = Literal["dockerfile", "apptainer", "prebuilt"]
VerifierProtocol = Literal["harbor", "pytest", "terminal-bench-1"]
Provenance = Literal["shipped", "captured", "solver", "author"]
Network = Literal["none", "allowlist", "public"]


class RiverError(Exception):
    """A problem that the user can understand and act on: printed as one sentence, exit status 2."""


def sha256(content: bytes) -> str:
    """The lower-case hexadecimal SHA-256 of ``content``."""
    return hashlib.sha256(content).hexdigest()


def digest(*parts: object) -> str:
    """A SHA-256 over JSON-able ``parts``, the same on every machine."""
    return sha256(json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode())


@dataclass(frozen=True)
class File:
    """One file or symbolic link of an environment.

    ``path`` is relative to the tree that holds it (posix, no ``..``, no leading slash). A link has ``link`` set to its
    target and empty ``content``. ``mode`` holds permission bits only; a git checkout keeps just the executable bit, so
    readers normalise to 0o644 or 0o755.
    """

    path: str
    content: bytes = b""
    mode: int = 0o644
    link: str | None = None

    @cached_property
    def sha256(self) -> str:
        """The hash under which the catalog stores the content."""
        return sha256(self.content)

    def fingerprint(self) -> tuple[str, int, str | None, str]:
        """What of this file enters an identity."""
        return (self.path, self.mode, self.link, self.sha256)


def fingerprint(files: Iterable[File]) -> list[tuple[str, int, str | None, str]]:
    """The fingerprints of ``files`` in path order."""
    return sorted(file.fingerprint() for file in files)


@dataclass(frozen=True)
class ImageRecipe:
    """How the file system that an environment starts from is made.

    ``kind`` says what ``text`` is: a Dockerfile, an Apptainer definition, or nothing (``prebuilt``: only
    ``docker_image`` is named). ``context`` are the files next to the recipe that it may copy. ``images/recipe.py``
    parses both languages into the same steps. ``docker_image`` is also set when a task ships a recipe and names a
    published image of it.
    """

    kind: ImageKind
    text: str = ""
    context: tuple[File, ...] = ()
    docker_image: str | None = None
    build_args: tuple[tuple[str, str], ...] = ()

    @cached_property
    def digest(self) -> str:
        """The content hash under which built images are cached."""
        return digest(self.kind, self.text, fingerprint(self.context), self.docker_image, self.build_args)


@dataclass(frozen=True)
class Verifier:
    """The script and tests that turn a final state into a reward; ``files`` go to ``/tests`` at grade time only.

    ``protocol`` says how a reward is read:

    - ``harbor``: run ``/tests/<entry>`` with bash, read ``/logs/verifier/reward.json`` then ``reward.txt``;
    - ``pytest``: run ``/tests/<entry>`` with pytest in the image's own Python, reward 1 when all tests pass;
    - ``terminal-bench-1``: run ``/tests/<entry>`` with bash, parse its output with ``parser``, 1 when all pass.
    """

    protocol: VerifierProtocol
    files: tuple[File, ...]
    entry: str
    timeout_sec: float = 600.0
    env: tuple[tuple[str, str], ...] = ()
    user: str | None = None
    reward_key: str | None = None
    parser: str | None = None

    @cached_property
    def digest(self) -> str:
        """Identity of the verifier; isolation findings are shared by environments with the same one."""
        return digest(
            self.protocol,
            fingerprint(self.files),
            self.entry,
            self.timeout_sec,
            self.env,
            self.user,
            self.reward_key,
            self.parser,
        )


@dataclass(frozen=True)
class Reference:
    """A solution believed right. ``files`` go to ``/solution``; ``/solution/<entry>`` is run with bash."""

    provenance: Provenance
    files: tuple[File, ...]
    entry: str = "solve.sh"
    env: tuple[tuple[str, str], ...] = ()

    @cached_property
    def digest(self) -> str:
        """Identity of the reference."""
        return digest(self.provenance, fingerprint(self.files), self.entry, self.env)


@dataclass(frozen=True)
class Limits:
    """What one attempt may use. Units are in the names."""

    agent_timeout_sec: float = 600.0
    build_timeout_sec: float = 600.0
    cpus: float = 1.0
    memory_mb: int = 2048
    storage_mb: int = 10240
    gpus: int = 0


@dataclass(frozen=True)
class Metadata:
    """What a corpus says about a task. It describes, it never changes a reward, and it is no part of the identity.

    Keys follow TMax; ``truth`` is the generator's own note about the right final state (never shown to an agent).
    """

    domain: str | None = None
    skill_type: str | None = None
    primitive_skills: tuple[str, ...] = ()
    task_complexity: str | None = None
    command_complexity: str | None = None
    scenario: str | None = None
    language: str | None = None
    verifier_kind: str | None = None
    fixture_kind: str | None = None
    corpus_kind: str | None = None
    difficulty: str | None = None
    keywords: tuple[str, ...] = ()
    truth: str | None = None


@dataclass(frozen=True)
class Environment:
    """One task. ``unsupported`` names what cannot be run yet; such environments are kept and shown, never half-run."""

    name: str
    source: str
    format: str
    instruction: str
    image: ImageRecipe
    verifier: Verifier
    reference: Reference | None = None
    metadata: Metadata = field(default_factory=Metadata)
    limits: Limits = field(default_factory=Limits)
    network: Network = "none"
    allowed_hosts: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    workdir: str | None = None
    user: str | None = None
    unsupported: tuple[str, ...] = ()

    @cached_property
    def id(self) -> str:
        """The first 16 hexadecimal digits of the content hash (see the module docstring)."""
        limits = self.limits
        return digest(
            self.instruction,
            self.image.digest,
            self.verifier.digest,
            self.reference.digest if self.reference else None,
            [limits.agent_timeout_sec, limits.cpus, limits.memory_mb, limits.storage_mb, limits.gpus],
            [self.network, self.allowed_hosts, self.env, self.workdir, self.user],
            self.unsupported,
        )[:16]
