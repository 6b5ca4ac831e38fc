"""Static leads: what a reading of a verifier suggests, without running anything.

A lead is no finding. It says where to spend attempts and feeds the score; only an executed attempt accuses. Tests in
Python are read by their syntax tree (``leads_python.py``), scripts as bash reads them (``leads_shell.py``). What
cannot be parsed gives no leads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from river_envs.environment import Environment

if TYPE_CHECKING:
    from river_envs.probes.leads_python import Module

MOST = 200
"""Leads kept per environment; a generated test file could give thousands."""

ABOUT: dict[str, str] = {
    "no-content-check": "no assertion looks at content",
    "expects-shipped": "the expected value is read from a path that the image ships",
    "image-program": "the tests run a program of the image",
    "reads-source": "the tests read source text",
    "clock": "the tests read the clock",
    "sleep": "the tests wait",
    "file-times": "the tests read time stamps of files",
    "random": "the tests draw random numbers",
    "hash-order": "the tests depend on hash values or the order of a set",
    "processors": "the tests read the number of processors",
    "memory": "the tests read the amount of memory",
    "locale": "the tests depend on a locale",
    "threads": "the tests start threads or processes",
    "network": "the tests reach for a network",
    "imports-agent-code": "the tests run the agent's code in their own process",
    "installs": "the tests install packages when they run",
    "always-true": "an assertion can never fail",
    "swallowed-failure": "a failure is caught and ignored",
    "skips": "tests may be skipped",
    "unstated-path": "a path is checked that the instruction never names",
    "stops-before-reward": "`set -e` may end the script before it writes a reward",
    "world-writable": "files are made writable for everyone",
    "fixed-count": "the number of inputs is fixed in the tests",
    "git-history": "the image holds a git history",
}
"""Every lead, and what it means."""

POINTS_TO: dict[str, tuple[str, ...]] = {
    "no-content-check": ("existence-only",),
    "expects-shipped": ("image-answer", "movable-truth"),
    "image-program": ("reachable-oracle",),
    "reads-source": ("keyword-only",),
    "clock": ("time-dependent",),
    "sleep": ("flaky", "time-dependent"),
    "file-times": ("time-dependent",),
    "random": ("flaky",),
    "hash-order": ("flaky",),
    "processors": ("machine-dependent",),
    "memory": ("machine-dependent",),
    "locale": ("machine-dependent",),
    "threads": ("flaky",),
    "network": ("needs-network", "network-dependent"),
    "imports-agent-code": ("self-report",),
    "installs": ("needs-network",),
    "always-true": ("existence-only", "unchecked-requirement"),
    "swallowed-failure": ("existence-only", "unchecked-requirement"),
    "skips": ("pays-for-nothing",),
    "unstated-path": ("hidden-requirement",),
    "stops-before-reward": ("no-reward-file",),
    "world-writable": ("movable-truth",),
    "fixed-count": ("fixed-inputs",),
    "git-history": ("image-answer",),
}
"""The causes that a lead makes more likely."""

UNSTEADY = frozenset({"clock", "sleep", "random", "hash-order", "threads"})
"""Leads that ask for more gradings of one state."""


@dataclass(frozen=True)
class Lead:
    """One lead: its name (a key of ``ABOUT``), the file (``tests/...``, ``image`` for the recipe), line and text."""

    name: str
    file: str
    line: int = 0
    text: str = ""

    @property
    def about(self) -> str:
        """What it means, in words."""
        return ABOUT[self.name]

    @property
    def points_to(self) -> tuple[str, ...]:
        """The causes that it makes more likely."""
        return POINTS_TO[self.name]


@lru_cache(maxsize=512)
def leads(environment: Environment) -> tuple[Lead, ...]:
    """The leads of ``environment``, in the order of its files; at most ``MOST``, one of a kind per line."""
    from river_envs.probes import leads_python, leads_shell

    found: dict[tuple[str, str, int], Lead] = {}
    for lead in (*leads_python.find(environment), *leads_shell.find(environment)):
        found.setdefault((lead.name, lead.file, lead.line), lead)
    return tuple(list(found.values())[:MOST])


def names(environment: Environment) -> frozenset[str]:
    """The names of the leads of ``environment``."""
    return frozenset(lead.name for lead in leads(environment))


def unsteady(environment: Environment) -> bool:
    """Whether something suggests that one state may be graded differently."""
    return bool(names(environment) & UNSTEADY)


def modules(environment: Environment) -> tuple[Module, ...]:
    """The verifier's Python files, parsed."""
    from river_envs.probes import leads_python

    return leads_python.modules(environment)


def programs(environment: Environment, *, solution: bool = True) -> frozenset[str]:
    """The names of programs that the tests (and the reference) call, from scripts and from calls in Python."""
    from river_envs.probes import leads_python, leads_shell

    return leads_python.programs(environment) | leads_shell.programs(environment, solution=solution)


def runs_programs(environment: Environment) -> bool:
    """Whether the tests in Python start programs (the agent's may be among them)."""
    from river_envs.probes import leads_python

    return any(leads_python.runs(name) for module in modules(environment) for name, _ in module.calls)


def texts(environment: Environment, *, solution: bool = True) -> tuple[str, ...]:
    """The text of the tests (and of the reference)."""
    files = [*environment.verifier.files, *(environment.reference.files if environment.reference and solution else ())]
    return tuple(_text(file.content) for file in files if len(file.content) <= 1 << 20)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
