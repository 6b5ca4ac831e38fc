"""Equivalent: the same git repository, stored in another way."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace

from river_envs.environment import Environment
from river_envs.probes import edits, wording
from river_envs.probes.base import Attempt, Background, NotApplicable, Result, Run, Survey
from river_envs.probes.edits import Target
from river_envs.probes.equivalents import Equivalent, Rewriting

_SPOKEN = re.compile(
    r"\b(reflogs?|HEAD@|gc|garbage|prun\w*|dangling|unreachable|unreferenced|orphan\w*|loose|packs?|packed|pack-?files?"
    r"|objects?|lost|recover\w*|restor\w*|deleted|fsck|stash\w*|purg\w*|scrub\w*|rewrit\w*|filter-(?:repo|branch)|undo"
    r"|secrets?|leak\w*|hooks?|submodules?|worktrees?|shallow|clone|bundle|bare|refs/|\.git/|checksum|size|untouched"
    r"|history of (?:moves|checkouts))\b",
    re.IGNORECASE,
)
_GIT = "git -c safe.directory='*' -c gc.auto=0"
_LOOK = "; ".join(
    f"{_GIT} {command}"
    for command in ("for-each-ref", "rev-parse HEAD", "symbolic-ref -q HEAD", "status --porcelain", "stash list")
)
_INSIDE = re.compile(r"(.+)/\.git(?:/|$)")
_KEPT = re.compile(
    r"\b(?:leave|stays?|keep|kept|remains?|left)\b[^.;]{0,60}"
    r"\b(?:unchanged|untouched|alone|as (?:it|they) (?:is|are|was|were))",
    re.IGNORECASE,
)


class GitStorage(Equivalent):
    """The same branches, tags and files, with the repository tidied up.

    What it does: packs the references and objects of each git repository that the reference changed and lets the
    entries of its logs of moves expire, as git's own upkeep would in time and a clone would lack them; grades. Only
    where the instruction speaks neither of logs, objects, packs or clean-up, nor of anything lost in the repository.

    What a hit proves: the verifier rejects, twice, a repository whose references, checked-out branch, index and working
    tree are the same (the receipt compares them), while the state without the upkeep, looked at with the same
    commands, is rewarded (over-specific-form).

    What it cannot show: repositories in images without git; which part of the storage is read.

    Seen in the wild: `cat .git/refs/heads/main` instead of `git rev-parse main`.
    """

    id = "git-storage"
    name = "The repository stored in another way"
    order = 74
    version = 1
    without = "the reference changes no git repository"

    def closed(self, instruction: str) -> str:
        """Words about what lies inside of a repository."""
        spoken = any(_SPOKEN.search(_KEPT.sub(" ", sentence)) for sentence in wording.sentences(instruction))
        return "the instruction may speak of what lies inside of the repository" if spoken else ""

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """None: what is done to the repository is planned below."""
        return ()

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt for all repositories."""
        if survey.reference is None:
            return NotApplicable("there is no state of a passing reference to rewrite")
        reason = self.closed(environment.instruction)
        homes = sorted({found[1] for change in survey.reference.changes if (found := _INSIDE.match(change.path))})
        if reason or not homes:
            return NotApplicable(reason or self.without)
        homes = [f"/{home}" for home in homes][:4]
        return [
            self.attempt(
                environment,
                edits.begin(survey),
                Run("\n".join(["set -e", *(_upkeep(home) for home in homes)])),
                question="Is the reference's state still rewarded with its git repositories stored in another way?",
                what="its git repository packed and its logs of moves expired",
                proof="the same references, checked-out branch, index and working tree (compared)",
                paths=homes,
                originals=[],
                in_place=survey.in_place,
            )
        ]

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The repetition, and as the control the state that was only looked at."""
        return [
            replace(attempt, actions=(*attempt.actions, _look(attempt.facts["paths"])))
            if attempt.arm == "benign"
            else attempt
            for attempt in super().more(environment, results, background)
        ]


def _look(homes: Sequence[str]) -> Run:
    """The commands that only look, as in the other arm: ``git status`` writes the index anew."""
    return Run("\n".join(f"cd {shlex.quote(home)}; {{ {_LOOK}; }} >/dev/null 2>&1 || true" for home in homes))


def _upkeep(home: str) -> str:
    """A script that fails where git is missing or anything but the storage would differ."""
    return (
        f"cd {shlex.quote(home)}\n"
        f"look() {{ {_LOOK}; }}\n"
        "before=$(look 2>&1 || true)\n"
        f"{_GIT} rev-parse HEAD >/dev/null\n"
        f"{_GIT} reflog expire --expire=now --all\n"
        f"{_GIT} pack-refs --all\n{_GIT} repack -a -q\n"
        '[ "$before" = "$(look 2>&1 || true)" ]\n'
    )
