"""What a defect is planted into: a sound environment, the state its reference left, and what was seen meanwhile."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from river_envs.environment import Environment
from river_envs.plant.outputs import Output, read_output
from river_envs.sandbox.base import Delta

_NOISE = re.compile(
    r"(^|/)(__pycache__|\.cache|\.pytest_cache|\.config)(/|$)|^(tmp|run|var/(tmp|cache|lib/(apt|dpkg)))/|\.pyc$"
)
_WORKDIR = re.compile(r"^WORKDIR\s+(/\S+)\s*$", re.MULTILINE)
_PATH = re.compile(r"(?<![\w/.])(/(?:[\w.+-]+/)*[\w.+-]*\w)")


@dataclass(frozen=True)
class Call:
    """One run of a deliverable program during grading: arguments after the program's own path, standard input, and
    what it printed.
    """

    program: str
    interpreter: str
    arguments: tuple[str, ...]
    stdin: str
    stdout: str
    exit_code: int


@dataclass(frozen=True)
class Observed:
    """What was seen when the original was audited: ``calls`` of its programs by its verifier, and the paths among its
    outputs which the untouched image already has.
    """

    calls: tuple[Call, ...] = ()
    existing: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Subject:
    """A sound environment with everything that a defect may be built from."""

    environment: Environment
    state: Delta
    observed: Observed

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        """The regular files that the reference left, without caches, in path order."""
        return tuple(
            read_output("/" + change.path, change.content, change.mode)
            for change in self.state.changes
            if change.kind == "file" and ("/" + change.path in self.named or not _NOISE.search(change.path))
        )

    @cached_property
    def documents(self) -> tuple[Output, ...]:
        """Outputs that are text and no programs."""
        return tuple(output for output in self.outputs if output.kind in ("json", "table", "lines"))

    @cached_property
    def programs(self) -> tuple[Output, ...]:
        """Outputs that are programs."""
        return tuple(output for output in self.outputs if output.kind == "program")

    @cached_property
    def created(self) -> tuple[Output, ...]:
        """Outputs that the untouched image does not have."""
        return tuple(output for output in self.outputs if output.path not in self.observed.existing)

    @cached_property
    def plain(self) -> bool:
        """Whether the whole effect of the reference is new or changed text documents: no programs, no binary files, no
        deletions, so that comparing the documents is all that a verifier has to do.
        """
        deleted = any(change.kind in ("deleted", "link") for change in self.state.changes)
        return bool(self.documents) and len(self.documents) == len(self.outputs) and not deleted

    @cached_property
    def exact(self) -> bool:
        """Whether the outputs have one right value: comparing them with the reference's is fair."""
        return self.plain and self.environment.metadata.verifier_kind in (None, "exact_text")

    @cached_property
    def named(self) -> frozenset[str]:
        """The absolute paths that the instruction names."""
        return frozenset(_PATH.findall(self.environment.instruction))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of two letters or more in the instruction, in lower case."""
        return frozenset(word.lower() for word in re.findall(r"[A-Za-z_][\w-]*\w", self.environment.instruction))

    @property
    def workdir(self) -> str:
        """Where a shell of the agent starts, as far as the recipe tells."""
        told: list[str] = [
            self.environment.workdir or "",
            *_WORKDIR.findall(self.environment.image.text)[-1:],
            self.home,
        ]
        return next(path.rstrip("/") for path in told if path.rstrip("/"))

    @property
    def home(self) -> str:
        """The directory that most outputs lie in."""
        folders = [output.path.rsplit("/", 1)[0] for output in self.outputs]
        return max(sorted(set(folders)), key=folders.count) if folders else (self.environment.workdir or "/app")
